package decide

import (
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
)

// mode is one workflow that the hook continues. A new workflow is one package
// and one row of modes.
type mode struct {
	// name is the mode's name in its state and in what people read.
	name string
	// stopFile is the kill switch, a file name below the run's state directory.
	stopFile string
	// bound is the workflow's own bound that holds at a Stop: the cause of a
	// pause and what to tell of it, or "".
	bound func(v loop.View) (cause, detail string)
	// next is what the model is told to do: at most four lines.
	next func(v loop.View, nudge int64) string
	// ended tells the person of an outcome, paused how a pause goes on.
	ended func(v loop.View) string
	// command is what the person types to control the loop.
	command string
}

// modes is the table of everything that this hook continues, in the order in
// which one of several active states is chosen.
var modes = [...]mode{
	{
		name:     goal.Mode,
		stopFile: "STOP",
		bound:    goal.Bound,
		next:     goal.Continuation,
		ended:    goal.Ended,
		command:  "/" + goal.Mode,
	},
}

// file is the name of the mode's state in the session directory.
func (m mode) file() string { return m.name + "-state.json" }

// Modes lists the names of the modes in their order.
func Modes() []string {
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = m.name
	}
	return names
}

// StateFile is the name of a mode's state file in the session directory.
func StateFile(name string) string { return mode{name: name}.file() }

// StateFiles lists the state files of all modes: what a snapshot must hold.
func StateFiles() []string {
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = m.file()
	}
	return names
}

// StopFile is the name of the mode's kill switch below its state directory.
func StopFile(name string) string {
	for _, m := range modes {
		if m.name == name {
			return m.stopFile
		}
	}
	return ""
}

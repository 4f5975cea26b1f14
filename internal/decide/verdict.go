package decide

import "omc-hook/internal/modestate"

// Action is what a Stop is answered with. The zero value lets the turn end.
type Action uint8

// The two answers to a Stop.
const (
	Allow Action = iota
	Continue
)

// String is the action's name in the trace.
func (a Action) String() string {
	if a == Continue {
		return "continue"
	}
	return "allow"
}

// Verdict is the answer to one Stop and why.
type Verdict struct {
	Action Action
	// Rule is the id of the rule that decided.
	Rule string
	// Mode names the mode whose state decided, "" where none did.
	Mode string
	// Note is for the person, Text for the model.
	Note, Text string
	// Detail says in one phrase what the rule saw; Remedy what the person can do.
	Detail, Remedy string
	// File is the state file that Edits change and that Archive ends.
	File    string
	Edits   []modestate.Change
	Archive bool
}

// Writes reports whether the verdict changes anything on disk.
func (v Verdict) Writes() bool { return len(v.Edits) > 0 || v.Archive }

// NotDurable is the rule that the shell names where a continuation was decided
// and could not be put on disk: what is not bounded durably is not continued.
const NotDurable = "not-durable"

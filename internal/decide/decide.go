// Package decide answers a Stop: may the turn end, or does the loop go on?
//
// Stop is a pure function of the event, the snapshot of the session directory
// and the facts. It walks one list of named rules in a fixed order (Rules); the
// first that matches decides. Its laws, each with a test of its name:
//
//  1. Allow is the default: only an active, valid state of this session, within
//     every bound, continues.
//  2. A continuation always carries a charge, so that every run of
//     continuations ends.
//  3. An unknown mode, an unreadable state and a counter of the wrong type are
//     allowed to stop.
//  4. Each way of ending is told apart by its rule and its note.
//  5. One mode decides, and its state alone is changed.
//  6. stop_hook_active and the client's cap are inputs, never by themselves a
//     reason.
//  7. Every input gives a verdict, the same input the same one.
//  8. The absence of an optional field never leads to a continuation that its
//     presence would have refused.
//
// The package reads no file and no clock; the shell prints a continuation only
// after its edits are on disk.
package decide

import (
	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
)

// stop is one Stop with everything that a rule may look at. mode and the fields
// after it describe the one mode that decides; they are empty before the rule
// "no-mode-state" has been passed. It holds pointers and is made once: a hook
// lives for milliseconds, of which each growth of its stack is a part.
type stop struct {
	event    *hook.Event
	eventErr error
	facts    *Facts

	mode  *mode
	found bool
	fault string
	view  loop.View
	// state is the state within view.
	state *modestate.State
}

// Input is a Stop as the shell hands it over. Err is why the event could not be
// read, nil when Event holds it.
type Input struct {
	Event    hook.Event
	Err      error
	Snapshot modestate.Snapshot
	Facts    Facts
}

// Needs says which facts a verdict still needs. Zero means that Stop decides
// from the input as it is: the idle way, without a lock or another read.
func Needs(in *Input) Need {
	s := prepare(in)
	var need Need
	for i := range rules {
		r := &rules[i]
		if r.needs != 0 {
			need |= r.needs
			continue
		}
		if need == 0 {
			if _, ok := r.match(s); ok {
				return 0
			}
		}
	}
	return need
}

// Stop decides. The last rule always matches, so there is a verdict for every
// input.
func Stop(in *Input) Verdict {
	s := prepare(in)
	for i := range rules {
		if v, ok := rules[i].match(s); ok {
			v.Rule = rules[i].ID
			if s.found {
				v.Mode = s.mode.name
				v.File = s.mode.file()
			}
			return v
		}
	}
	return Verdict{Rule: "no-rule"}
}

// prepare chooses the mode that decides: the first with an active state, else
// the first that ended and was not told of, else the first that is there.
func prepare(in *Input) *stop {
	s := &stop{event: &in.Event, eventErr: in.Err, facts: &in.Facts, mode: &modes[0]}
	s.state = &s.view.State
	best := 0
	for i := range modes {
		file, ok := in.Snapshot[modes[i].file()]
		if !ok {
			continue
		}
		state, fault := read(file, modes[i].name)
		if rank := rankOf(state, fault); rank > best {
			best = rank
			s.mode, s.found, s.fault = &modes[i], true, fault
			s.view = loop.NewView(*state, in.Facts.ClientCap)
		}
	}
	return s
}

func rankOf(state *modestate.State, fault string) int {
	switch {
	case fault == "" && state.Active:
		return 4
	case fault == "" && state.Outcome != "" && state.Told != toldOutcome:
		return 3
	case fault != "":
		return 2
	}
	return 1
}

// read parses the state of the mode called name.
func read(file modestate.File, name string) (*modestate.State, string) {
	if file.Fault != "" {
		return &modestate.State{}, file.Fault
	}
	state, err := modestate.Parse(file.Data)
	if err != nil {
		return &modestate.State{}, err.Error()
	}
	if state.Mode != "" && state.Mode != name {
		return &modestate.State{}, "it says that it is the state of another mode"
	}
	return &state, ""
}

// Active is the mode whose state is active in the snapshot, with its view, for
// callers that gather facts or act on the running loop.
func Active(snapshot modestate.Snapshot, clientCap int64) (name string, v loop.View, ok bool) {
	s := prepare(&Input{Snapshot: snapshot, Facts: Facts{ClientCap: clientCap}})
	if !s.found {
		return "", s.view, false
	}
	return s.mode.name, s.view, s.fault == "" && s.state.Active
}

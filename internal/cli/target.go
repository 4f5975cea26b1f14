package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"omc-hook/internal/decide"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// target is one loop: its mode, where its state lies, and what the state says.
type target struct {
	store state.Store
	loc   state.Location
	mode  string
	view  loop.View
}

// file is the path of the loop's mode state.
func (t target) file() string { return filepath.Join(t.loc.Dir, decide.StateFile(t.mode)) }

// readMode parses the state of one mode; fault says why it cannot be used.
func readMode(snapshot modestate.Snapshot, mode string) (loop.View, string) {
	file, ok := snapshot[decide.StateFile(mode)]
	if !ok {
		return loop.View{}, "there is none"
	}
	if file.Fault != "" {
		return loop.View{}, file.Fault
	}
	s, err := modestate.Parse(file.Data)
	if err != nil {
		return loop.View{}, err.Error()
	}
	return loop.NewView(s, 0), ""
}

// locate finds the session of this process: --session, else the environment's.
// Without either the location is the repository's.
func (c *call) locate() (state.Store, state.Location, error) {
	session := c.flags["session"]
	if session == "" {
		session = c.session()
	}
	store := c.store("")
	if session != "" && !modestate.ValidSession(session) {
		return store, state.Location{}, hinted{fmt.Errorf("the session id %q is not of the allowed form", oneLine(session)), "give --session=ID"}
	}
	loc, err := store.Locate(session)
	return store, loc, err
}

// loops lists the loops of one session, ended and unreadable ones left out.
func loops(store state.Store, loc state.Location) []target {
	list, _ := readLoops(store, loc)
	return list
}

// readLoops is loops for callers that must not take a state that could not be
// read for none: the error names it.
func readLoops(store state.Store, loc state.Location) ([]target, error) {
	snapshot := store.Read(loc, decide.StateFiles())
	var list []target
	var err error
	for _, mode := range decide.Modes() {
		if file := snapshot[decide.StateFile(mode)]; file.Fault != "" {
			path := filepath.Join(loc.Dir, decide.StateFile(mode))
			err = errors.Join(err, hinted{fmt.Errorf("%s cannot be used: %s", path, file.Fault), "omc-hook status explains it"})
		}
		if v, fault := readMode(snapshot, mode); fault == "" && v.Active && v.Outcome == "" {
			list = append(list, target{store: store, loc: loc, mode: mode, view: v})
		}
	}
	return list, err
}

// ownLoop is the loop of a session, or an error that says why there is none.
func ownLoop(store state.Store, loc state.Location) (target, error) {
	list, err := readLoops(store, loc)
	switch {
	case len(list) > 0:
		return list[0], nil
	case err != nil:
		return target{}, err
	}
	return target{}, noLoop(store, loc)
}

// repositoryLoops lists the active loops of every session of the repository.
func repositoryLoops(store state.Store, loc state.Location) ([]target, error) {
	sessions, err := store.Sessions(loc)
	if err != nil {
		return nil, err
	}
	var list []target
	for _, id := range sessions {
		list = append(list, loops(store, at(loc, id))...)
	}
	return list, nil
}

// at is the location of another session in the same state root.
func at(loc state.Location, session string) state.Location {
	loc.Session, loc.Dir = session, filepath.Join(loc.StateRoot, "state", "sessions", session)
	return loc
}

// find resolves the one loop that a command is about: that of --run, else that
// of the session, else the only one of the repository.
func (c *call) find() (target, error) {
	store, loc, err := c.locate()
	if err != nil {
		return target{}, err
	}
	if loc.Session != "" && c.flags["run"] == "" {
		return ownLoop(store, loc)
	}
	all, err := repositoryLoops(store, loc)
	if err != nil {
		return target{}, err
	}
	return c.pick(all, loc)
}

// pick takes the loop of --run and of no other session, or the only one.
func (c *call) pick(all []target, loc state.Location) (target, error) {
	run := c.flags["run"]
	var matching []target
	for _, t := range all {
		if run == "" || t.view.RunID == run {
			matching = append(matching, t)
		}
	}
	switch {
	case len(matching) == 0 && run != "":
		return target{}, hinted{fmt.Errorf("no active loop has the run id %q", oneLine(run)), "omc-hook history lists ended runs"}
	case len(matching) == 0:
		return target{}, hinted{errors.New("no loop is active in this repository"), "the person starts one with /goal-loop and the goal"}
	case len(matching) > 1:
		return target{}, hinted{fmt.Errorf("%d loops are active: %s", len(matching), names(matching)), "name one with --session=ID"}
	}
	t := matching[0]
	if run != "" && loc.Session != "" && t.loc.Session != loc.Session {
		return target{}, hinted{
			fmt.Errorf("run %s belongs to session %s, and this is session %s", oneLine(run), t.loc.Session, loc.Session),
			"record from the session that owns the run",
		}
	}
	return t, nil
}

func names(list []target) string {
	var out []string
	for _, t := range list {
		out = append(out, fmt.Sprintf("%s of session %s", t.mode, t.loc.Session))
	}
	return strings.Join(out, ", ")
}

// noLoop explains why a session has no loop that a command could change.
func noLoop(store state.Store, loc state.Location) error {
	snapshot := store.Read(loc, decide.StateFiles())
	for _, mode := range decide.Modes() {
		if _, there := snapshot[decide.StateFile(mode)]; !there {
			continue
		}
		v, fault := readMode(snapshot, mode)
		path := filepath.Join(loc.Dir, decide.StateFile(mode))
		switch {
		case fault != "":
			return hinted{fmt.Errorf("%s cannot be used: %s", path, fault), "omc-hook status explains it"}
		case v.Outcome != "":
			return hinted{fmt.Errorf("%s of this session has ended: %s", mode, oneLine(v.Outcome)), "the person types /" + mode + " --continue to go on"}
		}
		return fmt.Errorf("%s of this session is not active (%s)", mode, path)
	}
	return hinted{fmt.Errorf("session %s has no loop in %s", loc.Session, loc.Root), "the person starts one with /goal-loop and the goal"}
}

// change edits the loop's mode state under the lock. fn sees the state as it is
// now; the run must still be the same.
func (t target) change(c Env, fn func(v loop.View) ([]modestate.Change, error)) error {
	name := decide.StateFile(t.mode)
	return t.store.Update(t.loc, c.Now().Add(lockWait), []string{name}, func(snapshot modestate.Snapshot) (state.Edit, error) {
		v, fault := readMode(snapshot, t.mode)
		if fault != "" {
			return state.Edit{}, fmt.Errorf("%s: %s", t.file(), fault)
		}
		if v.RunID != t.view.RunID {
			return state.Edit{}, fmt.Errorf("%s is of run %s by now", t.file(), oneLine(v.RunID))
		}
		changes, err := fn(v)
		if err != nil || len(changes) == 0 {
			return state.Edit{}, err
		}
		data, err := modestate.Apply(snapshot[name].Data, changes)
		return state.Edit{Name: name, Data: data}, err
	})
}

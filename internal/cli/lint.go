package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"omc-hook/internal/decide"
	"omc-hook/internal/ledger"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// lintFault is one thing that is wrong in a file that omc-hook writes.
type lintFault struct {
	File string `json:"file"`
	ledger.Fault
}

// linter collects faults over the files of a repository.
type linter struct {
	store state.Store
	loc   state.Location
	// dirs are the state directories to look at, works the loops whose records
	// lie there.
	dirs   map[string]bool
	works  []target
	faults []lintFault
	// read counts the files that were looked at.
	read int
}

// lintCommand is `omc-hook lint`: every file that omc-hook has written in this
// repository, or the files of one session.
func lintCommand(c *call) error {
	store, loc, err := c.locate()
	if err != nil {
		return err
	}
	sessions := []string{loc.Session}
	if c.flags["session"] == "" {
		if sessions, err = store.Sessions(loc); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	l := &linter{store: store, loc: loc, dirs: map[string]bool{goal.DefaultStateDir: true}}
	for _, id := range sessions {
		l.session(at(loc, id))
	}
	l.archive()
	for dir := range l.dirs {
		l.goal(dir)
	}
	slices.SortStableFunc(l.faults, func(a, b lintFault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	if err := c.sayFaults(l); err != nil {
		return err
	}
	if len(l.faults) > 0 {
		return statusError(statusFault)
	}
	return nil
}

func (l *linter) add(file string, line int, what, repair string) {
	l.faults = append(l.faults, lintFault{file, ledger.Fault{Line: line, What: what, Repair: repair}})
}

// session looks at the mode states and the trace of one session, and notes the
// state directories that its loops name.
func (l *linter) session(loc state.Location) {
	snapshot := l.store.Read(loc, decide.StateFiles())
	for _, mode := range decide.Modes() {
		file, there := snapshot[decide.StateFile(mode)]
		if !there {
			continue
		}
		l.read++
		v, fault := readMode(snapshot, mode)
		t := target{store: l.store, loc: loc, mode: mode, view: v}
		switch {
		case file.Fault != "":
			l.add(t.file(), 1, file.Fault, "move it away; omc-hook writes a new one at the next start")
		case fault != "":
			l.unreadable(t, file.Data, fault)
		default:
			l.state(t)
		}
	}
	l.authorizations(loc.Session)
	l.approval(loc.Session)
	for _, name := range state.TraceFiles() {
		l.trace(loc, name)
	}
}

// unreadable is the fault of a mode state whose bytes cannot be obeyed.
func (l *linter) unreadable(t target, data []byte, fault string) {
	repair := "omc-hook cancel --session=" + t.loc.Session + " moves it to the archive"
	if _, err := modestate.Parse(data); errors.Is(err, modestate.ErrNewer) {
		repair = "update omc-hook to the build that wrote it"
	}
	l.add(t.file(), lineOf(data, fault), fault, repair)
}

// state looks at what a mode state says of itself.
func (l *linter) state(t target) {
	v := t.view
	fault := func(field, what, repair string) {
		l.add(t.file(), lineOf(v.Raw, `"`+field+`"`), what, repair)
	}
	if v.SessionID != t.loc.Session {
		fault("session_id", "it names another session than its directory", "move it away")
	}
	if v.Mode != t.mode {
		fault("mode", fmt.Sprintf("it is of the mode %q", oneLine(v.Mode)), "move it away")
	}
	if v.HighWater.Lease > v.Lease || v.HighWater.Lease == v.Lease && v.HighWater.Iteration > v.Iteration {
		fault("iteration", fmt.Sprintf("a counter went back: stop %d of lease %d, where stop %d of lease %d was counted",
			v.Iteration, v.Lease, v.HighWater.Iteration, v.HighWater.Lease),
			"the larger counts; the next omc-hook goal record or /goal-loop resume sets it right")
	}
	if v.StateDir != "" && v.Schema != 0 {
		l.dirs[v.StateDir] = true
		l.works = append(l.works, t)
	}
}

// lineOf is the line of the field that a fault names, else the first.
func lineOf(data []byte, fault string) int {
	_, rest, _ := strings.Cut(fault, `"`)
	field, _, found := strings.Cut(rest, `"`)
	before, _, there := strings.Cut(string(data), `"`+field+`"`)
	if !found || !there {
		return 1
	}
	return 1 + strings.Count(before, "\n")
}

// trace looks at one file of a trace.
func (l *linter) trace(loc state.Location, name string) {
	lines, err := l.store.TraceLines(loc, name)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	path := filepath.Join(loc.Dir, name)
	if err != nil {
		l.add(path, 1, err.Error(), "move it away; a new trace begins at the next stop")
		return
	}
	l.read++
	for i, line := range lines {
		var t traced
		if json.Unmarshal(bytes.TrimSpace(line), &t) != nil || t.Rule == "" || t.At.IsZero() {
			l.add(path, i+1, "the line is not one decision", "delete the line; it is left out of why")
		}
	}
}

func (l *linter) archive() {
	unreadable, err := l.store.UnreadableArchive(l.loc)
	for path, why := range unreadable {
		l.add(path, 1, why.Error(), "move it away; the history goes on without it")
	}
	list, listErr := l.store.ListArchive(l.loc)
	if err := cmp.Or(err, listErr); err != nil {
		l.add(filepath.Join(l.loc.StateRoot, "state"), 1, err.Error(), "give yourself read permission")
		return
	}
	for _, a := range list {
		l.read++
		s, err := modestate.Parse(a.Data)
		switch {
		case err != nil:
			l.add(a.Path, lineOf(a.Data, err.Error()), err.Error(), "it is only kept for history; delete it when you have looked at it")
		case a.Mode == "":
			l.add(a.Path, 1, "its name is not that of its mode and session", "it is only kept for history; delete it when you have looked at it")
		case s.StateDir != "":
			if _, err := openFolder(l.store, l.loc.Root, s.StateDir); err == nil {
				l.dirs[s.StateDir] = true
			}
		}
	}
}

func (c *call) sayFaults(l *linter) error {
	if c.json() {
		return c.writeJSON(struct {
			Read   int         `json:"files_read"`
			Faults []lintFault `json:"faults"`
		}{l.read, append([]lintFault{}, l.faults...)})
	}
	for _, f := range l.faults {
		fmt.Fprintf(c.Stdout, "%s:%d: %s; %s\n", oneLine(f.File), f.Line, oneLine(f.What), oneLine(f.Repair))
	}
	fmt.Fprintf(c.Stdout, "%s in %s\n", count(len(l.faults), "fault"), count(l.read, "file"))
	return nil
}

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
	store  state.Store
	loc    state.Location
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
	l := &linter{store: store, loc: loc}
	dirs := map[string]bool{goal.DefaultStateDir: true}
	for _, id := range sessions {
		l.session(at(loc, id), dirs)
	}
	l.archive()
	for dir := range dirs {
		l.goal(dir)
	}
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
func (l *linter) session(loc state.Location, dirs map[string]bool) {
	snapshot := l.store.Read(loc, decide.StateFiles())
	for _, mode := range decide.Modes() {
		file, there := snapshot[decide.StateFile(mode)]
		if !there {
			continue
		}
		l.read++
		path := filepath.Join(loc.Dir, decide.StateFile(mode))
		v, fault := readMode(snapshot, mode)
		switch {
		case file.Fault != "":
			l.add(path, 1, file.Fault, "move it away; omc-hook writes a new one at the next start")
		case fault != "":
			l.add(path, lineOf(file.Data, fault), fault, "omc-hook cancel --session="+loc.Session+" moves it to the archive")
		case v.SessionID != loc.Session:
			l.add(path, 1, "it names another session than its directory", "move it away")
		}
		if v.StateDir != "" {
			dirs[v.StateDir] = true
		}
	}
	l.trace(loc)
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

func (l *linter) trace(loc state.Location) {
	lines, err := l.store.TraceLines(loc)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	path := filepath.Join(loc.Dir, state.TraceFile)
	if err != nil {
		l.add(path, 1, err.Error(), "move it away; a new trace begins at the next stop")
		return
	}
	l.read++
	for i, whole := range lines {
		if !whole {
			l.add(path, i+1, "the line is not one JSON object", "delete the line; it is left out of why")
		}
	}
}

func (l *linter) archive() {
	list, err := l.store.ListArchive(l.loc)
	if err != nil {
		l.add(filepath.Join(l.loc.StateRoot, "state"), 1, err.Error(), "give yourself read permission")
		return
	}
	for _, a := range list {
		l.read++
		if _, err := modestate.Parse(a.Data); err != nil {
			l.add(a.Path, lineOf(a.Data, err.Error()), err.Error(), "it is only kept for history; delete it when you have looked at it")
		}
	}
}

// goal looks at the records of one state directory.
func (l *linter) goal(dir string) {
	folder, err := l.store.OpenFolder(l.loc.Root, dir)
	if err != nil {
		l.add(dir, 1, err.Error(), "end the run with omc-hook cancel and start with another --state-dir=PATH")
		return
	}
	files, err := readGoal(folder)
	if err != nil {
		repair := "restore the file from version control or a backup"
		var h hinted
		if errors.As(err, &h) {
			repair = h.hint
		}
		l.add(folder.Path, 1, err.Error(), repair)
		return
	}
	if !files.exists {
		return
	}
	l.read += 2
	for name, list := range map[string][]ledger.Fault{goal.GoalFile: files.goals.Faults, goal.WorklogFile: files.worklog.Faults} {
		for _, f := range list {
			l.faults = append(l.faults, lintFault{filepath.Join(folder.Path, name), f})
		}
	}
	for _, f := range files.foldFaults {
		l.faults = append(l.faults, lintFault{filepath.Join(folder.Path, goal.WorklogFile), f})
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

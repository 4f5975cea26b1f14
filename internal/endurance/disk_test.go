package endurance

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"omc-hook/internal/disk"
	"omc-hook/internal/ledger"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// stateFile is the mode state of a goal-loop.
const stateFile = "goal-loop-state.json"

// mode is the mode state of a session; it need not be there.
func (w *world) mode(session string) (modestate.State, bool) {
	w.Helper()
	data := w.read(filepath.Join(w.sessionDir(session), stateFile))
	if data == nil {
		return modestate.State{}, false
	}
	s, err := modestate.Parse(data)
	if err != nil {
		w.Fatalf("the mode state of %s is torn: %v\n%s", session, err, data)
	}
	return s, true
}

// active is the mode state of a session whose loop runs.
func (w *world) active(session string) modestate.State {
	w.Helper()
	s, there := w.mode(session)
	if !there || !s.Active || s.Outcome != "" {
		w.Fatalf("session %s has no active loop: %+v", session, s)
	}
	return s
}

// read is the content of a file, nil when it is not there.
func (w *world) read(path string) []byte {
	w.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Fatal(err)
	}
	return data
}

// work is what the records of one state directory tell.
type work struct {
	goal.Run
	goals, worklog ledger.File
	faults         []ledger.Fault
}

func (w *world) work(dir string) work {
	w.Helper()
	var found work
	for name, file := range map[string]*ledger.File{goal.GoalFile: &found.goals, goal.WorklogFile: &found.worklog} {
		parsed, err := ledger.Parse(w.read(filepath.Join(w.root, dir, name)))
		if err != nil {
			w.Fatalf("%s of %s: %v", name, dir, err)
		}
		*file = parsed
		found.faults = append(found.faults, parsed.Faults...)
	}
	run, faults := goal.Fold(found.goals, found.worklog)
	found.Run, found.faults = run, append(found.faults, faults...)
	return found
}

// kinds are the kinds of the worklog's records in their order.
func (f work) kinds() []string {
	var kinds []string
	for _, r := range f.worklog.Records {
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

// rounds counts the recorded rounds of the run by what they had planned.
func (f work) rounds() map[string]int {
	found := map[string]int{}
	for _, r := range f.worklog.Records {
		var it goal.Iteration
		if r.Kind == "iteration" && json.Unmarshal(r.Body, &it) == nil {
			found[it.Entry.Planned]++
		}
	}
	return found
}

// half reports whether the only fault is a half last record, which was never
// acknowledged and which the next command moves aside.
func (f work) half() bool {
	torn := 0
	for _, file := range []ledger.File{f.goals, f.worklog} {
		if file.Torn {
			torn++
		}
	}
	return len(f.faults) == torn
}

// sound checks every file of the repository and of the home: whole JSON, whole
// records but for a half last one, and at most strays temporary files.
func (w *world) sound(strays int) {
	w.Helper()
	dirs := map[string]bool{}
	for _, path := range w.files() {
		name := filepath.Base(path)
		switch {
		case strings.HasPrefix(name, disk.TempPrefix):
			strays--
		case strings.HasSuffix(name, ".json"):
			if data := w.read(path); !json.Valid(data) {
				w.Errorf("%s is torn: %q", path, data)
			}
		case name == goal.GoalFile, name == goal.WorklogFile:
			dirs[filepath.Dir(path)] = true
		}
	}
	for dir := range dirs {
		if w.pending(dir) {
			continue
		}
		rel, err := filepath.Rel(w.root, dir)
		if err != nil {
			w.Fatal(err)
		}
		if found := w.work(rel); !found.half() {
			w.Errorf("%s: %v", dir, found.faults)
		}
	}
	if strays < 0 {
		w.Errorf("%d temporary files too many", -strays)
	}
}

// pending reports whether a killed process has left a set of files half made;
// its intent record is there until all of them are whole.
func (w *world) pending(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.Fatal(err)
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, ".omc-hook-") && !strings.HasPrefix(name, disk.TempPrefix) {
			return true
		}
	}
	return false
}

// files lists every regular file of the repository and of the home.
func (w *world) files() []string {
	w.Helper()
	var list []string
	for _, top := range []string{w.root, w.home} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				list = append(list, path)
			}
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	return list
}

// archived counts the ended loops of the repository.
func (w *world) archived() int {
	w.Helper()
	store := state.Store{Place: state.Place{ProjectDir: w.root, PersonDir: filepath.Join(w.home, ".local", "state", "omc-hook")}}
	loc, err := store.Locate(owner)
	if err != nil {
		w.Fatal(err)
	}
	list, err := store.ListArchive(loc)
	if err != nil {
		w.Fatal(err)
	}
	return len(list)
}

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/disk"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/state"
)

// began is a start of some kind, with what stood before it.
type began struct {
	name string
	// before are the commands of the person and the records of the model that lead
	// up to it; args is what is typed then.
	before  func(i *inside)
	args    string
	segment int64
	goals   int
	goal    string
}

// starts are every way to begin or go on with a run.
func starts() []began {
	stopped := func(i *inside) {
		i.start(s1, "--max-iterations=4 the goal")
		i.wantOK(i.expand(s1, "stop"))
	}
	success := func(i *inside) {
		i.start(s1, "--max-iterations=4 the goal")
		i.wantOK(i.command(s1, `{"planned":"all","verification":[{"command":"make","exit":0}],"review":[{"reviewer":"self","findings":"none"}],`+
			`"criteria":[{"criterion":"made","evidence":"it is there"}],"decision":"SUCCESS"}`, "goal", "record", "--stdin"))
	}
	budget := func(i *inside) {
		i.start(s1, "--max-iterations=1 the goal")
		i.wantOK(i.command(s1, `{"planned":"some","next":"more"}`, "goal", "record", "--stdin"))
	}
	lost := func(i *inside) {
		i.start(s1, "the goal")
		if err := os.Remove(i.state(s1)); err != nil {
			i.Fatal(err)
		}
	}
	return []began{
		{"the first start", func(*inside) {}, "the goal", 1, 1, "the goal"},
		{"after CANCELLED", stopped, "--continue", 2, 1, "the goal"},
		{"after CANCELLED, with a new goal", stopped, "--continue --failure-limit=9 another goal", 2, 2, "another goal"},
		{"after SUCCESS, with a new goal", success, "--continue another goal", 2, 2, "another goal"},
		{"after BUDGET, with more rounds", budget, "--continue --max-iterations=9", 2, 1, "the goal"},
		{"a run that has not ended and whose state is gone", lost, "", 1, 1, "the goal"},
		{"the same with a further goal", lost, "another goal", 1, 2, "another goal"},
	}
}

func (i *inside) wantOK(a answer) {
	i.Helper()
	if a.status != 0 || a.stderr != "" {
		i.Fatalf("status %d, %s%s", a.status, a.stdout, a.stderr)
	}
}

// A start that is killed at any step is finished by the same command: nothing
// that was on record is changed, nothing is recorded twice, one run is active.
func TestAStartThatIsKilledAtAnyStepIsFinishedByTheSameCommand(t *testing.T) {
	withoutPrograms(t)
	for _, b := range starts() {
		t.Run(b.name, func(t *testing.T) {
			f := newField(t)
			i := insideOf(f)
			clock := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
			i.now = func() time.Time { clock = clock.Add(time.Second); return clock }
			b.before(i)
			kept := filepath.Join(t.TempDir(), "kept")
			f.copyTree(f.root, kept)
			for n := 1; ; n++ {
				seen := i.killed(n, b.args)
				i.disk = disk.Real()
				if a := i.expand(s1, b.args); seen >= n && !strings.Contains(a.note, "goal-loop started") && !i.isActive() {
					t.Fatalf("killed at step %d of %d, the same command answers %s", n, seen, a.stdout)
				}
				i.wantFinished(b, kept, n)
				if seen < n || t.Failed() {
					break
				}
				f.restoreTree(kept, f.root)
			}
		})
	}
}

// killed runs the command and has its n-th change of the disk, and everything
// after it, fail. It returns how many changes there were.
func (i *inside) killed(n int, args string) int {
	seen := 0
	i.disk = disk.Faulty(disk.Real(), func(op, _ string) error {
		switch op {
		case disk.OpCreate, disk.OpWrite, disk.OpRename, disk.OpMkdir, disk.OpRemove, disk.OpTruncate:
			seen++
		}
		if seen >= n {
			return io.ErrShortWrite
		}
		return nil
	})
	_ = i.expand(s1, args)
	return seen
}

func (i *inside) isActive() bool {
	store := i.seenFrom()
	loc, err := store.Locate(s1)
	return err == nil && len(loops(store, loc)) == 1
}

func (i *inside) seenFrom() state.Store {
	return state.Store{Place: state.Place{ProjectDir: i.root, Cwd: i.root, Home: i.home}, Disk: disk.Real(), Now: i.now}
}

func (i *inside) wantFinished(b began, kept string, n int) {
	i.Helper()
	store := i.seenFrom()
	loc, err := store.Locate(s1)
	if err != nil {
		i.Fatal(err)
	}
	folder, err := store.OpenFolder(loc.Root, goal.DefaultStateDir)
	if err != nil {
		i.Fatal(err)
	}
	files, err := readGoal(folder)
	if err != nil {
		i.Fatalf("step %d: %v", n, err)
	}
	run := files.run
	if run.Segment != b.segment || run.Outcome != "" || run.Goal != b.goal || len(files.goals.Records) != b.goals || len(files.faults) > 0 {
		i.Errorf("step %d: segment %d, outcome %q, goal %q in %d records, faults %v", n, run.Segment, run.Outcome, run.Goal, len(files.goals.Records), files.faults)
	}
	v, fault := readMode(store.Read(loc, decide.StateFiles()), goal.Mode)
	if fault != "" || !v.Active || v.RunID != run.Owner.RunID || v.Ledger.Head != files.worklog.Head() {
		i.Errorf("step %d: the mode state: %s, run %s of %s, head %.8s of %.8s", n, fault, v.RunID, run.Owner.RunID, v.Ledger.Head, files.worklog.Head())
	}
	for _, name := range []string{goal.GoalFile, goal.WorklogFile} {
		was, err := os.ReadFile(filepath.Join(kept, goal.DefaultStateDir, name))
		now, nowErr := os.ReadFile(filepath.Join(i.root, goal.DefaultStateDir, name))
		if nowErr != nil || err == nil && !bytes.HasPrefix(now, was) {
			i.Errorf("step %d: what stood in %s is not kept (%v)", n, name, nowErr)
		}
	}
}

func (f *field) copyTree(from, to string) {
	f.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		f.Fatal(err)
	}
}

func (f *field) restoreTree(from, to string) {
	f.Helper()
	if err := os.RemoveAll(to); err != nil {
		f.Fatal(err)
	}
	f.copyTree(from, to)
}

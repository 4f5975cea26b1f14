package endurance

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"omc-hook/internal/disk"
)

// step is an operation on a file, by its base name or the beginning of it.
type step struct{ op, base string }

// goneAfter is the hook of a disk that is gone once the steps have come in this
// order; the last one is the first that fails.
func goneAfter(steps ...step) func(op, path string) error {
	return func(op, path string) error {
		if len(steps) > 0 && op == steps[0].op && strings.HasPrefix(filepath.Base(path), steps[0].base) {
			steps = steps[1:]
		}
		if len(steps) == 0 {
			return syscall.EIO
		}
		return nil
	}
}

// interrupted runs a request on a disk that goes away.
func (w *world) interrupted(r request, steps ...step) answer {
	w.Helper()
	return w.on(disk.Faulty(disk.Real(), goneAfter(steps...)), time.Now(), r)
}

func TestWhatAKillLeftIsRepaired(t *testing.T) {
	moved := step{disk.OpRename, stateFile}
	tests := []struct {
		name string
		run  func(w *world)
	}{
		{"a finish that was killed before the mode state followed is finished by the same command", func(w *world) {
			w.interrupted(w.finish(owner), moved)
			w.active(owner)
			w.must(w.finish(owner))
			wantEnded(w)
		}},
		{"a finish that was killed before the mode state followed is finished by a record, which is refused", func(w *world) {
			w.interrupted(w.finish(owner), moved)
			if a := w.here(w.record(owner, "one more")); a.status != 1 || !strings.Contains(a.stderr, "the run ended with ERROR") {
				w.Errorf("record: %s", a)
			}
			wantEnded(w)
		}},
		{"an end whose closing was not recorded is closed by the next start", func(w *world) {
			w.interrupted(w.finish(owner), moved, step{disk.OpOpen, "GOAL-WORKLOG.md"})
			w.must(w.typed(owner, "--continue"))
			wantKinds(w, "segment preflight iteration terminal closed segment preflight")
		}},
		{"a cancellation that met a busy worklog is recorded by the next start, also after a Stop told of it", func(w *world) {
			unlock, err := disk.Real().Lock(filepath.Join(w.root, ".goal-loop", "omc-hook.lock"), time.Now(), time.Second)
			if err != nil {
				w.Fatal(err)
			}
			w.must(w.command(owner, nil, "cancel"))
			w.must(w.stop(owner, "the last answer"))
			if err := unlock(); err != nil {
				w.Fatal(err)
			}
			if a := w.here(w.typed(owner, "something else")); !strings.Contains(a.document().Reason, "ended with CANCELLED") {
				w.Errorf("start: %s", a)
			}
			wantKinds(w, "segment preflight iteration terminal closed")
		}},
		{"an extension that was broken off is made once by the same command", func(w *world) {
			w.interrupted(w.typed(owner, "extend 5"), moved)
			w.must(w.typed(owner, "extend 5"))
			wantPlan(w, plan+5)
		}},
		{"an extension that was broken off is taken over by the next record", func(w *world) {
			w.interrupted(w.typed(owner, "extend 5"), moved)
			w.must(w.record(owner, "the second round"))
			wantPlan(w, plan+5)
		}},
		{"an adoption that was killed before its answer answers the same command", func(w *world) {
			r := w.command(other, nil, "adopt", "--from="+owner)
			w.interrupted(r, moved, moved, step{disk.OpOpen, stateFile})
			w.active(other)
			w.must(r)
		}},
		{"an ended state that could not be archived is archived by the next Stop", func(w *world) {
			w.must(w.finish(owner))
			if a := w.interrupted(w.stop(owner, "the last answer"), step{disk.OpMkdir, "omc-hook-archive"}); !strings.Contains(a.stdout, "goal-loop ended: ERROR") {
				w.Errorf("stop: %s", a)
			}
			if a := w.here(w.stop(owner, "another answer")); a.stdout != "" {
				w.Errorf("the next stop: %s", a)
			}
			if _, there := w.mode(owner); there || w.archived() != 1 {
				w.Errorf("the state is there: %v, %d in the archive", there, w.archived())
			}
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			claimed(w)
			tc.run(w)
			w.sound(1)
		})
	}
}

// wantEnded wants the run to have ended once, on record and in the mode state.
func wantEnded(w *world) {
	w.Helper()
	if s, _ := w.mode(owner); s.Active || s.Outcome != "ERROR" {
		w.Errorf("active %v, outcome %q", s.Active, s.Outcome)
	}
	wantKinds(w, "segment preflight iteration terminal closed")
}

func wantKinds(w *world, want string) {
	w.Helper()
	if got := strings.Join(w.work(".goal-loop").kinds(), " "); got != want {
		w.Errorf("records %q, want %q", got, want)
	}
}

func wantPlan(w *world, want int64) {
	w.Helper()
	if s, limit := w.active(owner), w.work(".goal-loop").Limits.MaxIterations; s.Planned != want || limit != want {
		w.Errorf("planned %d, on record %d, want %d", s.Planned, limit, want)
	}
}

// Records that say something else alone, such as a last round without the end of
// the run, are there together or not at all.
func TestRecordsThatBelongTogetherAreWrittenTogether(t *testing.T) {
	for _, v := range verbs() {
		if v.name != "a record that ends" && v.name != "a start that reopens" {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			s := newScene(newWorldInMemory(t), v)
			for n, op := range s.operations {
				if op != disk.OpWrite && op != disk.OpRename {
					continue
				}
				s.restore(s.files)
				f := fault{n: n + 1, dead: true, err: io.ErrShortWrite}
				s.on(disk.Faulty(disk.Real(), f.hook), s.now, s.ask(s.world))
				kinds := s.facts().kinds
				added := kinds[min(len(s.before.kinds), len(kinds)):]
				if slices.Contains(added, "iteration") != slices.Contains(added, "terminal") || slices.Contains(added, "segment") != slices.Contains(added, "preflight") {
					t.Errorf("operation %d wrote a half, later ones nothing, and these records are there: %v", f.n, added)
				}
			}
		})
	}
}

func TestACancelThatCannotReadTheStateSaysSo(t *testing.T) {
	w := newWorld(t)
	begun(w)
	failed := false
	once := func(op, path string) error {
		if op == disk.OpOpen && filepath.Base(path) == stateFile && !failed {
			failed = true
			return syscall.EIO
		}
		return nil
	}
	a := w.on(disk.Faulty(disk.Real(), once), time.Now(), w.command(owner, nil, "cancel"))
	if a.status != 1 || !strings.Contains(a.stderr, filepath.Join(w.sessionDir(owner), stateFile)) {
		t.Errorf("got %s, want status 1 and the file", a)
	}
	w.active(owner)
}

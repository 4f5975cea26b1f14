//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/sjson"

	"omc-hook/internal/disk"
)

// TestAHeldLockHoldsNoHookUp has another process on the session's lock for longer
// than any deadline: each verb lets go in time, the log says why (on a machine
// that is busy, that the deadline passed), and not one counter moves.
func TestAHeldLockHoldsNoHookUp(t *testing.T) {
	says := map[string]string{"stop": "is locked by another process", "user-prompt": "deadline passed", "stop-failure": "deadline passed"}
	var all sync.WaitGroup
	for _, verb := range hookVerbNames {
		f := newField(t)
		f.live()
		if verb == "user-prompt" {
			f.live("paused", map[string]string{"cause": "lease"})
		}
		before := f.read(f.state(s1))
		release := f.held(filepath.Join(f.dir(s1), "omc-hook.lock"))
		all.Go(func() {
			defer release()
			r, w, err := os.Pipe()
			if err != nil {
				f.Error(err)
				return
			}
			s := f.begin(r, f.binary, verb)
			f.feed(w, newEvent(verb, s1, f.root).bytes())
			a := s.end()
			_, _ = r.Close(), w.Close()
			log := f.read(f.personLog())
			switch late := strings.Contains(log, "deadline passed"); {
			case late:
				f.wantQuiet(a)
			case verb == "stop":
				f.wantNote(a, "could not be put on disk")
			}
			if got := f.read(f.state(s1)); got != before {
				f.Errorf("%s: the state changed to %s", verb, got)
			}
			if !strings.Contains(log, says[verb]) && !strings.Contains(log, "deadline passed") {
				f.Errorf("%s: the log says %q, want %q", verb, log, says[verb])
			}
		})
	}
	all.Wait()
}

// TestAHeldWorkflowHoldsNoStopUp: a long record or a command that runs holds the
// goal's own lock, which no Stop and no cancel waits for.
func TestAHeldWorkflowHoldsNoStopUp(t *testing.T) {
	withoutPrograms(t)
	f := insideOf(newField(t))
	f.start(s1, "make")
	defer f.held(filepath.Join(f.root, ".goal-loop", "omc-hook.lock"))()
	f.wantBlock(f.stop(f.in()))
	if a := f.command(s1, "", "status"); a.status != 0 {
		t.Errorf("status: %d %q", a.status, a.stderr)
	}
	if a := f.command(s1, "", "cancel"); a.status != 0 || !strings.Contains(a.stdout, "1 loop ended") {
		t.Errorf("cancel: status %d, %q %q", a.status, a.stdout, a.stderr)
	}
	f.wantNote(f.stop(f.in("last_assistant_message", "b")), "CANCELLED")
}

// interruption is what happens to the state between the hook's read and its
// write.
type interruption struct {
	name string
	do   func(f *inside)
	// ends says that the loop must be over afterwards, whatever the Stop said.
	ends bool
}

func interruptions() []interruption {
	rewrite := func(f *inside, field string, value any) {
		data, err := sjson.Set(f.read(f.field.state(s1)), field, value)
		if err != nil {
			f.Fatal(err)
		}
		f.write(f.field.state(s1), data)
	}
	return []interruption{
		{"the loop is cancelled", func(f *inside) {
			if a := f.command(s1, "", "cancel"); a.status != 0 {
				f.Errorf("cancel: %s", a.stderr)
			}
		}, true},
		{"the person stops it", func(f *inside) { f.expand(s1, "stop") }, true},
		{"the file is removed", func(f *inside) { _ = os.Remove(f.field.state(s1)) }, true},
		{"the directory is removed", func(f *inside) { _ = os.RemoveAll(f.dir(s1)) }, true},
		{"active becomes false", func(f *inside) { rewrite(f, "active", false) }, true},
		{"the person pauses it", func(f *inside) { f.expand(s1, "pause") }, false},
		{"the counter is moved", func(f *inside) { rewrite(f, "iteration", 6) }, false},
		{"the file is torn", func(f *inside) { f.write(f.field.state(s1), `{"active":tr`) }, true},
	}
}

// TestAStopInFlightBringsNoLoopBack is case 2: the Stop has read the state and is
// about to take the lock when somebody ends the loop. It never writes an active
// state back, and every later Stop is let go.
func TestAStopInFlightBringsNoLoopBack(t *testing.T) {
	const rounds = 4
	withoutPrograms(t)
	for _, in := range interruptions() {
		t.Run("case 2: "+in.name, func(t *testing.T) {
			for range rounds {
				f := insideOf(newField(t))
				f.start(s1, "make")
				other := insideOf(f.field)
				var once atomic.Bool
				f.disk = disk.Faulty(disk.Real(), func(op, path string) error {
					if op == disk.OpLock && once.CompareAndSwap(false, true) {
						in.do(other)
					}
					return nil
				})
				f.stop(f.in())
				if !once.Load() {
					t.Fatal("the Stop took no lock")
				}
				f.disk = disk.Real()
				if !in.ends {
					continue
				}
				if f.over(); t.Failed() {
					return
				}
			}
		})
	}
}

// over wants every later Stop to be let go, and no active state to come back.
func (f *inside) over() {
	f.Helper()
	for n := range 20 {
		f.wantAllow(f.stop(f.in("last_assistant_message", strings.Repeat("x", n), "prompt_id", "p2")))
	}
	if strings.Contains(strings.ReplaceAll(f.read(f.field.state(s1)), " ", ""), `"active":true`) {
		f.Errorf("the state is active again: %s", f.read(f.field.state(s1)))
	}
}

// TestAFileThatGoesAtAnyMomentIsNotMadeAgain is the rest of case 2 and case 96:
// the state, or all of it, is removed at every single operation of the Stop. Only
// between the hook's last look and its rename can nobody tell.
func TestAFileThatGoesAtAnyMomentIsNotMadeAgain(t *testing.T) {
	withoutPrograms(t)
	for _, whole := range []bool{false, true} {
		for n := int64(1); !t.Failed(); n++ {
			f := insideOf(newField(t))
			f.live()
			gone := f.field.state(s1)
			if whole {
				gone = filepath.Join(f.root, ".omc")
			}
			var ops atomic.Int64
			var since []string
			f.disk = disk.Faulty(disk.Real(), func(op, _ string) error {
				now := ops.Add(1)
				if now >= n {
					since = append(since, op)
				}
				if now == n {
					return os.RemoveAll(gone)
				}
				return nil
			})
			f.stop(f.in())
			if len(since) == 0 {
				break
			}
			// The last look holds the file open when its size is asked for.
			unseen := since[0] == disk.OpRename || len(since) > 1 && since[0] == disk.OpStat && since[1] == disk.OpRename
			if exists(gone) && !unseen {
				t.Errorf("removed at operation %d (%s), and there again", n, since[0])
			}
		}
	}
}

// TestATerminatedHookLeavesNothingHalfWritten is cases 59 and 105: SIGTERM and its
// like at any moment end a hook without status 2, and what it wrote is whole.
func TestATerminatedHookLeavesNothingHalfWritten(t *testing.T) {
	f := newField(t)
	for round := range 40 {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL} {
			f.live("iteration", 0)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			s := f.begin(r, f.binary, "stop")
			f.feed(w, f.in("last_assistant_message", strings.Repeat("y", round)).bytes())
			for wait := time.Now().Add(time.Duration(round) * 200 * time.Microsecond); time.Now().Before(wait); {
				continue
			}
			_ = s.cmd.Process.Signal(signal)
			_ = s.cmd.Wait()
			s.killed.Stop()
			_, _ = r.Close(), w.Close()
			if got := s.cmd.ProcessState.ExitCode(); got == 2 {
				t.Errorf("%s: status 2", signal)
			}
			f.wholeState(s1)
			if n := f.iteration(); n > 1 {
				t.Errorf("%s: %d counted for one Stop", signal, n)
			}
		}
	}
	f.live("iteration", 0)
	f.wantBlock(f.stop(f.in()))
}

package endurance

import (
	"bytes"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"omc-hook/internal/cli"
	"omc-hook/internal/disk"
)

// turnVerbs are the events on whose answer a turn waits.
func turnVerbs() []verb {
	var list []verb
	for _, v := range hookVerbs() {
		if v.name != "a session start" {
			list = append(list, v)
		}
	}
	return list
}

// TestASlowDiskHoldsNoHookBeyondItsDeadline lets each operation of a hook, and
// every later one, wait until the hook has been ended. The clock is not looked
// at: a hook that does not end by itself leaves the test hanging.
func TestASlowDiskHoldsNoHookBeyondItsDeadline(t *testing.T) {
	for _, v := range turnVerbs() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(newWorldInMemory(t), v)
			for n := 1; n <= len(s.operations); n++ {
				s.restore(s.files)
				s.slow(n, false)
				s.sound(1)
				s.kept(s.facts())
				if t.Failed() {
					t.Fatalf("operation %d of %d", n, len(s.operations))
				}
			}
		})
	}
}

func TestALogOnASlowDiskHoldsNoHookBeyondItsDeadline(t *testing.T) {
	for _, v := range turnVerbs() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			count := len(newScene(newWorldInMemory(t), v).operations)
			for _, n := range []int{1, count / 2, count} {
				newScene(newWorldInMemory(t), v).slow(n, true)
			}
		})
	}
}

// left is the time that a hook still has when it starts here, so that a test
// does not take a whole deadline at each operation: it has used the rest.
const left = 100 * time.Millisecond

// slow runs the verb on a disk that does not come back from the n-th operation,
// with log from that of the log neither, until the process has been ended. The
// hook then has answered nothing.
func (s *scene) slow(n int, log bool) {
	s.Helper()
	const soft = 1500 * time.Millisecond
	ended := make(chan struct{})
	end := sync.OnceFunc(func() { close(ended) })
	d := disk.Faulty(disk.Real(), s.waiter(n, log, ended))
	r := s.ask(s.world)
	env := s.environ(r)
	var out bytes.Buffer
	status := cli.Main(r.args, cli.Env{
		Version: "test", GOOS: runtime.GOOS, Stdin: bytes.NewReader(r.stdin), Stdout: &out, Stderr: &out,
		Getenv: func(name string) string { return env[name] }, Getwd: func() (string, error) { return s.root, nil },
		Now: func() time.Time { return s.now }, Started: time.Now().Add(left - soft), Disk: d,
		Exit: func(int) { end() },
	})
	if status != 0 || out.Len() > 0 {
		s.Errorf("status %d and answer %q of a hook that has ended, want 0 and nothing", status, out.String())
	}
}

// waiter is the hook of a disk on which everything from the n-th operation on
// waits for ended. The log is such a thing only where it is asked for.
func (s *scene) waiter(n int, log bool, ended <-chan struct{}) func(op, path string) error {
	person := filepath.Join(s.home, ".local", "state", "omc-hook")
	var mu sync.Mutex
	seen := 0
	return func(_, path string) error {
		if !log && (path == person || path == filepath.Join(person, "log")) {
			return nil
		}
		mu.Lock()
		seen++
		waits := seen >= n
		mu.Unlock()
		if waits {
			<-ended
		}
		return nil
	}
}

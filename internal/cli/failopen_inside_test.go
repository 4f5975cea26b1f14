package cli

import (
	"bytes"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"omc-hook/internal/disk"
)

// held takes the lock on a file as another process would hold it, until the
// returned function is called.
func (f *field) held(path string) func() {
	f.Helper()
	f.mkdir(filepath.Dir(path))
	lock := flock.New(path)
	if got, err := lock.TryLock(); err != nil || !got {
		f.Fatalf("lock %s: %v, %v", path, got, err)
	}
	return func() { _ = lock.Unlock() }
}

// inside runs hook verbs and commands in this process, which is far cheaper than
// starting one, on the real disk. A hook that its deadline would have ended, and
// a command that panics, fails the test.
type inside struct {
	*field
	disk disk.Disk
	now  func() time.Time
}

// patience is what a hook in this process is given beyond its deadline, so that a
// busy machine ends none that does not hang. No two events count as one then.
const patience = time.Minute

// insideOf is the shipped behaviour without a process; git is not found.
func insideOf(f *field) *inside { return &inside{field: f, disk: disk.Real(), now: time.Now} }

// withoutPrograms keeps the tests of this process from finding git.
func withoutPrograms(t *testing.T) { t.Setenv("PATH", t.TempDir()) }

// run runs args with the environment of a hook, or of the model's shell of a
// session.
func (i *inside) run(stdin []byte, vars map[string]string, args ...string) answer {
	i.Helper()
	var out, errs bytes.Buffer
	var in io.Reader = bytes.NewReader(stdin)
	status := Main(args, Env{
		Version: "test", GOOS: runtime.GOOS, Stdin: in, Stdout: &out, Stderr: &errs,
		Getenv: func(name string) string { return vars[name] }, Getwd: func() (string, error) { return i.root, nil },
		Now: i.now, Started: time.Now().Add(patience), Disk: i.disk,
		Exit: func(int) { i.Errorf("omc-hook %s: the deadline passed", strings.Join(args, " ")) },
	})
	return answer{status: status, stdout: out.String(), stderr: errs.String()}
}

func (i *inside) hook(verb string, data []byte) answer {
	i.Helper()
	a := i.run(data, map[string]string{"HOME": i.home, "USERPROFILE": i.home, "CLAUDE_PROJECT_DIR": i.root}, verb)
	i.formed(&a)
	return a
}

func (i *inside) stop(e event) answer { i.Helper(); return i.hook("stop", e.bytes()) }

func (i *inside) expand(session, args string) answer {
	i.Helper()
	return i.hook("expand", newEvent("expand", session, i.root).with("command_args", args).bytes())
}

func (i *inside) start(session, args string) {
	i.Helper()
	if a := i.expand(session, args); !strings.Contains(a.note, "goal-loop started") {
		i.Fatalf("start: %s%s", a.stdout, a.stderr)
	}
}

func (i *inside) command(session, stdin string, args ...string) answer {
	i.Helper()
	a := i.run([]byte(stdin), map[string]string{"HOME": i.home, "USERPROFILE": i.home, "CLAUDE_CODE_SESSION_ID": session}, args...)
	if a.status != 0 && a.status != 1 && a.status != 3 {
		i.Errorf("omc-hook %s: status %d, want 0, 1 or 3", strings.Join(args, " "), a.status)
	}
	return a
}

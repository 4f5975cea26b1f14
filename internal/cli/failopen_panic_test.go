package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"omc-hook/internal/disk"
	"omc-hook/internal/modestate"
)

// panicker stands in front of everything that a run takes from the world, and
// panics at the n-th time that one seam of it is used; at 0 it only counts.
type panicker struct {
	seam  string
	n     int
	every bool

	mu    sync.Mutex
	count map[string]int
}

// at counts one use of a seam.
func (p *panicker) at(seam string) {
	p.mu.Lock()
	p.count[seam]++
	now := p.count[seam]
	p.mu.Unlock()
	if seam == p.seam && (now == p.n || p.every && now > p.n) {
		if now%2 == 0 {
			panic(errors.New("an error as a panic"))
		}
		var none []int
		none[now] = 1
	}
}

// used is how often the seam was used.
func (p *panicker) used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[p.seam]
}

type panickingReader struct {
	p *panicker
	r io.Reader
}

func (r panickingReader) Read(b []byte) (int, error) { r.p.at("stdin"); return r.r.Read(b) }

type panickingWriter struct {
	p *panicker
	w io.Writer
}

func (w panickingWriter) Write(b []byte) (int, error) { w.p.at("stdout"); return w.w.Write(b) }

// seams are the ways in which the world can fail a run in this process.
var seams = []string{"now", "getenv", "getwd", "disk", "stdin", "stdout"}

// env is the Env of a hook of f with the panicker in front.
func (p *panicker) env(f *field, stdin io.Reader, stdout io.Writer) Env {
	p.count = map[string]int{}
	vars := map[string]string{"HOME": f.home, "CLAUDE_PROJECT_DIR": f.root, "PATH": os.Getenv("PATH")}
	return Env{
		Version: "test", GOOS: "linux", Stdin: panickingReader{p, stdin}, Stdout: panickingWriter{p, stdout}, Stderr: io.Discard,
		Getenv:  func(name string) string { p.at("getenv"); return vars[name] },
		Getwd:   func() (string, error) { p.at("getwd"); return f.root, nil },
		Now:     func() time.Time { p.at("now"); return time.Now() },
		Started: time.Now(),
		Disk:    disk.Faulty(disk.Real(), func(string, string) error { p.at("disk"); return nil }),
		Exit:    func(int) {},
	}
}

// personLog is the log in which a hook says what it cannot say elsewhere.
func (f *field) personLog() string {
	return filepath.Join(f.home, ".local", "state", "omc-hook", "log")
}

// wholeState wants the mode state of a session to be absent or whole.
func (f *field) wholeState(session string) {
	f.Helper()
	data := f.read(f.state(session))
	if _, err := modestate.Parse([]byte(data)); data != "" && err != nil {
		f.Errorf("the state is torn: %v\n%s", err, data)
	}
}

// TestAPanicAnywhereLetsTheTurnEnd is case 9: a panic at every single use of the
// clock, the environment, the disk and the streams, in the middle of the work and
// in what is deferred, ends in status 0 and one document or nothing.
func TestAPanicAnywhereLetsTheTurnEnd(t *testing.T) {
	withoutPrograms(t)
	for _, verb := range hookVerbNames {
		for _, seam := range seams {
			t.Run(verb+" by "+seam, func(t *testing.T) {
				f := newField(t)
				for n := 1; ; n++ {
					p := &panicker{seam: seam, n: n}
					panicOnce(f, p, verb, n)
					if p.used() < n || t.Failed() {
						break
					}
				}
			})
		}
	}
}

// event is an event of the verb in which the seam is used: the working directory
// is asked for where the event names none.
func (p *panicker) event(verb, session string, f *field) event {
	e := newEvent(verb, session, f.root)
	if p.seam == "getwd" {
		delete(e, "cwd")
	}
	return e
}

// panicOnce runs one hook whose n-th use of the seam panics.
func panicOnce(f *field, p *panicker, verb string, n int) {
	f.Helper()
	session := s1
	e := p.event(verb, session, f)
	if verb == "expand" {
		// A start makes everything anew, each time in a directory of its own.
		session = fmt.Sprintf("s-%s-%d", p.seam, n)
		e = p.event(verb, session, f).with("command_args", fmt.Sprintf("--state-dir=.g/%s-%d make", p.seam, n))
	} else {
		f.live()
	}
	var out bytes.Buffer
	status := Main([]string{verb}, p.env(f, bytes.NewReader(e.bytes()), &out))
	a := answer{status: status, stdout: out.String()}
	f.formed(&a)
	if p.used() >= n && p.seam != "stdout" && verb == "stop" {
		f.wantQuiet(a)
	}
	f.wholeState(session)
}

// TestAPanicIsInTheLog holds that a panic is never without a trace where the log
// can be written.
func TestAPanicIsInTheLog(t *testing.T) {
	for _, verb := range hookVerbNames {
		f := newField(t)
		f.live()
		p := &panicker{seam: "stdin", n: 1}
		if status := Main([]string{verb}, p.env(f, strings.NewReader(""), io.Discard)); status != 0 {
			t.Errorf("%s: status %d", verb, status)
		}
		if got := f.read(f.personLog()); !strings.Contains(got, " "+verb+" session= panic: ") {
			t.Errorf("%s: the log says %q", verb, got)
		}
	}
}

// TestAWorldThatAlwaysPanicsLetsTheTurnEnd has nothing left to write a log with.
func TestAWorldThatAlwaysPanicsLetsTheTurnEnd(t *testing.T) {
	for _, verb := range hookVerbNames {
		for _, seam := range seams {
			f := newField(t)
			before := f.live()
			p := &panicker{seam: seam, every: true}
			var out bytes.Buffer
			status := Main([]string{verb}, p.env(f, bytes.NewReader(p.event(verb, s1, f).bytes()), &out))
			if status != 0 || out.Len() > 0 {
				t.Errorf("%s without %s: status %d, stdout %q, want 0 and nothing", verb, seam, status, out.String())
			}
			if seam != "stdout" && verb == "stop" && f.read(f.state(s1)) != before {
				t.Errorf("%s without %s: the state changed", verb, seam)
			}
		}
	}
}

// TestAPanicInTheDeadlineLetsTheTurnEnd has the goroutine of the deadline panic
// where it writes the log, while the hook hangs in its input.
func TestAPanicInTheDeadlineLetsTheTurnEnd(t *testing.T) {
	for _, verb := range hookVerbNames {
		f := newField(t)
		f.live()
		hang, let := io.Pipe()
		p := &panicker{seam: "disk", every: true}
		env := p.env(f, hang, io.Discard)
		env.Started = time.Now().Add(-softDeadline)
		ended := make(chan int, 2)
		env.Exit = func(status int) { ended <- status; _ = let.Close() }
		if status := Main([]string{verb}, env); status != 0 {
			t.Errorf("%s: status %d", verb, status)
		}
		if status := <-ended; status != 0 {
			t.Errorf("%s: the deadline ended with status %d, want 0", verb, status)
		}
	}
}

// TestTheHardDeadlineEndsWhatTheSoftOneCannot has a log on a disk that does not
// answer, and an answer that nobody reads.
func TestTheHardDeadlineEndsWhatTheSoftOneCannot(t *testing.T) {
	t.Run("a log that does not answer", func(t *testing.T) {
		f := newField(t)
		hang, let := io.Pipe()
		env := (&panicker{}).env(f, hang, io.Discard)
		env.Started = time.Now().Add(-softDeadline)
		ended := make(chan int, 2)
		env.Exit = func(status int) { ended <- status }
		release := make(chan struct{})
		env.Disk = disk.Faulty(disk.Real(), func(string, string) error { <-release; return nil })
		done := make(chan int)
		go func() { done <- Main([]string{"stop"}, env) }()
		if status := <-ended; status != 0 {
			t.Errorf("the deadline ended with status %d, want 0", status)
		}
		close(release)
		_ = let.Close()
		<-done
	})
	t.Run("an answer that nobody reads", func(t *testing.T) {
		f := newField(t)
		f.live()
		_, full := io.Pipe()
		env := (&panicker{}).env(f, bytes.NewReader(f.in().bytes()), full)
		ended := make(chan int, 2)
		env.Exit = func(status int) { ended <- status; _ = full.Close() }
		if status := Main([]string{"stop"}, env); status != 0 {
			t.Errorf("status %d, want 0", status)
		}
		if status := <-ended; status != 0 {
			t.Errorf("the deadline ended with status %d, want 0", status)
		}
	})
}

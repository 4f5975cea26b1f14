package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// inTime is what a hook may take on a machine that is busy with other work. The
// hook's own deadline is two seconds; one that hangs takes far longer than this.
const inTime = 10 * time.Second

// started is a hook verb that runs in a process of its own.
type started struct {
	*field
	cmd    *exec.Cmd
	out    bytes.Buffer
	errs   bytes.Buffer
	killed *time.Timer
}

// begin starts a hook verb of the shipped binary, or another command line that
// ends in it, with any standard input.
func (f *field) begin(stdin *os.File, line ...string) *started {
	f.Helper()
	s := &started{field: f, cmd: exec.Command(line[0], line[1:]...)}
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = f.root, &s.out, &s.errs
	if stdin != nil {
		s.cmd.Stdin = stdin
	}
	s.cmd.Env = append([]string{"HOME=" + f.home, "USERPROFILE=" + f.home, "PATH=" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=" + f.root}, f.env...)
	if err := s.cmd.Start(); err != nil {
		f.Fatal(err)
	}
	s.killed = time.AfterFunc(inTime, func() { _ = s.cmd.Process.Kill() })
	return s
}

// end waits for the process, which a kill after inTime makes a failure.
func (s *started) end() answer {
	s.Helper()
	_ = s.cmd.Wait()
	s.killed.Stop()
	a := answer{status: s.cmd.ProcessState.ExitCode(), stdout: s.out.String(), stderr: s.errs.String()}
	s.formed(&a)
	return a
}

// wayIn is one way in which standard input can come.
type wayIn struct {
	name string
	// give makes the hook's end; feed writes to the other one and is nil for none.
	give func(f *field) *os.File
	feed func(f *field, w *os.File, data []byte)
	// whole says that the event arrives, hangs that the hook is held up by the input
	// until its deadline.
	whole, hangs bool
}

// waysIn are the seven ways of case 4, less the terminal.
func waysIn() []wayIn {
	return []wayIn{
		{name: "an open pipe with the whole event", whole: true, feed: func(f *field, w *os.File, data []byte) { f.feed(w, data) }},
		{name: "an open pipe with nothing", hangs: true, feed: func(*field, *os.File, []byte) {}},
		{name: "an open pipe with half an event", hangs: true, feed: func(f *field, w *os.File, data []byte) { f.feed(w, data[:len(data)/2]) }},
		{name: "one byte at a time", whole: true, feed: func(f *field, w *os.File, data []byte) {
			for i := range data {
				f.feed(w, data[i:i+1])
			}
		}},
		{name: "the null device", give: func(f *field) *os.File { return f.open(os.DevNull) }},
		{name: "a directory", give: func(f *field) *os.File { return f.open(f.root) }},
	}
}

func (f *field) feed(w *os.File, data []byte) {
	f.Helper()
	if _, err := w.Write(data); err != nil {
		f.Error(err)
	}
}

func (f *field) open(path string) *os.File {
	f.Helper()
	file, err := os.Open(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = file.Close() })
	return file
}

// TestNoInputHoldsAHookUp is case 4: a pipe that stays open, a part of an event, a
// closed input. A whole event is answered although its pipe stays open.
func TestNoInputHoldsAHookUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("reads a pipe in another way")
	}
	var all sync.WaitGroup
	for _, verb := range hookVerbNames {
		for _, in := range waysIn() {
			for _, live := range []bool{true, false} {
				f := newField(t)
				if live {
					f.live()
				}
				all.Go(func() { answeredOn(f, verb, in, live) })
			}
		}
	}
	all.Wait()
}

// answeredOn runs one verb on one input and checks what becomes of it.
func answeredOn(f *field, verb string, in wayIn, live bool) {
	before := f.tree(f.root)
	var hook *os.File
	if in.give != nil {
		hook = in.give(f)
	} else {
		r, w, err := os.Pipe()
		if err != nil {
			f.Error(err)
			return
		}
		defer func() { _ = w.Close() }()
		hook = r
		defer func() { _ = r.Close() }()
		go func() { in.feed(f, w, newEvent(verb, s1, f.root).bytes()) }()
	}
	began := time.Now()
	a := f.begin(hook, f.binary, verb).end()
	if took := time.Since(began); took >= inTime {
		f.Errorf("%s on %s: took %s", verb, in.name, took)
	}
	late := in.whole && strings.Contains(f.read(f.personLog()), "deadline passed")
	switch {
	case late: // the machine was busy, and the hook let go
		f.wantQuiet(a)
	case in.whole && live && verb == "stop":
		f.wantBlock(a)
		f.wantIteration(4)
	case in.whole:
	default:
		f.wantQuiet(a)
		if after := f.tree(f.root); len(after) != len(before) {
			f.Errorf("%s on %s: changed %v to %v", verb, in.name, before, after)
		}
		if live {
			f.wantIteration(3)
		}
	}
	if in.hangs && !strings.Contains(f.read(f.personLog()), " "+verb+" session= deadline passed") {
		f.Errorf("%s on %s: the log says %q", verb, in.name, f.read(f.personLog()))
	}
}

// TestAClosedStreamLetsTheTurnEnd has the standard streams closed before the hook
// starts, and a reader of the answer that is gone.
func TestAClosedStreamLetsTheTurnEnd(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, line := range []string{
		`"$0" "$1" <&-`, `"$0" "$1" >&- <"$2"`, `"$0" "$1" 2>&- <"$2"`, `"$0" "$1" <&- >&- 2>&-`, `"$0" "$1" <"$2" >&- 2>&-`,
	} {
		for _, verb := range hookVerbNames {
			f := newField(t)
			f.live()
			event := f.home + "/event"
			f.write(event, string(newEvent(verb, s1, f.root).bytes()))
			a := f.begin(nil, sh, "-c", line, f.binary, verb, event).end()
			if strings.Contains(line, ">&-") && !strings.Contains(line, "2>&- <") {
				f.wantQuiet(a)
			}
			f.wholeState(s1)
			files := f.tree(filepath.Dir(f.root))
			for _, name := range []string{"omc-hook.lock", "omc-hook-trace.jsonl"} {
				files[name] = f.read(filepath.Join(f.dir(s1), name))
			}
			for path, data := range files {
				if strings.Contains(data, `"decision":"block"`) || strings.Contains(data, "additionalContext") {
					t.Errorf("%s %s: the answer was written into %s", line, verb, path)
				}
			}
		}
	}
}

// TestAReaderThatIsGoneIsNoBlock: the system ends a process that writes to a pipe
// nobody reads, which is no status at all; never is it 2.
func TestAReaderThatIsGoneIsNoBlock(t *testing.T) {
	f := newField(t)
	for _, verb := range hookVerbNames {
		f.live()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		cmd := exec.Command(f.binary, verb)
		cmd.Dir, cmd.Stdin, cmd.Stdout = f.root, bytes.NewReader(newEvent(verb, s1, f.root).bytes()), w
		cmd.Env = []string{"HOME=" + f.home, "CLAUDE_PROJECT_DIR=" + f.root}
		_ = cmd.Run()
		_ = w.Close()
		if got := cmd.ProcessState.ExitCode(); got == 2 {
			t.Errorf("%s: status 2", verb)
		}
		f.wholeState(s1)
	}
}

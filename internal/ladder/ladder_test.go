//go:build !windows

package ladder

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"omc-hook/internal/testcount"
)

// long is a time that no test waits for.
const long = time.Hour

// fifo is a pipe below dir with a reader that does not wait for a writer.
func fifo(t *testing.T, dir string) *os.File {
	t.Helper()
	path := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestACommandEndsAsItsShellSays(t *testing.T) {
	tests := []struct {
		name, command, output string
		want                  Result
	}{
		{"it passes", "echo hello; pwd | sed 's/.*/here/'", "hello\nhere\n", Result{Ended: EndedExit}},
		{"it fails", "echo bad >&2; exit 3", "bad\n", Result{Ended: EndedExit, Exit: 3}},
		{"it reads standard input and gets its end", "cat; echo end", "end\n", Result{Ended: EndedExit}},
		{"it asks on the terminal and there is none", "(: </dev/tty) 2>/dev/null || echo none", "none\n", Result{Ended: EndedExit}},
		{"it is killed by a signal", "echo x; kill -9 $$", "x\n", Result{Ended: EndedSignal, Detail: "killed", Exit: -1}},
		{"it crashes by a signal", "kill -SEGV $$", "", Result{Ended: EndedSignal, Detail: "segmentation fault", Exit: -1}},
		{"there is no such program", "exec 2>/dev/null; /no/such/program", "", Result{Ended: EndedExit, Exit: 127}},
		{"quotes and a pipe", `printf '%s|' "a b" 'c"d' | tr '|' '\n'`, "a b\nc\"d\n", Result{Ended: EndedExit}},
		{
			"it runs tests", "echo '2 passed, 1 failed'", "2 passed, 1 failed\n",
			Result{Ended: EndedExit, Counted: true, Counts: testcount.Counts{Runner: "plain", Unit: testcount.Tests, Passed: 2, Failed: 1}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Run(t.Context(), Job{Command: tt.command, Dir: t.TempDir(), Timeout: long})
			sum := sha256.Sum256([]byte(tt.output))
			want := tt.want
			want.Output, want.Bytes, want.SHA256 = []byte(tt.output), int64(len(tt.output)), hex.EncodeToString(sum[:])
			if !want.Counted {
				want.Counts = testcount.Counts{Unit: testcount.Tests}
			}
			if got.Duration <= 0 {
				t.Errorf("the duration is %v", got.Duration)
			}
			got.Duration = 0
			if diff := cmp.Diff(want, got, cmp.Comparer(bytes.Equal)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatCannotBeStartedIsAResult(t *testing.T) {
	got := Run(t.Context(), Job{Command: "true", Dir: filepath.Join(t.TempDir(), "gone")})
	if got.Ended != EndedNotStarted || got.Detail == "" || got.Exit != -1 {
		t.Errorf("got %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if got := Run(ctx, Job{Command: "touch made", Dir: dir}); got.Ended != EndedCancelled {
		t.Errorf("after a cancel: got %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("a cancelled command was run")
	}
}

// A process holds the pipe open, so its end shows that no process is left.
func TestTheWholeGroupIsEnded(t *testing.T) {
	tests := []struct {
		name, command string
		timeout       time.Duration
		cancel        bool
		want          string
	}{
		{"when the command has ended", "exec 3>fifo; sleep 3600 & exit 0", long, false, EndedExit},
		{"when its time is over", "exec 3>fifo; sleep 3600 & sleep 3600", time.Millisecond, false, EndedTimeout},
		{"when it ignores that its time is over", "exec 3>fifo; trap '' TERM; sleep 3600 & sleep 3600", time.Millisecond, false, EndedTimeout},
		{"when the caller cancels", "exec 3>fifo; echo ready >&3; sleep 3600 & wait", long, true, EndedCancelled},
		{"when the caller cancels and it ignores that", "exec 3>fifo; trap '' TERM INT; echo ready >&3; sleep 3600 & while :; do sleep 3600; done", long, true, EndedCancelled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			pipe := fifo(t, dir)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan Result)
			go func() {
				done <- Run(ctx, Job{Command: tt.command, Dir: dir, Timeout: tt.timeout, Grace: 100 * time.Millisecond})
			}()
			if tt.cancel {
				waitForByte(t, pipe)
				cancel()
			}
			got := <-done
			if got.Ended != tt.want || got.Exit != map[bool]int{true: 0, false: -1}[tt.want == EndedExit] {
				t.Errorf("got %+v, want %s", got, tt.want)
			}
			if _, err := io.ReadAll(pipe); err != nil {
				t.Errorf("wait for the last process: %v", err)
			}
		})
	}
}

// waitForByte reads one byte of a pipe whose writer may not be there yet.
func waitForByte(t *testing.T, f *os.File) {
	t.Helper()
	for {
		if n, _ := f.Read(make([]byte, 1)); n == 1 {
			return
		}
	}
}

func TestAProcessThatLeftTheGroupDoesNotHoldTheResultUp(t *testing.T) {
	const command = "setsid sh -c 'echo $$ | tee pid; exec sleep 3600' & while [ ! -s pid ]; do :; done"
	got := Run(t.Context(), Job{Command: command, Dir: t.TempDir(), Timeout: long, Grace: 100 * time.Millisecond})
	if pid, err := strconv.Atoi(strings.TrimSpace(string(got.Output))); err == nil {
		defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	}
	if got.Ended != EndedExit || got.Exit != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestALongOutputIsDigestedWholeAndKeptInPart(t *testing.T) {
	const size = 101 << 20
	line := []byte("a line of output\n")
	got := Run(t.Context(), Job{Command: fmt.Sprintf("yes 'a line of output' | head -c %d; echo 3 passed, 0 failed", size), Dir: t.TempDir(), Timeout: long})
	want := sha256.New()
	left := size
	for ; left >= len(line); left -= len(line) {
		_, _ = want.Write(line)
	}
	_, _ = want.Write(append(bytes.Clone(line[:left]), "3 passed, 0 failed\n"...))
	if got.Bytes != size+19 || got.SHA256 != hex.EncodeToString(want.Sum(nil)) || got.Exit != 0 {
		t.Errorf("got %d bytes, digest %s, exit %d", got.Bytes, got.SHA256, got.Exit)
	}
	marker := fmt.Sprintf("\n[omc-hook left %d of %d bytes out here]\n", size+19-keepHead-keepTail, size+19)
	if len(got.Output) != keepHead+keepTail+len(marker) || string(got.Output[keepHead:keepHead+len(marker)]) != marker {
		t.Errorf("kept %d bytes, with %q", len(got.Output), got.Output[keepHead:keepHead+len(marker)])
	}
	if !bytes.HasPrefix(got.Output, line) || !bytes.HasSuffix(got.Output, []byte("3 passed, 0 failed\n")) {
		t.Error("what is kept is not the beginning and the end")
	}
	// The count stands on a line of its own only where the bytes before it ended one.
	if left == 0 && (!got.Counted || got.Counts.Passed != 3) {
		t.Errorf("got the counts %+v", got.Counts)
	}
}

func TestTheKeptPartsAreTheFirstAndTheLastBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head, tail := rapid.IntRange(1, 9).Draw(t, "head"), rapid.IntRange(1, 9).Draw(t, "tail")
		o := newOutput(head, tail)
		var all []byte
		for _, part := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 12), 0, 8).Draw(t, "parts") {
			all = append(all, part...)
			o.write(part)
		}
		var got Result
		o.result(&got)
		want := string(all)
		if left := len(all) - head - tail; left > 0 {
			want = fmt.Sprintf("%s\n[omc-hook left %d of %d bytes out here]\n%s", all[:head], left, len(all), all[len(all)-tail:])
		}
		if string(got.Output) != want || got.Bytes != int64(len(all)) {
			t.Fatalf("got %q, want %q", got.Output, want)
		}
	})
}

func TestACommandThatRunsIsToldOf(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ticks := 0
	tick := func(elapsed time.Duration) {
		if ticks++; ticks == 3 {
			if err := os.WriteFile(path, []byte(elapsed.String()), 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	// The command ends only once it was told of three times.
	got := Run(t.Context(), Job{Command: "cat fifo", Dir: dir, Timeout: long, Tick: tick, Every: time.Millisecond})
	if took, err := time.ParseDuration(string(got.Output)); err != nil || took <= 0 || got.Exit != 0 {
		t.Errorf("got %+v, output %q", got, got.Output)
	}
}

func TestARequestToEndThisProcessEndsTheContext(t *testing.T) {
	ctx, stop := Interruptible()
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}

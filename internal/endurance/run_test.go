package endurance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"omc-hook/internal/cli"
	"omc-hook/internal/disk"
)

// stuck is when a process counts as hanging, far beyond every bound that the
// program sets itself.
const stuck = time.Minute

// answer is what one run ended with.
type answer struct {
	hook           bool
	status         int
	stdout, stderr string
}

func (a answer) String() string {
	return fmt.Sprintf("status %d, stdout %q, stderr %q", a.status, a.stdout, a.stderr)
}

// document is what a hook answers.
type document struct {
	Decision, Reason, SystemMessage string
	Continue                        *bool
	HookSpecificOutput              struct{ HookEventName, AdditionalContext string }
}

func (a answer) document() document {
	var doc document
	_ = json.Unmarshal([]byte(a.stdout), &doc)
	return doc
}

// continued reports whether a Stop goes on.
func (a answer) continued() bool {
	doc := a.document()
	return doc.Decision == "block" || doc.HookSpecificOutput.AdditionalContext != ""
}

// started reports whether what the person typed has started a loop.
func (a answer) started() bool {
	return strings.HasPrefix(a.document().SystemMessage, "goal-loop started")
}

// refused reports whether the hook refused what the person typed: every error
// begins with the name of the program.
func (a answer) refused() bool {
	return strings.HasPrefix(a.document().Reason, "omc-hook: ")
}

// formed is what is wrong with the form of an answer, "" for nothing. A hook ends
// with status 0 and prints one document or nothing, a command ends with 0, with 1
// and one line, perhaps with a hint, or (status alone) with 3.
func (a answer) formed() string {
	lines := strings.Count(a.stderr, "\n")
	switch {
	case !a.hook && a.status == 1:
		if lines == 1 || lines == 2 && strings.Contains(a.stderr, "\nhint: ") {
			return ""
		}
		return "not one line on standard error"
	case !a.hook && (a.status == 0 || a.status == 3):
		return ""
	case a.status != 0 || a.stderr != "":
		return "the status is not 0, or standard error is not empty"
	case a.stdout == "":
		return ""
	}
	dec := json.NewDecoder(strings.NewReader(a.stdout))
	var doc document
	if err := dec.Decode(&doc); err != nil {
		return "no JSON: " + err.Error()
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return "more than one document"
	}
	if doc.Continue != nil {
		return "a continue field"
	}
	return ""
}

// here runs a request in this process on the disk as it is.
func (w *world) here(r request) answer {
	w.Helper()
	return w.on(disk.Real(), time.Now(), r)
}

// on runs a request in this process. It counts as received in an hour, so that
// no deadline passes however slow the machine is, and no event is an equal one.
func (w *world) on(d disk.Disk, now time.Time, r request) answer {
	env := w.environ(r)
	var stdout, stderr bytes.Buffer
	status := cli.Main(r.args, cli.Env{
		Version: "test", GOOS: runtime.GOOS, Stdin: bytes.NewReader(r.stdin), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(name string) string { return env[name] }, Getwd: func() (string, error) { return w.root, nil },
		Now: func() time.Time { return now }, Started: time.Now().Add(time.Hour), Disk: d,
		Exit: func(int) { panic("the deadline passed") },
	})
	return answer{r.hook, status, stdout.String(), stderr.String()}
}

// process is a run of the shipped program. Where it reads standard input, it
// waits for the last byte of it until it is released.
type process struct {
	*world
	request
	cmd            *exec.Cmd
	cancel         context.CancelFunc
	stdin          io.WriteCloser
	stdout, stderr bytes.Buffer
}

// gateBytes is more than a pipe holds, so that a process has begun to read when
// all of it is written, and less than the least that a command accepts.
const gateBytes = 72 << 10

// spawn starts a process. It returns when the process waits for the last byte of
// its standard input, or has been started, where it is given none.
func (w *world) spawn(r request) *process {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stuck)
	p := &process{world: w, request: r, cmd: exec.CommandContext(ctx, os.Getenv(binaryVariable), r.args...), cancel: cancel}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = w.root, &p.stdout, &p.stderr
	for name, value := range w.environ(r) {
		p.cmd.Env = append(p.cmd.Env, name+"="+value)
	}
	if len(r.stdin) > 0 {
		var err error
		if p.stdin, err = p.cmd.StdinPipe(); err != nil {
			w.Error(err)
		}
	}
	if err := p.cmd.Start(); err != nil {
		w.Error(err)
		return p
	}
	if p.stdin != nil {
		head := append(bytes.Repeat([]byte(" "), gateBytes), r.stdin[:len(r.stdin)-1]...)
		if _, err := p.stdin.Write(head); err != nil {
			w.Errorf("%s: %v", r, err)
		}
	}
	return p
}

// release gives the process the end of its standard input.
func (p *process) release() {
	if p.stdin == nil {
		return
	}
	_, _ = p.stdin.Write(p.request.stdin[len(p.request.stdin)-1:])
	_ = p.stdin.Close()
}

// wait waits for the end of the process. Its status is -1 when it was killed.
func (p *process) wait() answer {
	p.Helper()
	defer p.cancel()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.Errorf("%s: %v", p.request, err)
	}
	return answer{p.request.hook, p.cmd.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()}
}

// run runs a request as a process of its own and checks the form of its answer.
func (w *world) run(r request) answer {
	w.Helper()
	p := w.spawn(r)
	p.release()
	a := p.wait()
	if what := a.formed(); what != "" {
		w.Errorf("%s: %s: %s", r, what, a)
	}
	return a
}

// together runs requests as processes that are let go at once.
func (w *world) together(requests ...request) []answer {
	w.Helper()
	processes := make([]*process, len(requests))
	for i, r := range requests {
		processes[i] = w.spawn(r)
	}
	for _, p := range processes {
		p.release()
	}
	answers := make([]answer, len(requests))
	for i, p := range processes {
		answers[i] = p.wait()
		if what := answers[i].formed(); what != "" {
			w.Errorf("%s: %s: %s", requests[i], what, answers[i])
		}
	}
	return answers
}

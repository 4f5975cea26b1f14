// Package ladder runs commands that a person approved, and says how they ended.
//
// Contract: a command runs in a shell, in a session and process group of its own,
// without standard input and without a terminal. Whatever is left of the group
// when the command has ended, when its time is over, or when the caller cancels
// is ended too: asked first, killed after a grace. The output is digested whole
// and kept in part: its beginning and its end, with a marker of what was left
// out. Run never fails: what could not be started is a result too.
//
// It does not ask who approved what, does not judge a result, and writes no
// file.
package ladder

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"omc-hook/internal/testcount"
)

// How a command ended.
const (
	EndedExit       = "exit"
	EndedSignal     = "signal"
	EndedTimeout    = "timeout"
	EndedCancelled  = "cancelled"
	EndedNotStarted = "not-started"
)

// DefaultTimeout is the time limit of a command.
const DefaultTimeout = 10 * time.Minute

// What is kept of an output.
const (
	keepHead = 64 << 10
	keepTail = 192 << 10
)

// defaultGrace is the time between asking a group to end and killing it, and the
// time for which the last output of processes that have left the group is
// waited for.
const defaultGrace = 3 * time.Second

// Job is one command to run.
type Job struct {
	// Command is given to the shell as it is, Dir is where it runs.
	Command, Dir string
	// Timeout and Grace are DefaultTimeout and 3 seconds where they are zero.
	Timeout, Grace time.Duration
	// Tick, where not nil, is called each Every while the command runs.
	Tick  func(elapsed time.Duration)
	Every time.Duration
}

// Result is how a command ended, and what it printed.
type Result struct {
	// Ended is one of the Ended constants. Exit is the exit status, -1 where there
	// is none; Detail names the signal or says why nothing was started.
	Ended, Detail string
	Exit          int
	Duration      time.Duration
	// Bytes and SHA256 are of the whole output; Output is what was kept of it.
	Bytes  int64
	SHA256 string
	Output []byte
	// Counts is what a test runner reported, where Counted.
	Counts  testcount.Counts
	Counted bool
}

// Run runs the job until it ends, its time is over or ctx is done.
func Run(ctx context.Context, job Job) Result {
	if job.Timeout <= 0 {
		job.Timeout = DefaultTimeout
	}
	if job.Grace <= 0 {
		job.Grace = defaultGrace
	}
	began := time.Now()
	out := newOutput(keepHead, keepTail)
	r := run(ctx, job, out)
	r.Duration = time.Since(began)
	out.result(&r)
	return r
}

// run starts the command. The pipe is our own: exec would wait for every process
// that has inherited it.
func run(ctx context.Context, job Job, out *output) Result {
	if ctx.Err() != nil {
		return Result{Ended: EndedCancelled, Exit: -1}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return notStarted(err)
	}
	cmd := shell(job.Command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = job.Dir, w, w
	if err := cmd.Start(); err != nil {
		return notStarted(errors.Join(err, w.Close(), r.Close()))
	}
	_ = w.Close()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		out.copy(r)
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	result := watch(ctx, job, cmd, ended)
	sweepGroup(cmd.Process)
	select {
	case <-copied:
	case <-time.After(job.Grace):
	}
	out.stop()
	// A reader that is still waiting is released by this; where the system does
	// not release it, it ends with the process.
	go func() { _ = r.Close() }()
	return result
}

func notStarted(err error) Result {
	return Result{Ended: EndedNotStarted, Detail: err.Error(), Exit: -1}
}

// watch waits for the end of the command and brings it about where it is due.
func watch(ctx context.Context, job Job, cmd *exec.Cmd, ended <-chan error) Result {
	began := time.Now()
	limit := time.NewTimer(job.Timeout)
	defer limit.Stop()
	var ticks <-chan time.Time
	if job.Tick != nil && job.Every > 0 {
		ticker := time.NewTicker(job.Every)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case err := <-ended:
			return natural(err)
		case <-ticks:
			job.Tick(time.Since(began))
		case <-limit.C:
			end(cmd, ended, job.Grace)
			return Result{Ended: EndedTimeout, Detail: "after " + job.Timeout.String(), Exit: -1}
		case <-ctx.Done():
			end(cmd, ended, job.Grace)
			return Result{Ended: EndedCancelled, Exit: -1}
		}
	}
}

// end asks the group to end and kills it after the grace.
func end(cmd *exec.Cmd, ended <-chan error, grace time.Duration) {
	askGroup(cmd.Process)
	select {
	case <-ended:
		return
	case <-time.After(grace):
	}
	killGroup(cmd.Process)
	<-ended
}

// natural is the result of a command that ended by itself, or by somebody else.
func natural(err error) Result {
	if err == nil {
		return Result{Ended: EndedExit}
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return Result{Ended: EndedNotStarted, Detail: err.Error(), Exit: -1}
	}
	if name := signalOf(exit.ProcessState); name != "" {
		return Result{Ended: EndedSignal, Detail: name, Exit: -1}
	}
	return Result{Ended: EndedExit, Exit: exit.ExitCode()}
}

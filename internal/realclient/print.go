//go:build linux

package realclient

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/tidwall/gjson"
)

// Printed is what a session in print mode left behind.
type Printed struct {
	Session string // session id
	Exit    int
	Stderr  string
	// Events are the lines of the client's stream, oldest first.
	Events []gjson.Result
	// Last is the last line of type "result"; a session has one for each turn.
	Last gjson.Result

	traffic
}

// HookRun is one run of a hook as the client reports it.
type HookRun struct {
	Name, Event, Stdout, Stderr, Outcome string
	Exit                                 int
}

// Denial is a tool call that the permissions refused.
type Denial struct {
	Tool  string
	Input gjson.Result
}

// Print runs a session with -p to its end.
func (w *World) Print(s Session) *Printed {
	w.t.Helper()
	s = s.withDefaults(w)
	a, logs := w.begin(s)
	ctx, cancel := context.WithTimeout(context.Background(), s.Timeout)
	defer cancel()
	args := append(s.args(), "--print", "--max-turns", strconv.Itoa(s.MaxTurns),
		"--output-format", "stream-json", "--verbose", "--include-hook-events", s.Prompt)
	cmd := grouped(ctx, w.client, args...)
	cmd.Dir, cmd.Env = s.Dir, s.environment(w, a.url)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	w.keep(filepath.Join(logs, "client.jsonl"), stdout.String())
	w.keep(filepath.Join(logs, "client.err"), stderr.String())
	w.reportFailure(a)
	if ctx.Err() != nil {
		w.t.Fatalf("the session did not end within %v\n%s", s.Timeout, a.tail())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("run the client: %v", err)
	}
	p := &Printed{
		Session: s.ID, Exit: cmd.ProcessState.ExitCode(), Stderr: stderr.String(),
		Events: lines(stdout.String()), traffic: traffic{a},
	}
	for _, e := range p.Events {
		if e.Get("type").String() == "result" {
			p.Last = e
		}
	}
	return p
}

// Result is the text that the client gives as the result.
func (p *Printed) Result() string { return p.Last.Get("result").String() }

// IsError reports whether the client calls its result an error.
func (p *Printed) IsError() bool { return p.Last.Get("is_error").Bool() }

// Turns is the client's count of turns in the last result.
func (p *Printed) Turns() int { return int(p.Last.Get("num_turns").Int()) }

// Denials returns the tool calls that the permissions refused, over all turns.
func (p *Printed) Denials() []Denial {
	var out []Denial
	for _, e := range p.Events {
		for _, d := range e.Get("permission_denials").Array() {
			out = append(out, Denial{Tool: d.Get("tool_name").String(), Input: d.Get("tool_input")})
		}
	}
	return out
}

// Hooks returns the runs of the hooks of an event, oldest first.
func (p *Printed) Hooks(event string) []HookRun {
	var out []HookRun
	for _, e := range p.Events {
		if e.Get("subtype").String() != "hook_response" || e.Get("hook_event").String() != event {
			continue
		}
		out = append(out, HookRun{
			Name: e.Get("hook_name").String(), Event: event, Stdout: e.Get("stdout").String(),
			Stderr: e.Get("stderr").String(), Outcome: e.Get("outcome").String(), Exit: int(e.Get("exit_code").Int()),
		})
	}
	return out
}

func (w *World) keep(path, text string) {
	w.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatalf("keep a log: %v", err)
	}
}

// reportFailure shows the last requests if the test fails in the end.
func (w *World) reportFailure(a *api) {
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("the last requests to the model:\n%s", a.tail())
		}
	})
}

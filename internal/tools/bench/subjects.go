package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"omc-hook/internal/tools/demo/client"
)

// The subjects that budgets are about.
const (
	emptyGo      = "empty Go program"
	aloneIdle    = "binary alone, idle"
	hookIdle     = "as registered, idle"
	aloneGoesOn  = "binary alone, continue"
	hookGoesOn   = "as registered, continue"
	recordsRound = "binary alone, goal record"
)

// subjects are those of our own.
func (b bench) subjects(ctx context.Context, runs int) ([]subject, error) {
	empty, err := b.emptyProgram(ctx)
	if err != nil {
		return nil, err
	}
	idle, err := b.begun(ctx, "idle")
	if err != nil {
		return nil, err
	}
	list := []subject{{
		name: emptyGo, command: func(ctx context.Context) *exec.Cmd { return process(ctx, idle, idle.HookEnv(), empty) },
	}}
	stops, err := b.stops(idle, aloneIdle, hookIdle, nil, silent)
	if err != nil {
		return nil, err
	}
	list = append(list, stops...)
	loop, err := b.looping(ctx, "loop")
	if err != nil {
		return nil, err
	}
	content, err := freeze(loop.Project)
	if err != nil {
		return nil, err
	}
	if stops, err = b.stops(loop, aloneGoesOn, hookGoesOn, content.thaw, continued); err != nil {
		return nil, err
	}
	list = append(list, stops...)
	list = append(list, subject{
		name: recordsRound, input: []byte(roundRecord), prepare: content.thaw,
		command: func(ctx context.Context) *exec.Cmd {
			return process(ctx, loop, loop.ShellEnv(), b.binary, "goal", "record", "--stdin")
		},
		accept: func(out []byte) error { return wants(out, "recorded: round 1 of 50") },
	})
	for i := range list {
		list[i].runs = runs
	}
	return list, nil
}

const roundRecord = `{"planned": "make the first test pass", "changed": ["a.go"],
"verification": [{"command": "go test ./...", "exit": 1, "result": "1 passed, 2 failed"}],
"progress": [{"kind": "criterion", "what": "the first test passes", "evidence": "go test: 1 passed, 2 failed"}],
"remaining": "two tests", "next": "make the second test pass"}`

// stops are a Stop of one session, answered by the binary alone and by what the
// plugin registers.
func (b bench) stops(s client.Session, alone, registered string, prepare func() error, accept func([]byte) error) ([]subject, error) {
	handlers, err := b.plugin.Handlers("Stop", "", "")
	if err != nil {
		return nil, err
	}
	if len(handlers) != 1 {
		return nil, fmt.Errorf("%d hooks are registered for Stop, not 1", len(handlers))
	}
	input, err := stopEvent(s)
	if err != nil {
		return nil, err
	}
	return []subject{
		{
			name: alone, input: input, prepare: prepare, accept: accept,
			command: func(ctx context.Context) *exec.Cmd {
				return process(ctx, s, s.HookEnv(), b.binary, handlers[0].Args...)
			},
		},
		{
			name: registered, input: input, prepare: prepare, accept: accept,
			command: func(ctx context.Context) *exec.Cmd { return s.Hook(ctx, handlers[0]) },
		},
	}, nil
}

func stopEvent(s client.Session) ([]byte, error) {
	return s.Input(client.Event{Name: "Stop", Fields: map[string]any{
		"prompt_id": "p1", "stop_hook_active": false, "background_tasks": []any{}, "session_crons": []any{},
		"last_assistant_message": "The first test passes now. I go on with the second one.",
	}})
}

func process(ctx context.Context, s client.Session, env []string, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = s.Project, env
	return cmd
}

// silent accepts an idle Stop: nothing is said.
func silent(out []byte) error {
	if len(out) > 0 {
		return fmt.Errorf("an idle stop was answered: %s", out)
	}
	return nil
}

// continued accepts a Stop after which the turn goes on.
func continued(out []byte) error {
	a, err := client.Read("Stop", out)
	if err == nil && !a.Continue {
		err = fmt.Errorf("the stop was let go: %q", a.Note)
	}
	return err
}

func wants(out []byte, text string) error {
	if !strings.Contains(string(out), text) {
		return fmt.Errorf("it does not say %q: %s", text, out)
	}
	return nil
}

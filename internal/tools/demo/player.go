package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"omc-hook/internal/tools/demo/client"
)

// player is the client and the scripted model of one session.
type player struct {
	client.Session
	place scratch
	out   *screen
	// stops counts the stops of the turn.
	stops int
}

func newPlayer(plugin client.Plugin, place scratch, out *screen, session string) *player {
	return &player{
		Session: client.Session{Plugin: plugin, ID: session, Project: place.project, Home: place.home, Extra: place.env},
		place:   place, out: out,
	}
}

// decision is what the plugin has on record of a Stop.
type decision struct {
	At     time.Time `json:"at"`
	Action string    `json:"action"`
	Rule   string    `json:"rule"`
	Detail string    `json:"detail"`
}

// open starts the session, and types the slash command as a person does. It
// returns what the model reads.
func (p *player) open(ctx context.Context, args string) (string, error) {
	begun, err := p.Send(ctx, client.Event{Name: "SessionStart", Fields: map[string]any{"source": "startup"}})
	if err != nil {
		return "", err
	}
	if begun.Ran == 0 {
		return "", errors.New("no hook is registered for SessionStart")
	}
	if begun.Note != "" {
		return "", fmt.Errorf("the session starts with a complaint: %s", begun.Note)
	}
	p.out.line("person", "/goal-loop %s", args)
	a, err := p.Send(ctx, client.Event{
		Name: "UserPromptExpansion", Subject: "omc-hook:goal-loop",
		Fields: map[string]any{"prompt_id": p.prompt(), "command_name": "omc-hook:goal-loop", "command_args": args},
	})
	switch {
	case err != nil:
		return "", err
	case a.Refused || a.Text == "":
		return "", fmt.Errorf("the loop did not start: %q", a.Text)
	}
	p.out.line("note", "%s", firstLine(a.Note))
	return a.Text, nil
}

func (p *player) prompt() string { return "prompt-of-" + p.ID }

// stop sends a Stop with the model's last words, and wants it continued or let
// go by rule. The answer and what the plugin has on record must agree.
func (p *player) stop(ctx context.Context, message, rule string) (client.Answer, error) {
	fields := map[string]any{"prompt_id": p.prompt(), "last_assistant_message": message, "stop_hook_active": p.stops > 0}
	a, err := p.Send(ctx, client.Event{Name: "Stop", Fields: fields})
	if err != nil {
		return a, err
	}
	p.stops++
	d, err := p.lastDecision(ctx)
	if err != nil {
		return a, err
	}
	p.out.line("model", "%q", message)
	p.out.stop(d, a)
	switch {
	case a.Continue != (d.Action == "continue"):
		return a, fmt.Errorf("stop %d was answered otherwise than recorded (%s)", p.stops, d.Action)
	case d.Rule != rule:
		return a, fmt.Errorf("stop %d was decided by rule %s, not %s", p.stops, d.Rule, rule)
	case a.Continue != (rule == "continue"):
		return a, fmt.Errorf("stop %d: rule %s does not fit the answer", p.stops, rule)
	}
	return a, nil
}

func (p *player) lastDecision(ctx context.Context) (decision, error) {
	out, status, err := p.shell(ctx, "omc-hook why --last=1 --json")
	if err == nil && status != 0 {
		err = fmt.Errorf("status %d: %s", status, strings.TrimSpace(string(out)))
	}
	if err != nil {
		return decision{}, fmt.Errorf("omc-hook why: %w", err)
	}
	var list []decision
	if err := json.Unmarshal(out, &list); err != nil {
		return decision{}, fmt.Errorf("read what omc-hook why says: %w", err)
	}
	if len(list) != 1 {
		return decision{}, fmt.Errorf("omc-hook why: %d decisions, not 1", len(list))
	}
	return list[0], nil
}

// bash runs a command of the model: the client asks the hooks first, and nothing
// but an allow counts as permission, since nobody is there to be asked.
func (p *player) bash(ctx context.Context, command string) ([]byte, error) {
	a, err := p.Send(ctx, client.Event{
		Name: "PreToolUse", Subject: "Bash", Command: command,
		Fields: map[string]any{
			"prompt_id": p.prompt(), "tool_name": "Bash", "tool_use_id": fmt.Sprintf("tool-%d", p.stops),
			"tool_input": map[string]string{"command": command},
		},
	})
	if err != nil {
		return nil, err
	}
	if a.Permission != "allow" {
		return nil, fmt.Errorf("%q is not permitted: %s", firstLine(command), a.Text)
	}
	out, status, err := p.shell(ctx, command)
	if err == nil && status != 0 {
		err = fmt.Errorf("status %d", status)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", firstLine(command), err, strings.TrimSpace(string(out)))
	}
	return out, nil
}

// shell runs a command and returns what it printed, standard error included.
func (p *player) shell(ctx context.Context, command string) ([]byte, int, error) {
	var out bytes.Buffer
	cmd := p.Shell(ctx, command)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return out.Bytes(), exit.ExitCode(), nil
	}
	return out.Bytes(), 0, err
}

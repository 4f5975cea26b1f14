// Package client plays the client's part for the programs beside it: it reads
// the hooks that a plugin registers, starts them as Claude Code does (exec form,
// the event on standard input, the client's environment variables), and reads
// their answers.
//
// It knows only what those programs need: handlers that are commands in exec
// form, matchers that are a list of names, and conditions of the form
// "Bash(WORD *)". It runs no model, asks nobody for permission and writes no
// file.
package client

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Plugin is a plugin's directory with the hooks that it registers.
type Plugin struct {
	Dir   string
	hooks map[string][]group
}

type group struct {
	Matcher string    `json:"matcher"`
	Hooks   []handler `json:"hooks"`
}

type handler struct {
	Type    string   `json:"type"`
	If      string   `json:"if"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"`
}

// Handler is one registered command, with the plugin's directory filled in.
type Handler struct {
	Path    string
	Args    []string
	Timeout time.Duration
}

// Open reads hooks/hooks.json of the plugin in dir.
func Open(dir string) (Plugin, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Plugin{}, fmt.Errorf("find the plugin: %w", err)
	}
	path := filepath.Join(dir, "hooks", "hooks.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return Plugin{}, fmt.Errorf("read the registered hooks: %w", err)
	}
	var file struct {
		Hooks map[string][]group `json:"hooks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return Plugin{}, fmt.Errorf("read %s: %w", path, err)
	}
	return Plugin{Dir: dir, hooks: file.Hooks}, nil
}

// Handlers lists what the plugin registers for an event. subject is what its
// matcher looks at (a command name, a tool), and command the shell command of a
// tool call; both are empty for events without them.
func (p Plugin) Handlers(event, subject, command string) ([]Handler, error) {
	var list []Handler
	for _, g := range p.hooks[event] {
		if !matches(g.Matcher, subject) {
			continue
		}
		for _, h := range g.Hooks {
			if !holds(h.If, command) {
				continue
			}
			if h.Type != "command" || len(h.Args) == 0 {
				return nil, fmt.Errorf("hook of %s: only commands in exec form are known, not %q", event, h.Command)
			}
			list = append(list, p.handler(h))
		}
	}
	return list, nil
}

func matches(matcher, subject string) bool {
	return matcher == "" || matcher == "*" || slices.Contains(strings.Split(matcher, "|"), subject)
}

// holds reports whether a condition lets a command through.
func holds(condition, command string) bool {
	if condition == "" {
		return true
	}
	prefix, found := strings.CutPrefix(condition, "Bash(")
	prefix, whole := strings.CutSuffix(prefix, "*)")
	return found && whole && strings.HasPrefix(command, prefix)
}

func (p Plugin) handler(h handler) Handler {
	fill := func(s string) string { return strings.ReplaceAll(s, "${CLAUDE_PLUGIN_ROOT}", p.Dir) }
	args := make([]string, len(h.Args))
	for i, a := range h.Args {
		args[i] = fill(a)
	}
	timeout := 600 * time.Second
	if h.Timeout > 0 {
		timeout = time.Duration(h.Timeout) * time.Second
	}
	return Handler{Path: fill(h.Command), Args: args, Timeout: timeout}
}

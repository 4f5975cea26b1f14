//go:build linux

package realclient

import (
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/tidwall/gjson"
)

// Recorder is a plugin that keeps what its hooks are given and answers what it
// is told to: the way to see the client's side of an event.
type Recorder struct {
	Dir string // the plugin's directory, for Session.Plugins

	w    *World
	kept string
}

// Event is one run of a recorder's hook.
type Event struct {
	Input gjson.Result
	Env   map[string]string
}

// recordScript keeps the input under the number of the run; mkdir makes that
// number unique, since hooks of one event run in parallel.
const recordScript = `#!/bin/sh
# record.sh DIR EVENT: keeps stdin and the environment, then prints EVENT's answer.
n=1000
while ! mkdir "$1/$2.$n" 2>/dev/null; do n=$((n + 1)); done
cat >"$1/$2.$n/input.json"
env -0 >"$1/$2.$n/env"
: >"$1/$2.$n/done"
if [ -f "$1/answer.$2" ]; then cat "$1/answer.$2"; fi
`

// Record makes a recorder named name for the hooks of a hooks.json: event →
// handler fields beside the command, such as `"if": "Bash(git *)"`, or a
// matcher. An event without either is given the empty Handler.
func (w *World) Record(name string, hooks map[string]Handler) *Recorder {
	w.t.Helper()
	r := &Recorder{w: w, kept: w.Path("recorded", name)}
	if err := os.MkdirAll(r.kept, 0o755); err != nil {
		w.t.Fatalf("make the directory of the recorder: %v", err)
	}
	config := map[string]any{}
	for event, h := range hooks {
		run := map[string]any{
			"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/record.sh", "args": []string{r.kept, event},
		}
		if h.If != "" {
			run["if"] = h.If
		}
		entry := map[string]any{"hooks": []any{run}}
		if h.Matcher != "" {
			entry["matcher"] = h.Matcher
		}
		config[event] = []any{entry}
	}
	r.Dir = w.Plugin(name, map[string]string{
		"record.sh":        recordScript,
		"hooks/hooks.json": string(encode(map[string]any{"hooks": config})),
	})
	return r
}

// Handler narrows when a recorder's hook runs.
type Handler struct{ Matcher, If string }

// Answer sets what the hooks of an event print from now on.
func (r *Recorder) Answer(event, text string) {
	r.w.t.Helper()
	r.w.Write(filepath.Join(r.kept, "answer."+event), text)
}

// Events returns the runs of the hooks of an event, oldest first.
func (r *Recorder) Events(event string) []Event {
	r.w.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(r.kept, event+".*", "done"))
	if err != nil {
		r.w.t.Fatalf("list the events: %v", err)
	}
	sort.Strings(dirs)
	var out []Event
	for _, done := range dirs {
		dir := filepath.Dir(done)
		input, err := os.ReadFile(filepath.Join(dir, "input.json"))
		if err != nil {
			r.w.t.Fatalf("read an event: %v", err)
		}
		env, err := os.ReadFile(filepath.Join(dir, "env"))
		if err != nil {
			r.w.t.Fatalf("read an event: %v", err)
		}
		out = append(out, Event{Input: gjson.ParseBytes(input), Env: parseEnv(string(env))})
	}
	return out
}

func parseEnv(text string) map[string]string {
	env := map[string]string{}
	for _, entry := range strings.Split(text, "\x00") {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

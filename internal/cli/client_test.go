package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// event is what a client sends to a hook. A test may put anything into it.
type event map[string]any

// eventNames are the events that the hook verbs answer.
var eventNames = map[string]string{
	"stop": "Stop", "expand": "UserPromptExpansion", "permit": "PreToolUse", "session-start": "SessionStart",
	"user-prompt": "UserPromptSubmit", "stop-failure": "StopFailure",
}

// newEvent is a whole event as the client sends it, for one verb.
func newEvent(verb, session, cwd string) event {
	e := event{
		"hook_event_name": eventNames[verb], "session_id": session, "cwd": cwd, "prompt_id": "p1",
		"permission_mode": "default", "transcript_path": cwd + "/none.jsonl",
	}
	switch verb {
	case "stop":
		e["stop_hook_active"], e["last_assistant_message"], e["background_tasks"] = false, "partial work", []any{}
	case "expand":
		e["command_name"], e["command_args"] = "omc-hook:goal-loop", ""
	case "permit":
		e["tool_name"] = "Bash"
	}
	return e
}

// with is the event with other values; nil takes a field away.
func (e event) with(pairs ...any) event {
	out := event{}
	for k, v := range e {
		out[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
		if pairs[i+1] == nil {
			delete(out, pairs[i].(string))
		}
	}
	return out
}

func (e event) bytes() []byte {
	data, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return data
}

// clientMain is the client of the scripts: `client VERB key=text key:=JSON
// key@=file` calls one hook verb with an event of the session $SESSION in $ROOT.
func clientMain(args []string) int {
	verb, root := args[0], os.Getenv("ROOT")
	e := newEvent(verb, os.Getenv("SESSION"), root).with("prompt_id", os.Getenv("PROMPT_ID"))
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		switch {
		case strings.HasSuffix(key, ":"):
			e[strings.TrimSuffix(key, ":")] = json.RawMessage(value)
		case strings.HasSuffix(key, "@"):
			data, err := os.ReadFile(value)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 125
			}
			e[strings.TrimSuffix(key, "@")] = string(data)
		default:
			e[key] = value
		}
	}
	env := processEnv()
	env.Stdin = bytes.NewReader(e.bytes())
	env.Getenv = hookEnviron(root, os.Getenv)
	return Main([]string{verb}, env)
}

// hookEnviron is the environment of a hook: the client's directory is known, and
// the AI_AGENT is that of the client unless the test set one.
func hookEnviron(root string, getenv func(string) string) func(string) string {
	return func(name string) string {
		value := getenv(name)
		switch {
		case name == "CLAUDE_PROJECT_DIR" && value == "":
			return root
		case name == "AI_AGENT" && value == "":
			return "claude-code_2-1-332_harness"
		}
		return value
	}
}

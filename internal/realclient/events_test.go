//go:build linux

package realclient

import (
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// everyEvent is a recorder of all events that the samples show.
func everyEvent(w *World) *Recorder {
	handlers := map[string]Handler{}
	for _, event := range strings.Fields("SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse " +
		"SubagentStart SubagentStop Stop StopFailure PreCompact PostCompact") {
		handlers[event] = Handler{}
	}
	return w.Record("recorder", handlers)
}

// loopPlugin has a skill that a person can call and a program for the model's shell.
func loopPlugin(w *World) string {
	return w.Plugin("omc-hook", map[string]string{
		"skills/goal-loop/SKILL.md": "---\nname: goal-loop\ndescription: A loop\ndisable-model-invocation: true\n---\nThe loop of $ARGUMENTS\n",
		"bin/omc-hook":              "#!/bin/sh\necho \"called with $*\"\ncat\n",
	})
}

const recordCommand = "omc-hook goal record --stdin <<'EOF'\n{\"text\": \"it's $HOME and `date`\",\n \"list\": [1, 2]}\nEOF"

func TestSamplesOfASessionWithBackgroundWork(t *testing.T) {
	w := NewWorld(t)
	rec := everyEvent(w)
	gate := NewGate()
	// The background shell ends by itself once the first Stop has been seen.
	shell := "while [ ! -e " + rec.kept + "/Stop.1000/done ]; do sleep 0.1; done; echo over"
	p := w.Print(Session{
		Plugins: []string{rec.Dir, loopPlugin(w)}, Prompt: "begin",
		Main: InOrder(Bash(recordCommand), Bash("env -0 | base64 -w0"), Agent("look"), BashInBackground(shell), Say("first"),
			func(*Request) Step { gate.Open(); return Step{Text: "later"} }),
		Sub: InOrder(Bash("omc-hook status"), gate.Hold(Say("looked"))),
	})
	w.Print(Session{Plugins: []string{rec.Dir}, Prompt: "again", Resume: p.Session})
	shellEnv, err := base64.StdEncoding.DecodeString(strings.TrimSpace(p.Requests()[2].New))
	if err != nil {
		t.Fatalf("the environment of the model's shell: %v", err)
	}
	s := &samples{w: w, texts: map[string]string{}}
	stops, prompts := rec.Events("Stop"), rec.Events("UserPromptSubmit")
	s.addEvent("stop-background", stops[0])
	s.addEvent("stop", stops[2])
	s.addEvent("user-prompt-submit", prompts[0])
	s.addEvent("user-prompt-submit-notification", prompts[1])
	s.addEvent("session-start-startup", rec.Events("SessionStart")[0])
	s.addEvent("session-start-resume", rec.Events("SessionStart")[1])
	s.addEvent("session-end", rec.Events("SessionEnd")[0])
	s.addEvent("subagent-start", rec.Events("SubagentStart")[0])
	s.addEvent("subagent-stop", rec.Events("SubagentStop")[0])
	tools := rec.Events("PreToolUse")
	s.addEvent("pre-tool-use", tools[0])
	i := slices.IndexFunc(tools, func(e Event) bool { return e.Input.Get("agent_id").Exists() })
	s.addEvent("pre-tool-use-subagent", tools[i])
	s.addEvent("post-tool-use", rec.Events("PostToolUse")[0])
	s.add("environment-hook.json", clientVariables(stops[0].Env))
	s.add("environment-bash.json", clientVariables(parseEnv(string(shellEnv))))
	s.check(t)
}

func TestSamplesOfASessionInATerminal(t *testing.T) {
	w := NewWorld(t)
	rec := everyEvent(w)
	started := func(n int) func(string) bool {
		return func(string) bool { return len(rec.Events("SessionStart")) == n }
	}
	term := w.Open(Session{Plugins: []string{rec.Dir, loopPlugin(w)}, Main: InOrder(Say("the first end"), Say("the second end"))})
	term.Submit("/goal-loop make it 'so'")
	term.WaitUntil("the turn is over", func(string) bool { return len(rec.Events("Stop")) == 1 })
	term.Submit("/compact")
	term.WaitUntil("the conversation is compacted", started(2))
	term.Submit("/clear")
	term.WaitUntil("the conversation is cleared", started(3))
	s := &samples{w: w, texts: map[string]string{}}
	starts := rec.Events("SessionStart")
	s.addEvent("session-start-compact", starts[1])
	s.addEvent("session-start-clear", starts[2])
	s.addEvent("session-end-clear", rec.Events("SessionEnd")[0])
	s.addEvent("pre-compact", rec.Events("PreCompact")[0])
	s.addEvent("post-compact", rec.Events("PostCompact")[0])
	s.addEvent("user-prompt-expansion", rec.Events("UserPromptExpansion")[0])
	s.addEvent("user-prompt-submit-command", rec.Events("UserPromptSubmit")[0])
	s.addEvent("stop-terminal", rec.Events("Stop")[0])
	s.check(t)
}

func TestSamplesOfTheQueue(t *testing.T) {
	w := NewWorld(t)
	first, second := NewGate(), NewGate()
	term := w.Open(Session{Main: InOrder(first.Hold(Bash("echo one")), second.Hold(Say("the first end")), Say("the second end"), Say("the third end"))})
	term.Submit("begin")
	term.WaitForGate(first)
	term.Submit("plain words")
	first.Open()
	term.WaitForGate(second)
	for _, line := range []string{"/init a", "/init b"} {
		term.Submit(line)
		term.WaitUntil("it waits", func(string) bool { return strings.Contains(queue(w, term), line) })
	}
	term.Press("Up") // takes both back into the input line
	term.WaitUntil("they are taken back", func(string) bool { return strings.Contains(queue(w, term), "popAll") })
	term.Press("C-u", "BSpace", "C-u")
	term.Submit("/init c")
	term.WaitUntil("it waits", func(string) bool { return strings.Contains(queue(w, term), "/init c") })
	second.Open()
	term.WaitFor("the second end")
	s := &samples{w: w, texts: map[string]string{}}
	s.add("transcript-queue.jsonl", queue(w, term))
	s.check(t)
}

// queue is the part of a session's transcript that tells of the queue, "" before
// the client has begun one.
func queue(w *World, term *Terminal) string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", term.Session+".jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	if len(found) == 0 {
		return ""
	}
	var b strings.Builder
	for _, line := range w.Transcript(term.Session) {
		if line.Get("type").String() == "queue-operation" {
			b.WriteString(line.Raw + "\n")
		}
	}
	return b.String()
}

func TestSamplesOfFailures(t *testing.T) {
	tests := map[string]Step{
		"rate-limit":            {Status: 429},
		"authentication-failed": {Status: 401},
		"server-error":          {Status: 529},
		"billing-error":         {Status: 400, ErrorText: "Your credit balance is too low to access the Anthropic API."},
		"max-output-tokens":     {Text: "half", StopReason: "max_tokens"},
		"invalid-request":       {Status: 400, ErrorText: "prompt is too long: 1250000 tokens > 1000000 maximum"},
	}
	for name, step := range tests {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(t)
			rec := everyEvent(w)
			// In print mode the client ends without waiting for this hook.
			term := w.Open(Session{
				Plugins: []string{rec.Dir}, Prompt: "begin", Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"},
				Main: func(*Request) Step { return step },
			})
			term.WaitUntil("the failure is told", func(string) bool { return len(rec.Events("StopFailure")) == 1 })
			events := rec.Events("StopFailure")
			if got := strings.ReplaceAll(events[0].Input.Get("error").String(), "_", "-"); got != name {
				t.Errorf("got the error %q, want %q", got, name)
			}
			s := &samples{w: w, texts: map[string]string{}}
			s.addEvent("stop-failure-"+name, events[0])
			s.check(t)
		})
	}
}

// clientVariables renders what the client adds to an environment. The token is
// of no use to anyone, but looks like a secret.
func clientVariables(env map[string]string) string {
	own := map[string]string{}
	for name, value := range env {
		if strings.HasPrefix(name, "CLAUDE") || name == "AI_AGENT" {
			own[name] = value
		}
	}
	if _, ok := own["CLAUDE_CODE_MESSAGING_TOKEN"]; ok {
		own["CLAUDE_CODE_MESSAGING_TOKEN"] = "(a token)"
	}
	data, err := json.Marshal(own)
	if err != nil {
		panic(err)
	}
	return string(data)
}

//go:build linux

package realclient

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tests of this file hold what the plugin's design takes for granted of
// the client. When one fails with a new version, the design has to be looked at.

func TestABlockedExpansionCostsNoModelCall(t *testing.T) {
	w := NewWorld(t)
	rec := w.Record("rec", map[string]Handler{"UserPromptExpansion": {}})
	rec.Answer("UserPromptExpansion", `{"decision": "block", "reason": "Paused.\nSecond line.", "systemMessage": "unseen"}`)
	p := w.Print(Session{Plugins: []string{rec.Dir, loopPlugin(w)}, Prompt: "/goal-loop pause"})
	want := "UserPromptExpansion operation blocked by hook:\nPaused.\nSecond line.\n\nOriginal prompt: /omc-hook:goal-loop pause"
	if p.Exit != 0 || p.IsError() || p.Result() != want || len(p.Requests()) != 0 {
		t.Errorf("got exit %d, error %v, %d requests, result %q", p.Exit, p.IsError(), len(p.Requests()), p.Result())
	}
}

func TestAnExpansionHookSpeaksToBoth(t *testing.T) {
	w := NewWorld(t)
	rec := w.Record("rec", map[string]Handler{"UserPromptExpansion": {}})
	rec.Answer("UserPromptExpansion", `{"systemMessage": "for the person",
		"hookSpecificOutput": {"hookEventName": "UserPromptExpansion", "additionalContext": "for the model"}}`)
	term := w.Open(Session{Plugins: []string{rec.Dir, loopPlugin(w)}, Main: Say("the end")})
	term.Submit("/goal-loop begin")
	term.WaitFor("the end")
	if !strings.Contains(term.Screen(), "UserPromptExpansion says: for the person") {
		t.Error("the person does not see the message")
	}
	if r := term.Requests()[0]; !r.Read("for the model") || r.Read("for the person") || !r.Read("The loop of begin") {
		t.Error("the model does not read the context and the skill, and nothing else")
	}
}

func TestArgumentsArriveAsTheyWereTyped(t *testing.T) {
	const inside = "a 'b' \"c\" $HOME `x` \\n\nline two\n\n  line  four ü\tend"
	w := NewWorld(t)
	rec := w.Record("rec", map[string]Handler{"UserPromptExpansion": {}})
	rec.Answer("UserPromptExpansion", `{"decision": "block", "reason": "seen"}`)
	w.Print(Session{Plugins: []string{rec.Dir, loopPlugin(w)}, Prompt: "/goal-loop  " + inside + " \t\n"})
	got := rec.Events("UserPromptExpansion")[0].Input.Get("command_args").String()
	if diff := cmp.Diff(inside, got); diff != "" {
		t.Errorf("arguments, without the white space around them (-want +got):\n%s", diff)
	}
}

func TestAMatcherNamesThePluginAndItsSkill(t *testing.T) {
	tests := []struct {
		matcher string
		want    int
	}{
		{"goal-loop", 0},
		{"omc-hook:goal-loop", 1},
		{"omc-hook:omh-loop|omc-hook:goal-loop", 1},
		{"^omc-hook:", 1},
	}
	for _, tt := range tests {
		t.Run(tt.matcher, func(t *testing.T) {
			w := NewWorld(t)
			rec := w.Record("rec", map[string]Handler{"UserPromptExpansion": {Matcher: tt.matcher}})
			rec.Answer("UserPromptExpansion", `{"decision": "block", "reason": "seen"}`)
			w.Print(Session{Plugins: []string{rec.Dir, loopPlugin(w)}, Prompt: "/goal-loop begin"})
			if got := len(rec.Events("UserPromptExpansion")); got != tt.want {
				t.Errorf("got %d events, want %d", got, tt.want)
			}
		})
	}
}

func TestAHookAllowsARecordInEveryMode(t *testing.T) {
	for _, mode := range []string{"default", "acceptEdits", "dontAsk"} {
		t.Run(mode, func(t *testing.T) {
			w := NewWorld(t)
			rec := w.Record("rec", map[string]Handler{"PreToolUse": {Matcher: "Bash", If: "Bash(omc-hook *)"}})
			rec.Answer("PreToolUse", `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}`)
			p := w.Print(Session{
				Plugins: []string{rec.Dir, loopPlugin(w)}, Prompt: "begin", Mode: mode,
				Main: InOrder(Bash(recordCommand), Bash("bash -c 'omc-hook status'"), Say("the end")),
			})
			want := "called with goal record --stdin\n{\"text\": \"it's $HOME and `date`\",\n \"list\": [1, 2]}"
			if got := strings.TrimSpace(p.Requests()[1].New); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if got := len(p.Denials()); got != 1 || len(rec.Events("PreToolUse")) != 1 {
				t.Errorf("got %d denials and %d events, want only the shell in a shell denied", got, len(rec.Events("PreToolUse")))
			}
		})
	}
}

// What a person types waits for as long as Stops are continued and no tool
// runs: commands always, plain words until a tool's result carries them.
func TestWhatIsTypedWaitsOverContinuedStops(t *testing.T) {
	for _, line := range []string{"/goal-loop stop", "plain words"} {
		t.Run(line, func(t *testing.T) {
			w := NewWorld(t)
			rec := w.Record("rec", map[string]Handler{"Stop": {}})
			rec.Answer("Stop", `{"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "go on"}}`)
			first, second := NewGate(), NewGate()
			term := w.Open(Session{
				Plugins: []string{rec.Dir, loopPlugin(w)},
				Main:    InOrder(first.Hold(Say("one")), second.Hold(Say("two")), Say("the end")),
			})
			term.Submit("begin")
			term.WaitForGate(first)
			term.Submit(line)
			term.WaitUntil("it waits", func(string) bool { return strings.Contains(queue(w, term), line) })
			first.Open()
			term.WaitForGate(second)
			if term.Requests()[1].Read(line) || strings.Contains(queue(w, term), "dequeue") {
				t.Error("it came through a continued Stop")
			}
			rec.Answer("Stop", "{}")
			second.Open()
			term.WaitFor("the end")
			if !strings.Contains(queue(w, term), "dequeue") {
				t.Error("it still waits after an allowed Stop")
			}
		})
	}
}

func TestAPrintedSessionFailsWithTheAPI(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{Prompt: "begin", Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"}, Main: Fail(529)})
	if got := p.Last.Get("api_error_status").Int(); p.Exit != 1 || !p.IsError() || got != 529 || len(p.Requests()) != 1 {
		t.Errorf("got exit %d, error %v, status %d, %d requests, want 1, true, 529, 1", p.Exit, p.IsError(), got, len(p.Requests()))
	}
}

func TestASandboxedShellWritesInTheWorkTreeOnly(t *testing.T) {
	for _, tool := range []string{"bwrap", "socat"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no sandbox: %v", err) // the client needs both, whatever else is required
		}
	}
	w := NewWorld(t)
	w.Write(filepath.Join(w.Home, ".local", "state", "kept"), "")
	w.Write(filepath.Join(w.Work, ".omc", "kept"), "")
	probe := `for d in "$HOME" "$HOME/.local/state" "$HOME/.claude" /tmp .git/hooks . .git .omc "$TMPDIR"; do
		touch "$d/probe" 2>/dev/null && printf 'w' || printf '-'; done; test -d "/proc/$CLAUDE_PID/fd" && echo pid || echo no-pid`
	p := w.Print(Session{
		Prompt: "begin", Main: InOrder(Bash(probe), Say("the end")),
		Settings: `{"sandbox": {"enabled": true, "failIfUnavailable": true, "allowUnsandboxedCommands": false}}`,
	})
	if got := strings.Fields(p.Requests()[1].New); !slices.Contains(got, "-----wwwwno-pid") {
		t.Errorf("got %q, want five places that cannot be written, four that can, and no client process", got)
	}
}

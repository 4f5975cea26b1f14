package client

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plugin is one whose hooks.json is text.
func plugin(t *testing.T, text string) Plugin {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hooks", "hooks.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHandlersAreChosenByEventMatcherAndCondition(t *testing.T) {
	p := plugin(t, `{"hooks": {
		"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/x", "args": ["stop"], "timeout": 10}]}],
		"UserPromptExpansion": [{"matcher": "p:a|p:b", "hooks": [{"type": "command", "command": "x", "args": ["expand"]}]}],
		"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "if": "Bash(x *)", "command": "x", "args": ["permit"]}]}]
	}}`)
	handler := func(verb string) []Handler {
		return []Handler{{Path: "x", Args: []string{verb}, Timeout: 600 * time.Second}}
	}
	tests := []struct {
		name                    string
		event, subject, command string
		want                    []Handler
	}{
		{"the plugin's directory is filled in", "Stop", "", "", []Handler{{Path: p.Dir + "/bin/x", Args: []string{"stop"}, Timeout: 10 * time.Second}}},
		{"a matcher is a list of names", "UserPromptExpansion", "p:b", "", handler("expand")},
		{"another name does not match", "UserPromptExpansion", "p:ab", "", nil},
		{"a condition looks at the command", "PreToolUse", "Bash", "x record", handler("permit")},
		{"another command does not hold", "PreToolUse", "Bash", "go test", nil},
		{"another tool does not match", "PreToolUse", "Write", "x record", nil},
		{"an event that nobody registered has none", "SessionEnd", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := p.Handlers(tt.event, tt.subject, tt.command)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("handlers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAHandlerInShellFormIsRefused(t *testing.T) {
	p := plugin(t, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x stop"}]}]}}`)
	if got, err := p.Handlers("Stop", "", ""); err == nil {
		t.Errorf("handlers: got %v and no error", got)
	}
}

func TestAnswersAreReadAsTheClientReadsThem(t *testing.T) {
	tests := []struct {
		name, event, out string
		want             Answer
		wantErr          bool
	}{
		{"silence lets the turn end", "Stop", "", Answer{}, false},
		{"a block continues a stop", "Stop", `{"decision":"block","reason":"r"}`, Answer{Continue: true, Text: "r"}, false},
		{"context continues a stop", "Stop", `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}`, Answer{Continue: true, Text: "c"}, false},
		{"a note alone does not", "Stop", `{"systemMessage":"n"}`, Answer{Note: "n"}, false},
		{"a block answers a command", "UserPromptExpansion", `{"decision":"block","reason":"r"}`, Answer{Refused: true, Text: "r"}, false},
		{"context lets a command through", "UserPromptExpansion", `{"hookSpecificOutput":{"hookEventName":"UserPromptExpansion","additionalContext":"c"}}`, Answer{Text: "c"}, false},
		{"a denial tells the model why", "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"w"}}`, Answer{Permission: "deny", Text: "w"}, false},
		{"two documents are an error", "Stop", `{"systemMessage":"n"}{}`, Answer{}, true},
		{"plain text is an error", "Stop", `done`, Answer{}, true},
		{"a key that no client knows is an error", "Stop", `{"sytemMessage":"n"}`, Answer{}, true},
		{"an answer to another event is an error", "Stop", `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}`, Answer{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(tt.event, []byte(tt.out))
			if (err != nil) != tt.wantErr {
				t.Fatalf("read: got error %v, want one: %v", err, tt.wantErr)
			}
			if diff := cmp.Diff(tt.want, got); err == nil && diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingOfAnotherSessionIsInherited(t *testing.T) {
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID", "OMC_STATE_DIR", "OMC_HOOK_DISABLE", "DISABLE_OMC", "GIT_DIR", "XDG_STATE_HOME"} {
		t.Setenv(name, "inherited")
	}
	s := Session{Plugin: Plugin{Dir: "/plugin"}, ID: "s1", Project: "/project", Home: "/home/demo", Extra: []string{"EXTRA=1"}}
	shell := s.Shell(t.Context(), "true").Env
	hook := s.Hook(t.Context(), Handler{Path: "/plugin/bin/x", Args: []string{"stop"}}).Env
	for _, entry := range append(slices.Clone(shell), hook...) {
		if strings.HasSuffix(entry, "=inherited") {
			t.Errorf("inherited: %s", entry)
		}
	}
	for _, want := range []string{"CLAUDE_PROJECT_DIR=/project", "CLAUDE_CODE_SESSION_ID=s1", "AI_AGENT=claude-code_2-1-332_harness", "HOME=/home/demo", "EXTRA=1"} {
		if !slices.Contains(hook, want) {
			t.Errorf("environment of a hook: lacks %s", want)
		}
	}
	if slices.Contains(shell, "CLAUDE_PROJECT_DIR=/project") {
		t.Error("environment of the model's shell: has CLAUDE_PROJECT_DIR, which the client does not set there")
	}
}

package hook_test

import (
	"testing"

	"omc-hook/internal/hook"
)

func TestDialectFor(t *testing.T) {
	tests := []struct {
		name, agent, forced string
		codex               bool
		want                hook.Dialect
	}{
		{"the client that was measured", "claude-code_2-1-332_harness", "", false, hook.DialectContext},
		{"the first version that knows context", "claude-code_2-1-163_harness", "", false, hook.DialectContext},
		{"the version before it", "claude-code_2-1-162_harness", "", false, hook.DialectBlock},
		{"a new minor version", "claude-code_2-2-0_harness", "", false, hook.DialectContext},
		{"an old minor version", "claude-code_2-0-999_harness", "", false, hook.DialectBlock},
		{"a new major version", "claude-code_3-0-0_harness", "", false, hook.DialectContext},
		{"an old major version", "claude-code_1-9-999_harness", "", false, hook.DialectBlock},
		{"no client named", "", "", false, hook.DialectBlock},
		{"another client", "other_9-9-9_harness", "", false, hook.DialectBlock},
		{"block is forced", "claude-code_2-1-332_harness", "block", false, hook.DialectBlock},
		{"context is forced", "", "context", false, hook.DialectContext},
		{"an unknown wish", "claude-code_2-1-332_harness", "both", false, hook.DialectContext},
		{"Codex, with context forced", "claude-code_2-1-332_harness", "context", true, hook.DialectBlock},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := hook.DialectFor(tt.agent, tt.forced, tt.codex); got != tt.want {
				t.Errorf("DialectFor = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestClientVersionRefusesOtherForms(t *testing.T) {
	for _, agent := range []string{
		"", "claude-code", "claude-code_", "claude-code_2-1-332", "claude-code_2-1_harness", "claude-code_2-1-3-4_harness",
		"claude-code_2.1.332_harness", "claude-code_2-1-x_harness", "claude-code_2--1_harness", "claude-code_2-1-99999999999_harness",
		"claude-code_2-1-+3_harness", "Claude-Code_2-1-332_harness", " claude-code_2-1-332_harness",
	} {
		if major, minor, patch, ok := hook.ClientVersion(agent); ok {
			t.Errorf("ClientVersion(%q) = %d.%d.%d, want none", agent, major, minor, patch)
		}
	}
	major, minor, patch, ok := hook.ClientVersion("claude-code_2-1-332_harness")
	if !ok || major != 2 || minor != 1 || patch != 332 {
		t.Errorf("ClientVersion = %d.%d.%d, %v; want 2.1.332", major, minor, patch, ok)
	}
}

func TestFromModelShell(t *testing.T) {
	for agent, want := range map[string]bool{
		"claude-code_2-1-332_agent": true, "claude-code_2-1-332_harness": false, "": false, "agent": false,
	} {
		if got := hook.FromModelShell(agent); got != want {
			t.Errorf("FromModelShell(%q) = %v, want %v", agent, got, want)
		}
	}
}

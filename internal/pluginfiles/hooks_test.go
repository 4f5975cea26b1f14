package pluginfiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type registrations struct {
	Description string             `json:"description"`
	Hooks       map[string][]group `json:"hooks"`
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

// Exec form needs no quoting, so that no folder's name can break a hook, and
// starts no shell. The client's own limit is 600 seconds.
func TestEachEventStartsItsVerbInExecForm(t *testing.T) {
	var got registrations
	decode(t, "hooks/hooks.json", &got)
	run := func(verb string) handler {
		return handler{Type: "command", Command: "${CLAUDE_PLUGIN_ROOT}/bin/omc-hook", Args: []string{verb}, Timeout: 10}
	}
	permit := run("permit")
	permit.If = "Bash(omc-hook *)"
	want := map[string][]group{
		"Stop":                {{Hooks: []handler{run("stop")}}},
		"UserPromptExpansion": {{Matcher: "omc-hook:goal-loop", Hooks: []handler{run("expand")}}},
		"PreToolUse":          {{Matcher: "Bash", Hooks: []handler{permit}}},
		"SessionStart":        {{Hooks: []handler{run("session-start")}}},
		"UserPromptSubmit":    {{Hooks: []handler{run("user-prompt")}}},
		"StopFailure":         {{Hooks: []handler{run("stop-failure")}}},
	}
	if diff := cmp.Diff(want, got.Hooks); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
}

// The event names a command as plugin:skill, also where the person typed the
// skill's name alone.
func TestEverySkillReachesTheExpansionHook(t *testing.T) {
	var got registrations
	decode(t, "hooks/hooks.json", &got)
	matched := strings.Split(got.Hooks["UserPromptExpansion"][0].Matcher, "|")
	skills, err := os.ReadDir(filepath.Join("..", "..", "skills"))
	if err != nil {
		t.Fatal(err)
	}
	for _, skill := range skills {
		if want := "omc-hook:" + skill.Name(); skill.IsDir() && !slices.Contains(matched, want) {
			t.Errorf("matcher %q: lacks %s", matched, want)
		}
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omc-hook/internal/loop/goal"
)

func TestTheSkillNamesEveryGatedAction(t *testing.T) {
	skill, err := os.ReadFile(filepath.Join("..", "..", "skills", "goal-loop", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range goal.Gated() {
		if !strings.Contains(string(skill), action) {
			t.Errorf("the skill does not name %q", action)
		}
	}
}

func TestAWordOfThePersonTakesTheWholeRest(t *testing.T) {
	tests := []struct{ args, word, want string }{
		{"authorize  push  to main ", "authorize", "push  to main"},
		{" own a b.go", "own", "a b.go"},
		{"own own", "own", "own"},
		{"authorize\ntwo\nlines", "authorize", "two\nlines"},
		{"own", "own", ""},
	}
	for _, tt := range tests {
		if got := afterWord(tt.args, tt.word); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.args, got, tt.want)
		}
	}
}

func TestPathLines(t *testing.T) {
	tests := []struct {
		name, data string
		want       []string
		ok         bool
	}{
		{"nothing", "", nil, true},
		{"one a line", "a.go\nb c.go\n\n", []string{"a.go", "b c.go"}, true},
		{"Windows line ends", "a.go\r\nb.go\r\n", []string{"a.go", "b.go"}, true},
		{"names that no line holds", "\"a\\nb\"\n\"\\\"q\\\"\"\n", []string{"a\nb", "\"q\""}, true},
		{"a quotation mark that is no JSON", "\"a\nb", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := pathLines([]byte(tt.data))
			if (err == nil) != tt.ok || strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

package prompt_test

import (
	"testing"

	"omc-hook/internal/prompt"
)

func TestFillReplacesEachNameOnce(t *testing.T) {
	values := map[string]string{"a": "1", "b": "{{a}}", "empty": "", "brace": "{{"}
	tests := []struct{ name, text, want string }{
		{"no names", "plain { text }}", "plain { text }}"},
		{"one name twice", "{{a}}-{{a}}", "1-1"},
		{"a value is never read as a text of ours", "{{b}}{{a}}", "{{a}}1"},
		{"a value that opens a name does not join with what follows", "{{brace}}a}}", "{{a}}"},
		{"an empty value", "<{{empty}}>", "<>"},
		{"an unknown name stays", "{{c}} {{a}}", "{{c}} 1"},
		{"a name that is not closed stays", "{{a", "{{a"},
		{"a name within an unknown one is found", "{{x {{a}}", "{{x 1"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := prompt.Fill(tt.text, values); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

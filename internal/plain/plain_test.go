package plain_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"omc-hook/internal/plain"
)

func TestLineIsOneShortLine(t *testing.T) {
	tests := []struct {
		name, input string
		limit       int
		want        string
	}{
		{"plain text", "fix the parser", 40, "fix the parser"},
		{"exactly the limit", "abcde", 5, "abcde"},
		{"one over the limit", "abcdef", 5, "abcd…"},
		{"runes, not bytes", "表表表表", 3, "表表…"},
		{"lines and tabs", " a\r\n\tb  c\n", 40, "a b c"},
		{"colours", "\x1b[1;31mred\x1b[0m", 40, "red"},
		{"a title without an end", "\x1b]0;title", 40, "0;title"},
		{"a hyperlink", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", 40, "link"},
		{"a charset switch", "\x1b(0x", 40, "x"},
		{"a bare escape at the end", "x\x1b", 40, "x"},
		{"a text that runs backwards", "a\u202eb\u2066c\u200fd", 40, "abcd"},
		{"hidden tags", "a\U000e0041\U000e0042b", 40, "ab"},
		{"invalid bytes", "a\xffb", 40, "a\ufffdb"},
		{"no room", "abc", 0, ""},
		{"room for the mark", "abc", 1, "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := plain.Line(tt.input, tt.limit); got != tt.want {
				t.Errorf("Line(%q, %d) = %q, want %q", tt.input, tt.limit, got, tt.want)
			}
		})
	}
}

func TestLineOfALineIsTheSame(t *testing.T) {
	hostile := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\x1b[]m;0\a\n\t\u202e\u009b"))))
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 200).Draw(t, "limit")
		got := plain.Line(hostile.Draw(t, "text"), limit)
		if utf8.RuneCountInString(got) > limit || strings.ContainsFunc(got, unicode.IsControl) {
			t.Fatalf("Line returned %q for limit %d", got, limit)
		}
		if again := plain.Line(got, limit); again != got {
			t.Fatalf("Line(%q) = %q", got, again)
		}
	})
}

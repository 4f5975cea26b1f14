// Package plain makes text of others safe to show: without what a terminal would
// obey or a reader would not see. It is pure.
package plain

import (
	"strings"
	"unicode/utf8"
)

const (
	escape = 0x1b
	bell   = 0x07
	csi    = 0x9b // the one-character form of ESC [
	// Ellipsis marks a cut.
	Ellipsis = "…"
)

// Line returns s as one line for people, at most limit runes long: white space
// runs become one space; control characters, escape sequences and what reorders
// or hides text are removed; a cut is marked with an ellipsis.
func Line(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	line := strings.Join(strings.Fields(Text(s)), " ")
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	cut := 0
	for range limit - 1 {
		_, size := utf8.DecodeRuneInString(line[cut:])
		cut += size
	}
	return line[:cut] + Ellipsis
}

// Text removes from s what a terminal would obey or a reader would not see.
// Newline and tab stay, other line breaks become newlines, and invalid UTF-8
// becomes U+FFFD.
func Text(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == escape:
			size = escapeLength(s[i+size:]) + size
		case r == csi:
			size = csiLength(s[i+size:]) + size
		case r == '\r' && !strings.HasPrefix(s[i:], "\r\n"), r == 0x2028, r == 0x2029:
			b.WriteByte('\n')
		case keeps(r):
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func keeps(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return false
	case r == 0x061c || r == 0x200e || r == 0x200f: // direction marks
		return false
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069: // bidi overrides and isolates
		return false
	case r >= 0xe0000 && r <= 0xe007f: // tags: text that nobody sees
		return false
	}
	return true
}

// escapeLength is the length of the escape sequence whose ESC stands before s.
func escapeLength(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '[':
		return 1 + csiLength(s[1:])
	case ']', 'P', 'X', '^', '_':
		return 1 + stringLength(s[1:])
	}
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
		i++
	}
	if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
		i++
	}
	return i
}

// csiLength is the length of parameters, intermediates and final of a control
// sequence.
func csiLength(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// stringLength is the length of a control string up to and with its end (BEL or
// ESC \). One without an end has length 0, so that it does not take the rest of
// the text with it.
func stringLength(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == bell:
			return i + 1
		case s[i] == escape && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case s[i] == '\n':
			return 0
		}
	}
	return 0
}

package goal

import (
	"strings"
	"testing"
)

func TestAnAnchorNamesAPlaceWhereALaterReaderCanLook(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{"a path and a line", "the limit stands in internal/store/cache.go:41", true},
		{"a path and a line, in brackets and at the end of a sentence", "see (`cache.go:41`).", true},
		{"a path, a line and a column", "cache.go:41:7", true},
		{"a path and lines", "cache.go:41-50", true},
		{"a file without an ending", "Makefile:3", true},
		{"a file in capitals", "LICENSE:3", true},
		{"a line as a forge writes it", "docs/api.md#L12", true},
		{"a heading", "docs/api.md#limits", true},
		{"a path of Windows", `internal\store\cache.go:41`, true},
		{"a URL", "https://example.com/rfc/12", true},
		{"a URL in angle brackets", "<http://example.com>", true},
		{"a commit", "since 4f2a9c1 it is gone", true},
		{"a range of commits", "4f2a9c1..8e8e8e8", true},
		{"a commit of digits, called so", "commit 1234567", true},
		{"a whole digest", "sha256:" + strings.Repeat("ab12", 16), true},
		{"a message id", "0f3a9c52-71be-4c0d-9a44-5d1e7b2c8f60", true},
		{"an issue", "owner/name#12", true},
		{"an issue of this repository", "see #12.", true},
		{"a merge request", "!31", true},
		{"nothing", "", false},
		{"a plain claim", "it is the usual way and everybody does it", false},
		{"a path alone", "internal/store/cache.go", false},
		{"a time of day", "at 10:41", false},
		{"a ratio", "3:1", false},
		{"a word and a number", "note:3", false},
		{"a number", "1234567", false},
		{"a word of hexadecimal letters", "defaced", false},
		{"a scheme without a host", "https://", false},
		{"a colon at the end", "cache.go:", false},
		{"a hash alone", "#", false},
		{"an exclamation", "now!", false},
		{"a day", "2026-03-01", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := anchored(tt.text); got != tt.want {
				t.Errorf("anchored(%q) = %v", tt.text, got)
			}
		})
	}
	for text, want := range map[string]bool{"Ada, 2026-03-01T10:00Z": true, "(2026-03-01)": true, "1 March": false, "26-3-1": false, "": false} {
		if got := dated(text); got != want {
			t.Errorf("dated(%q) = %v", text, got)
		}
	}
}

func TestAPlaceholderSaysNothing(t *testing.T) {
	for _, text := range []string{"", " \n", "TBD", "tbd.", "TBD: ask Ada", "n/a", "N / A", "None", "unknown", "?", "…", "...", "-", "<>", "todo later", "to be decided", "xxx", "not sure"} {
		if said(text) {
			t.Errorf("said(%q) holds", text)
		}
	}
	for _, text := range []string{"MIT", "7", "which licence?", "the TBD marker in x.go is to go", "TBD stands in four places of the file", "决定", "none of the three servers answers"} {
		if !said(text) {
			t.Errorf("said(%q) does not hold", text)
		}
	}
}

func TestAMessageIsObservedByItsIDOrTime(t *testing.T) {
	for _, text := range []string{
		"comment 4711", "sent 2026-03-01T10:02Z", "ts 1712345678.123", "message <a1@example.com> delivered 10:02", "merged as 4f2a9c1 and commented there, id 99",
		"posted at 10:02; a follow-up is planned",
	} {
		if !observed(text) {
			t.Errorf("observed(%q) does not hold", text)
		}
	}
	for _, text := range []string{
		"", "TBD", "sent", "I will send it at 10:02", "drafted at 10:02", "draft message 12", "planned for 2026-03-02", "will be sent 2026-03-02", "not sent, 10:02",
		"merged as 4f2a9c1", "pushed 2026-03-01", "pending since 10:02", "scheduled for 10:02",
	} {
		if observed(text) {
			t.Errorf("observed(%q) holds", text)
		}
	}
}

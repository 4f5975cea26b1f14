package hook_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"omc-hook/internal/hook"
)

func TestAnswersByteForByte(t *testing.T) {
	tests := []struct {
		name string
		got  []byte
		want string
	}{
		{
			"continue with block", hook.Continue(hook.DialectBlock, "Round 3", ""),
			`{"decision":"block","reason":"Round 3"}` + "\n",
		},
		{
			"continue with block and a note", hook.Continue(hook.DialectBlock, "Round 3", "round 3 of 12"),
			`{"decision":"block","reason":"Round 3","systemMessage":"round 3 of 12"}` + "\n",
		},
		{
			"continue with context", hook.Continue(hook.DialectContext, "Round 3", ""),
			`{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"Round 3"}}` + "\n",
		},
		{
			"continue with context and a note", hook.Continue(hook.DialectContext, "Round 3", "round 3 of 12"),
			`{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"Round 3"},"systemMessage":"round 3 of 12"}` + "\n",
		},
		{
			"continue with a blank text", hook.Continue(hook.DialectBlock, " \n\x1b[0m", " "),
			`{"decision":"block","reason":"Go on with the next action of the loop."}` + "\n",
		},
		{"a note", hook.Note("ended"), `{"systemMessage":"ended"}` + "\n"},
		{"an empty note", hook.Note(""), ""},
		{"a blank note", hook.Note(" \x00\n"), ""},
		{"an expansion answered", hook.BlockExpansion("paused"), `{"decision":"block","reason":"paused"}` + "\n"},
		{"an expansion answered with nothing", hook.BlockExpansion(""), `{"decision":"block","reason":"done"}` + "\n"},
		{
			"an expansion let through", hook.ExpandContext("run r1", "started"),
			`{"hookSpecificOutput":{"hookEventName":"UserPromptExpansion","additionalContext":"run r1"},"systemMessage":"started"}` + "\n",
		},
		{"an expansion with a note only", hook.ExpandContext("", "started"), `{"systemMessage":"started"}` + "\n"},
		{"an expansion with nothing", hook.ExpandContext("", ""), ""},
		{
			"the start of a session", hook.SessionContext("a loop is unfinished", ""),
			`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a loop is unfinished"}}` + "\n",
		},
		{
			"a tool call allowed", hook.Permission("allow", ""),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}` + "\n",
		},
		{
			"a tool call denied", hook.Permission("deny", "a hook verb"),
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"a hook verb"}}` + "\n",
		},
		{"no decision on a tool call", hook.Permission("ask", "x"), ""},
		{
			"text that is not escaped for HTML", hook.Note(`</script> & "q" \ 'x' 表`),
			`{"systemMessage":"</script> & \"q\" \\ 'x' 表"}` + "\n",
		},
		{
			"text with controls", hook.Note("a\x00b\r\nc\td\re\x1b[31mred\x1b[0m\x1b]0;title\x07f\u202eg\u009b2Jh\x7f\xffi"),
			`{"systemMessage":"ab\nc\td\neredfghi"}` + "\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.ReplaceAll(tt.want, "ghi", "gh\ufffdi")
			if diff := cmp.Diff(want, string(tt.got)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// hostile draws text of arbitrary bytes with terminal sequences in it.
func hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"\x1b[31m", "\x1b]8;;x\x1b\\", "\x1bP", "\x9b", "\u202e", "\u2028", "\r\n", `\u0000`, `"`}),
		rapid.SampledFrom([]string{strings.Repeat("表", 4000), strings.Repeat("\x1b[", 9000)}),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 6), func(p []string) string { return strings.Join(p, "") })
}

func TestAnswersAreOneBoundedDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, note := hostile().Draw(t, "text"), hostile().Draw(t, "note")
		for _, answer := range [][]byte{
			hook.Continue(hook.DialectBlock, text, note), hook.Continue(hook.DialectContext, text, note),
			hook.Note(note), hook.BlockExpansion(text), hook.ExpandContext(text, note),
			hook.SessionContext(text, note), hook.Permission("deny", text),
		} {
			checkAnswer(t, answer)
		}
	})
}

func checkAnswer(t *rapid.T, answer []byte) {
	if answer == nil {
		return
	}
	if !utf8.Valid(answer) || bytes.IndexByte(answer, '\n') != len(answer)-1 {
		t.Fatalf("answer %q is not one line of UTF-8", answer)
	}
	var object map[string]any
	if err := json.Unmarshal(answer, &object); err != nil {
		t.Fatalf("answer %q: %v", answer, err)
	}
	if _, found := object["continue"]; found {
		t.Fatalf("answer %q holds continue", answer)
	}
	var check func(value any)
	check = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, member := range value {
				check(member)
			}
		case string:
			if value == "" || len(value) > 9000 || strings.ContainsFunc(value, moves) {
				t.Fatalf("answer holds the text %q", value)
			}
		}
	}
	check(object)
}

func moves(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e
}

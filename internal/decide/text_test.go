package decide

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
)

const recordCommand = "omc-hook goal record --run g1a2b3c4d --stdin <<'EOF'"

func checkText(t rapid.TB, text string) {
	t.Helper()
	if lines := strings.Count(text, "\n") + 1; lines > maxTextLines {
		t.Errorf("got %d lines:\n%s", lines, text)
	}
	if n := utf8.RuneCountInString(text); n > maxTextRunes {
		t.Errorf("got %d runes:\n%s", n, text)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r >= 0x202a && r <= 0x202e }) {
		t.Errorf("control characters in %q", text)
	}
	for _, want := range []string{recordCommand, `"decision":"SUCCESS"`, `"BLOCKED"`, "omc-hook show"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

func TestATextHasFourLinesAndSixHundredRunesWhateverTheStateSays(t *testing.T) {
	hostile := []string{
		strings.Repeat("run X again from the start. ", 8_000), strings.Repeat("x", 200_000), strings.Repeat("🙂", 50_000),
		strings.Repeat("line\n", 40_000), "---\niteration: 9\r\n```json omc-hook\n{}\n```", "{{round}} {{press}} \x1b[2J\u202eabc\x00", "",
		`fix the "no such file or directory" error`,
	}
	for i, text := range hostile {
		for _, rounds := range []int64{0, 9_998} {
			for nudge := int64(1); nudge <= 8; nudge++ {
				t.Run(fmt.Sprintf("text %d, round %d, nudge %d", i, rounds+1, nudge), func(t *testing.T) {
					w := going()
					w.state.Prompt, w.state.NextAction = text, text
					w.state.Planned, w.state.Rounds, w.state.Iteration = 9_999, rounds, nudge-1
					w.state.HighWater.Iteration = nudge - 1
					w.event.Tasks = []hook.Task{{ID: strings.Repeat("b", i*12), Type: "shell", Status: "running"}}
					v := w.stop()
					if v.Action != Continue {
						t.Fatalf("got %v by %s (%s)", v.Action, v.Rule, v.Detail)
					}
					checkText(t, v.Text)
					if strings.Contains(v.Text, " Shell ") && !strings.HasSuffix(v.Text, "--for 30m") {
						t.Errorf("half a command:\n%s", v.Text)
					}
				})
			}
		}
	}
}

func TestATextIsBoundedForAnyPrompt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := going()
		w.state.NextAction = strings.Repeat(rapid.String().Draw(t, "next"), rapid.IntRange(0, 300).Draw(t, "times"))
		w.state.Prompt = rapid.String().Draw(t, "prompt")
		checkText(t, w.stop().Text)
	})
}

func TestTheThirdAndTheSixthNudgePressForARecord(t *testing.T) {
	w := going()
	w.state.Iteration, w.state.HighWater.Iteration = 0, 0
	for i := 1; i <= 8; i++ {
		w.turn(string(rune('a' + i)))
		v := w.step(t)
		if !strings.Contains(v.Text, fmt.Sprintf("nudge %d of 8", i)) {
			t.Errorf("nudge %d: got\n%s", i, v.Text)
		}
		if got, want := strings.Contains(v.Text, "without a record: record this round now"), i == 3 || i == 6; got != want {
			t.Errorf("nudge %d presses: got %v, want %v", i, got, want)
		}
	}
}

func TestAShellThatNobodyWaitsForIsNamedWithTheWayToWait(t *testing.T) {
	w := going()
	w.event.Tasks = []hook.Task{{ID: "b1", Type: "shell", Status: "completed"}, {ID: "b2", Type: "shell", Status: "running"}}
	if v := w.stop(); !strings.Contains(v.Text, "omc-hook wait b2 --for 30m") || strings.Contains(v.Text, "b1") {
		t.Errorf("got\n%s", v.Text)
	}
}

// Field case 70: the next item first, the ways out after it and with their
// condition, and never a word of cancelling.
func TestATextNamesTheNextActionBeforeAnyWayOut(t *testing.T) {
	text := going().stop().Text
	last := -1
	for _, part := range []string{"round 3 of 12", "Next: write the test of the lexer", recordCommand, "All criteria hold", "Nothing safe is left"} {
		at := strings.Index(text, part)
		if at <= last {
			t.Errorf("%q is not there, or not in its order:\n%s", part, text)
		}
		last = at
	}
	if strings.Contains(strings.ToLower(text), "cancel") {
		t.Errorf("the text speaks of cancelling:\n%s", text)
	}
}

func TestContinuationSaysWhatTheNextStopWouldSay(t *testing.T) {
	w := going()
	w.step(t)
	if got, want := Continuation("goal-loop", loop.NewView(w.state, 8)), Stop(w.input()).Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Continuation("foo", loop.View{}); got != "" {
		t.Errorf("an unknown mode: got %q", got)
	}
}

package goal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"omc-hook/internal/loop"
	"omc-hook/internal/plain"
)

// texts are all texts that the workflow gives to the model or the person.
func texts(t *testing.T) map[string]string {
	t.Helper()
	run := steps(t, Run{}, startSignal("--max-minutes=5 --state-dir=a/b finish it"))
	ended := viewOf(12)
	ended.Outcome = "BUDGET"
	return map[string]string{"continuation": Continuation(viewOf(12), 3), "start": Started(run), "end": Ended(ended), "template": Template()}
}

func TestNoTextHasANameLeftInIt(t *testing.T) {
	for name, text := range texts(t) {
		if strings.Contains(text, "{{") || strings.Contains(text, "}}") || strings.TrimSpace(text) == "" {
			t.Errorf("%s: got\n%s", name, text)
		}
	}
}

// Field case 20: what the model reads, or echoes, starts nothing.
func TestNoSentenceOfAContinuationStartsAnything(t *testing.T) {
	for _, nudge := range []int64{1, 3} {
		text := Continuation(viewOf(12), nudge)
		if strings.Contains(text, "/"+Mode) || strings.Contains(text, "/omc-hook") {
			t.Errorf("a slash command in:\n%s", text)
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "/") || strings.HasPrefix(line, "!") {
				t.Errorf("the line begins like a command: %s", line)
			}
			if in, err := ParseInvocation(line); err == nil && in.Continue {
				t.Errorf("the line is an invocation: %s", line)
			}
		}
		if _, err := ParseInvocation(text); err == nil {
			t.Errorf("accepted as a goal:\n%s", text)
		}
	}
}

func TestAContinuationFallsBackToTheGoalAndTheLease(t *testing.T) {
	v := viewOf(12)
	v.NextAction, v.RunID, v.HasPlanned, v.LeaseSize = " ", "", false, 10
	got := Continuation(v, 4)
	for _, want := range []string{"round 3 of 10, nudge 4 of 10", "Next: finish the parser", "omc-hook goal record --stdin"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestTheStartSaysWhatTheRunIs(t *testing.T) {
	got := texts(t)["start"]
	for _, want := range []string{"run g1, segment 1, round 1 of 50", "50 rounds, 3 in a row without progress, 3 in a row with a failure, 5 minutes", "a/b/GOAL.md", "a/b/GOAL-WORKLOG.md", "--run g1 --stdin"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestTheEndSaysHowToGoOn(t *testing.T) {
	for outcome, want := range map[string]string{
		"SUCCESS": "/goal-loop --continue NEW GOAL.", "BUDGET": "/goal-loop --continue.", "CANCELLED": "/goal-loop --continue.",
	} {
		v := viewOf(12)
		v.Outcome = outcome
		if got := Ended(v); !strings.Contains(got, outcome+" after 2 rounds of 12.") || !strings.Contains(got, want) || !strings.Contains(got, ".goal-loop/GOAL-WORKLOG.md") {
			t.Errorf("got %s", got)
		}
	}
	v := viewOf(12)
	v.Outcome, v.StateDir, v.Rounds = "done\x1b[2J", "", 1
	if got := Ended(v); strings.Contains(got, "Go on") || strings.Contains(got, "\x1b") || !strings.Contains(got, "1 round of") {
		t.Errorf("an unknown outcome: got %q", got)
	}
}

func TestBoundHoldsWhenThePlanIsUsed(t *testing.T) {
	for planned, want := range map[int64]string{1: loop.PausedPlan, 2: loop.PausedPlan, 3: ""} {
		if got, _ := Bound(viewOf(planned)); got != want {
			t.Errorf("two rounds of %d: got %q, want %q", planned, got, want)
		}
	}
	v := viewOf(1)
	v.HasPlanned = false
	if got, _ := Bound(v); got != "" {
		t.Errorf("without a plan: got %q", got)
	}
}

func TestCleanIsOneShortVisibleLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 50).Draw(t, "most")
		got := plain.Line(hostile().Draw(t, "text"), most)
		if utf8.RuneCountInString(got) > most || strings.ContainsAny(got, "\n\r\t\x00\x1b\u202e\u2028") || !utf8.ValidString(got) {
			t.Fatalf("got %q", got)
		}
	})
}

package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Case 58: thirty continuations with a huge goal stay short and say it all.
func TestAHugeGoalIsNotRepeated(t *testing.T) {
	w := going()
	w.state.Planned, w.state.Prompt, w.state.NextAction = 100, strings.Repeat("run X again from the start. ", 8_000), ""
	for i := range 30 {
		w.turn(fmt.Sprint(i))
		v := w.step(t)
		checkText(t, v.Text)
		w.recorded(t)
	}
}

// Outcomes are told once, then the state goes to the archive.
func TestAnOutcomeIsToldOnceAndArchived(t *testing.T) {
	for _, outcome := range []string{"SUCCESS", "BLOCKED", "ERROR", "BUDGET", "CANCELLED"} {
		w := going()
		w.state.Active, w.state.Outcome = false, outcome
		v := w.stop()
		if v.Action != Allow || !v.Archive || !strings.Contains(v.Note, outcome) {
			t.Errorf("%s: got %v, archive %v, note %q", outcome, v.Action, v.Archive, v.Note)
		}
		w.change(t, v.Edits...)
		if v := w.stop(); v.Rule != "not-active" || v.Note != "" {
			t.Errorf("%s again: got %s, note %q", outcome, v.Rule, v.Note)
		}
	}
}

// A note of a rule that changes nothing else is given once for our own state.
func TestANoteIsGivenOnceForARunOfEqualVerdicts(t *testing.T) {
	for _, match := range []func(w *world){func(w *world) { stale(w, 3*time.Hour) }, func(w *world) { w.facts.Rivals = []Rival{{"x", "/x"}} }} {
		w := going()
		match(w)
		first, again := w.step(t), w.step(t)
		if first.Note == "" || again.Note != "" || again.Rule != first.Rule || again.Writes() {
			t.Errorf("%s: notes %q and %q", first.Rule, first.Note, again.Note)
		}
	}
	w := going()
	w.facts.Rivals = []Rival{{"x", "/x"}}
	w.step(t)
	w.facts.Rivals = nil
	w.step(t)
	w.facts.Rivals = []Rival{{"x", "/x"}}
	if v := w.step(t); v.Rule != "rival" || v.Note == "" {
		t.Errorf("after a continuation: got %s, note %q", v.Rule, v.Note)
	}
}

// Who interrupted a turn is told that the loop goes on.
func TestAnInterruptedTurnIsToldThatTheLoopGoesOn(t *testing.T) {
	tests := []struct {
		name   string
		change func(w *world)
		note   bool
	}{
		{"the same prompt", func(*world) {}, false},
		{"another prompt", func(w *world) { w.event.PromptID = "p2" }, true},
		{"another prompt, nobody there", func(w *world) { w.event.PromptID, w.facts.Attended = "p2", false }, false},
		{"a task's end began the turn", func(w *world) { w.event.PromptID, w.state.BackgroundSince = "p2", noon().Add(-time.Minute) }, false},
		{"the first stop of the loop", func(w *world) { w.event.PromptID, w.state.PromptID = "p2", "" }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := going()
			tt.change(w)
			v := w.stop()
			if v.Action != Continue || (v.Note != "") != tt.note || tt.note && !strings.Contains(v.Note, "/goal-loop pause") {
				t.Errorf("got %v by %s, note %q", v.Action, v.Rule, v.Note)
			}
		})
	}
}

package decide

import (
	"errors"
	"testing"
	"time"

	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
)

// ruleCase is what makes a going world match a rule, and what nearly does.
type ruleCase struct {
	id    string
	match func(w *world)
	near  func(w *world)
	// apart says why no input matches both this rule and the next.
	apart string
}

// ruleCases has a case for each rule, in the order of the rules.
func ruleCases() []ruleCase {
	return append(append(beforeCases(), duringCases()...), boundCases()...)
}

func beforeCases() []ruleCase {
	return []ruleCase{
		{"switched-off", func(w *world) { w.facts.SwitchedOff = "DISABLE_OMC" }, func(w *world) { w.facts.SwitchedOff = "" }, ""},
		{"unreadable-event", func(w *world) { w.err = errors.New("not JSON") }, func(w *world) { w.err = nil }, ""},
		{"subagent", func(w *world) { w.event.AgentID = "a1" }, func(w *world) { w.event.AgentID, w.event.Name = "", "" }, ""},
		{"no-session", func(w *world) { w.event.SessionID = "../S1" }, func(w *world) { w.event.SessionID, w.state.SessionID = "S-1_x", "S-1_x" }, ""},
		{
			"no-mode-state", func(w *world) { w.gone = true }, func(w *world) { w.fault = "is a link" },
			"a state that is not there is not unreadable",
		},
		{
			"unreadable-state", func(w *world) { w.raw = `{"active":true,"active":false}` }, func(w *world) { w.raw = "\xef\xbb\xbf" + string(w.data()) },
			"an unreadable state has no outcome",
		},
		{
			"outcome", func(w *world) { w.state.Outcome = "SUCCESS" },
			func(w *world) { w.state.Outcome, w.state.Told = "SUCCESS", "outcome" }, "",
		},
		{"not-active", func(w *world) { w.state.Active = false }, func(w *world) { w.state.Active = true }, ""},
		{"other-session", func(w *world) { w.state.SessionID = "s1" }, func(w *world) { w.state.SessionID = "S1" }, ""},
		{"other-repository", func(w *world) { w.state.ProjectPath = "/p/sub" }, func(w *world) { w.state.ProjectPath = "/p" }, ""},
		{"other-authority", func(w *world) { w.state.Authority = "manual-resume" }, func(w *world) { w.state.Authority = "omc-hook" }, ""},
		{
			"stop-reason", func(w *world) { w.event.Reasons = []string{"rate_limit"} },
			func(w *world) { w.event.Reasons = []string{"the rate limit of the parser is fixed"} }, "",
		},
		{"kill-switch", func(w *world) { w.facts.StopFile = "/p/.goal-loop/STOP" }, func(w *world) { w.facts.StopFile = "" }, ""},
	}
}

func duringCases() []ruleCase {
	return []ruleCase{
		{
			"paused", func(w *world) { w.state.Paused = modestate.Pause{Cause: loop.PausedByPerson} },
			func(w *world) { w.state.Paused = modestate.Pause{Cause: loop.PausedRate, Until: noon()} }, "",
		},
		{"plan-mode", func(w *world) { w.event.PermissionMode = "plan" }, func(w *world) { w.event.PermissionMode = "acceptEdits" }, ""},
		{"not-fresh", func(w *world) { stale(w, 2*time.Hour+time.Second) }, func(w *world) { stale(w, 2*time.Hour) }, ""},
		{
			"rival", func(w *world) {
				w.facts.Rivals = []Rival{{"OMC's ralph", "/p/.omc/state/sessions/S1/ralph-state.json"}}
			},
			func(w *world) { w.facts.Rivals = []Rival{} }, "",
		},
		{"context-full", func(w *world) { w.facts.ContextTokens = 190_000 }, func(w *world) { w.facts.ContextTokens = 189_999 }, ""},
		{
			"command-waits", func(w *world) { w.facts.Waiting = []Typed{{"/goal-loop status", noon()}} },
			func(w *world) {
				w.facts.Waiting = []Typed{{"/goal-loop status", noon()}}
				w.state.Yielded = modestate.Yield{CommandAt: noon(), At: noon()}
			}, "",
		},
		{
			"background", func(w *world) { w.event.Tasks = []hook.Task{{ID: "a1", Type: "subagent", Status: "running"}} },
			func(w *world) {
				w.event.Tasks = []hook.Task{{ID: "a1", Type: "subagent", Status: "completed"}, {ID: "b1", Type: "shell", Status: "running"}}
			}, "",
		},
		{"duplicate", func(w *world) { seen(w, 500*time.Millisecond) }, func(w *world) { seen(w, 501*time.Millisecond) }, ""},
	}
}

// stale makes the newest time of the state d old, in a turn of another prompt.
func stale(w *world, d time.Duration) {
	at := noon().Add(-d)
	w.state.StartedAt, w.state.UpdatedAt, w.state.LastCheckedAt = at.Add(-time.Hour), at, at
	w.event.PromptID = "p2"
}

// seen makes the state hold the event of w, counted d ago.
func seen(w *world, d time.Duration) {
	s := prepare(w.input())
	w.state.Seen = modestate.Seen{Key: s.eventKey(), At: noon().Add(-d), Times: 1}
}

func boundCases() []ruleCase {
	return []ruleCase{
		{"workflow-bound", func(w *world) { w.state.Rounds = 12 }, func(w *world) { w.state.Rounds = 11 }, ""},
		{
			"wall-clock", func(w *world) { w.state.Deadline, w.state.MaxMinutes = noon().Add(-time.Nanosecond), 60 },
			func(w *world) { w.state.Deadline, w.state.MaxMinutes = noon(), 60 }, "",
		},
		{"minimal-answers", func(w *world) { answered(w, 2) }, func(w *world) { answered(w, 1) }, ""},
		{"continuations-used", func(w *world) { w.state.Continuations = 24 }, func(w *world) { w.state.Continuations = 23 }, ""},
		{"lease-used", func(w *world) { w.state.Iteration = 8 }, func(w *world) { w.state.Iteration = 7 }, ""},
		{"continue", func(*world) {}, func(w *world) { w.state.HighWater.Iteration = 8 }, ""},
	}
}

// answered makes the answer of w the same as the n before it.
func answered(w *world, n int64) {
	w.state.Same = modestate.Same{Digest: digest(w.event.Message), Count: n}
}

func TestAStateOfThisBuildThatNamesNothingIsNotContinued(t *testing.T) {
	tests := []struct {
		name string
		edit func(w *world)
		rule string
	}{
		{"no repository", func(w *world) { w.state.ProjectPath = "" }, "other-repository"},
		{"no authority", func(w *world) { w.state.Authority = "" }, "other-authority"},
		{"minutes without a deadline", func(w *world) { w.state.MaxMinutes = 5 }, "wall-clock"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := going()
			tt.edit(w)
			if v := w.stop(); v.Rule != tt.rule {
				t.Errorf("got rule %s, want %s", v.Rule, tt.rule)
			}
		})
	}
}

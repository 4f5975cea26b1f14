//go:build linux

package realclient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// idle changes an entry into one of a round that brought nothing.
func idle() map[string]any { return map[string]any{"progress": []any{}} }

// wantEnd checks how a run of n rounds ended: its trace, its mode state, its
// worklog, and what the person and the model read.
func wantEnd(t *testing.T, w *World, p *Printed, n int, outcome, reason string) {
	t.Helper()
	wantTrace(t, trace(w, w.Work, p.Session), n-1, "allow outcome")
	if s := modeState(w, w.Work, p.Session); s.Get("outcome").String() != outcome || s.Get("active").Bool() || s.Get("rounds").Int() != int64(n) {
		t.Errorf("the mode state is %s", s.Raw)
	}
	log := worklog(w, w.Work)
	if !strings.Contains(log, "Segment 1 ended: "+outcome) || !strings.Contains(log, reason) || !strings.Contains(log, `"kind":"closed"`) {
		t.Errorf("the worklog does not say %s (%s):\n%s", outcome, reason, log)
	}
	if got := noted(p); !strings.Contains(got, "goal-loop ended: "+outcome) || !strings.Contains(got, "/goal-loop --continue") {
		t.Errorf("the person reads %q", got)
	}
	last := p.Requests()[len(p.Requests())-1]
	if !last.Read("the loop has ended: " + outcome) {
		t.Errorf("the model reads %q after its last record", last.New)
	}
}

func TestAPlanThatIsUsedUpEndsWithBudget(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: "default", Prompt: "/goal-loop --max-iterations=3 work",
		Main: InOrder(record(1, nil), Say("one"), record(2, nil), Say("two"), record(3, nil), Say("three")),
	})
	wantEnd(t, w, p, 3, "BUDGET", "all 3 iterations are used")
}

func TestRoundsWithoutProgressEndWithBudget(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: "default", Prompt: "/goal-loop --no-progress-limit=2 work",
		Main: InOrder(record(1, nil), Say("one"), record(2, idle()), Say("two"), record(3, idle()), Say("three")),
	})
	wantEnd(t, w, p, 3, "BUDGET", "2 rounds in a row brought no progress")
}

func TestFailuresInARowEndWithError(t *testing.T) {
	w := NewWorld(t)
	failure := func(what string) map[string]any { return map[string]any{"failure": what} }
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: "default", Prompt: "/goal-loop --failure-limit=2 work",
		Main: InOrder(record(1, failure("the disk is full")), Say("one"), record(2, nil), Say("two"),
			record(3, failure("the disk is full")), Say("three"), record(4, failure("no compiler")), Say("four")),
	})
	wantEnd(t, w, p, 4, "ERROR", "2 rounds in a row failed")
}

func TestACancelledRunGoesOnInASecondSegmentWithItsHistory(t *testing.T) {
	w := NewWorld(t)
	plugin := ownPlugin(w, "omc-hook")
	w.Print(Session{
		Plugins: []string{plugin}, Prompt: "/goal-loop --max-iterations=5 the first goal",
		Main: InOrder(record(1, nil), Say("one"), chat()),
	})
	stopped := w.Print(Session{Plugins: []string{plugin}, Prompt: "/goal-loop stop"})
	if !strings.Contains(stopped.Result(), "goal-loop stopped: CANCELLED in round 2") {
		t.Errorf("the stop answers %q", stopped.Result())
	}
	before := worklog(w, w.Work)
	refused := w.Print(Session{Plugins: []string{plugin}, Prompt: "/goal-loop", Main: chat()})
	if len(refused.Requests()) != 0 || !strings.Contains(refused.Result(), "ended with CANCELLED") {
		t.Errorf("a start without --continue: %d requests, %q", len(refused.Requests()), refused.Result())
	}
	second := w.Print(Session{
		Plugins: []string{plugin}, Mode: "default", Prompt: "/goal-loop --continue the second goal",
		Main: InOrder(record(1, nil), Say("one"), record(2, success()), Say("the end")),
	})
	if second.Result() != "the end" || len(second.Denials()) != 0 {
		t.Errorf("the second segment ended with %q and denials %v", second.Result(), second.Denials())
	}
	if !second.Requests()[0].Read("segment 2, round 1 of 5") {
		t.Errorf("the model reads %q at the start of segment 2", second.Requests()[0].New)
	}
	log := worklog(w, w.Work)
	if !strings.HasPrefix(log, before) {
		t.Error("the history of the first segment was changed")
	}
	for _, want := range []string{"Segment 1 ended: CANCELLED", "Segment 2, Iteration 0", "Segment 2 ended: SUCCESS"} {
		if !strings.Contains(log, want) {
			t.Errorf("the worklog lacks %q", want)
		}
	}
	goals, err := os.ReadFile(filepath.Join(w.Work, ".goal-loop/GOAL.md"))
	if err != nil || !strings.Contains(string(goals), "the first goal") || !strings.Contains(string(goals), "the second goal") {
		t.Errorf("GOAL.md holds (%v)\n%s", err, goals)
	}
	wantTrace(t, trace(w, w.Work, second.Session), 1, "allow outcome")
}

func TestWhatThePersonAuthorizesReachesTheModelAndStaysInTheRun(t *testing.T) {
	w := NewWorld(t)
	gate := NewGate()
	term := w.Open(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: "default",
		Main: InOrder(Say("one"), gate.Hold(Say("two")), Bash("omc-hook goal authorizations"), record(1, success()), Say("the end")),
	})
	term.Submit("/goal-loop --max-iterations=4 work")
	term.WaitForGate(gate)
	term.Submit("/goal-loop authorize pushing to origin main")
	term.WaitUntil("the command waits", func(string) bool { return strings.Contains(queue(w, term), "authorize pushing") })
	gate.Open()
	term.WaitFor("goal-loop ended: SUCCESS")
	told, listed := false, false
	for _, r := range term.Requests() {
		told = told || r.Read("The person authorizes for this run, and for exactly this")
		listed = listed || r.Read("UTC: pushing to origin main")
	}
	if !told || !listed {
		t.Errorf("the model was told: %v, and finds it listed: %v", told, listed)
	}
	if log := worklog(w, w.Work); strings.Contains(log, "pushing to origin main") {
		t.Error("the word stands in a file of the repository")
	}
}

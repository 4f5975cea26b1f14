//go:build linux

package realclient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestALoopIsStoppedFromASecondSession(t *testing.T) {
	w := NewWorld(t)
	plugin := ownPlugin(w, "omc-hook")
	gate := NewGate()
	term := w.Open(Session{Plugins: []string{plugin}, Main: InOrder(Say("one"), gate.Hold(Say("two")), Say("three"))})
	term.Submit("/goal-loop --max-iterations=12 work")
	term.WaitForGate(gate)
	p := w.Print(Session{Plugins: []string{plugin}, Prompt: "/goal-loop stop"})
	if len(p.Requests()) != 0 || !strings.Contains(p.Result(), "goal-loop stopped: CANCELLED") {
		t.Errorf("the second session got %d requests and %q", len(p.Requests()), p.Result())
	}
	gate.Open()
	term.WaitFor("goal-loop ended: CANCELLED")
	wantTrace(t, trace(w, w.Work, term.Session), 1, "allow outcome")
	if got := worklog(w, w.Work); !strings.Contains(got, "Segment 1 ended: CANCELLED") || !strings.Contains(got, `"kind":"closed"`) {
		t.Errorf("the worklog does not say that the run was cancelled:\n%s", got)
	}
}

func TestALoopIsStoppedInMidTurnFromItsOwnTerminal(t *testing.T) {
	w := NewWorld(t)
	gate := NewGate()
	term := w.Open(Session{Plugins: []string{ownPlugin(w, "omc-hook")}, Main: InOrder(Say("one"), gate.Hold(Say("two")), Say("three"))})
	term.Submit("/goal-loop --max-iterations=12 work")
	term.WaitForGate(gate)
	term.Submit("/goal-loop stop")
	term.WaitUntil("the command waits", func(string) bool { return strings.Contains(queue(w, term), "/goal-loop stop") })
	gate.Open()
	term.WaitFor("goal-loop stopped: CANCELLED")
	wantTrace(t, trace(w, w.Work, term.Session), 1, "allow command-waits")
	if got := len(term.Requests()); got != 2 {
		t.Errorf("the model was asked %d times, want 2", got)
	}
	if s := modeState(w, w.Work, term.Session); s.Get("outcome").String() != "CANCELLED" || s.Get("active").Bool() {
		t.Errorf("the mode state is %s", s.Raw)
	}
}

func TestAStatusTypedInMidTurnDoesNotEndTheLoop(t *testing.T) {
	w := NewWorld(t)
	gate := NewGate()
	term := w.Open(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")},
		Main:    InOrder(Say("one"), gate.Hold(Say("two")), record(1, success()), Say("the end")),
	})
	term.Submit("/goal-loop --max-iterations=12 work")
	term.WaitForGate(gate)
	term.Submit("/goal-loop status")
	term.WaitUntil("the command waits", func(string) bool { return strings.Contains(queue(w, term), "/goal-loop status") })
	gate.Open()
	term.WaitFor("goal-loop ended: SUCCESS")
	if !strings.Contains(term.Screen(), "continues: the next stop of session") {
		t.Error("the person does not see the status")
	}
	wantTrace(t, trace(w, w.Work, term.Session), 1, "allow command-waits\nallow outcome")
}

func TestAnotherSessionOfTheRepositoryIsLeftAlone(t *testing.T) {
	w := NewWorld(t)
	plugin := ownPlugin(w, "omc-hook")
	first := w.Print(Session{Plugins: []string{plugin}, Prompt: "/goal-loop talk", Main: chat()})
	state := filepath.Join(w.Work, ".omc/state/sessions", first.Session, "goal-loop-state.json")
	before, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	second := w.Print(Session{Plugins: []string{plugin}, Prompt: "say hello", Main: chat()})
	if got := len(second.Requests()); got != 1 {
		t.Errorf("the second session asked the model %d times, want once", got)
	}
	after, err := os.ReadFile(state)
	if err != nil || string(after) != string(before) {
		t.Errorf("the first session's state changed (%v)", err)
	}
	if _, err := os.Stat(filepath.Join(w.Work, ".omc/state/sessions", second.Session)); err == nil {
		t.Error("the second session left a directory")
	}
	if second.Requests()[0].Read(first.Session) {
		t.Error("the model of the second session reads of the first")
	}
}

func TestALoopGoesOnInASecondProcess(t *testing.T) {
	w := NewWorld(t)
	plugin := ownPlugin(w, "omc-hook")
	first := w.Print(Session{Plugins: []string{plugin}, Prompt: "/goal-loop --max-iterations=12 work", Main: chat()})
	second := w.Print(Session{
		Plugins: []string{plugin}, Prompt: "go on", Resume: first.Session, Mode: "default",
		Main: InOrder(record(1, nil), Say("one"), record(2, success()), Say("two")),
	})
	if len(second.Denials()) != 0 || second.Result() != "two" {
		t.Errorf("the second process ended with %q and denials %v", second.Result(), second.Denials())
	}
	wantTrace(t, trace(w, w.Work, first.Session), 8, "allow lease-used\ncontinue continue\nallow outcome")
}

// The client in print mode ends without waiting for the hook of a failed turn, so
// the pause is looked for in a terminal alone.
func TestALoopIsPausedByAnErrorOfTheAPI(t *testing.T) {
	w := NewWorld(t)
	term := w.Open(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"},
		Main: InOrder(record(1, nil), Say("one"), Fail(529), Say("again"), record(2, success()), Say("the end")),
	})
	term.Submit("/goal-loop --max-iterations=12 work")
	file := filepath.Join(w.Work, ".omc/state/sessions", term.Session, "goal-loop-state.json")
	term.WaitUntil("the loop is paused", func(string) bool {
		data, _ := os.ReadFile(file)
		s := gjson.ParseBytes(data)
		return s.Get("paused.cause").String() == "api-error" && s.Get("active").Bool() && s.Get("rounds").Int() == 1
	})
	term.Submit("go on")
	term.WaitFor("goal-loop ended: SUCCESS")
	wantTrace(t, trace(w, w.Work, term.Session), 2, "allow outcome")
}

func TestALoopGoesOnAfterAnErrorOfTheAPIInASecondProcess(t *testing.T) {
	w := NewWorld(t)
	plugin := ownPlugin(w, "omc-hook")
	first := w.Print(Session{
		Plugins: []string{plugin}, Prompt: "/goal-loop --max-iterations=12 work", Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"},
		Main: InOrder(record(1, nil), Say("one"), Fail(500)),
	})
	second := w.Print(Session{Plugins: []string{plugin}, Prompt: "go on", Resume: first.Session, Main: InOrder(Say("again"), record(2, success()), Say("the end"))})
	if second.Result() != "the end" {
		t.Errorf("the resumed session ended with %q", second.Result())
	}
	wantTrace(t, trace(w, w.Work, first.Session), 2, "allow outcome")
}

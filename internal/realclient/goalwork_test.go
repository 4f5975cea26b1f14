//go:build linux

package realclient

import (
	"strings"
	"testing"
)

func TestABackgroundSubagentIsWaitedForWithoutAStopBeingCounted(t *testing.T) {
	w := NewWorld(t)
	gate := NewGate()
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: "default", Prompt: "/goal-loop --max-iterations=12 work",
		Main: InOrder(
			Agent("look at a part"),
			func(*Request) Step { gate.Open(); return Step{Text: "waiting for the subagent"} },
			record(1, nil), Say("one"), record(2, success()), Say("the end"),
		),
		Sub: gate.Hold(Say("looked")),
	})
	if len(p.Denials()) != 0 || p.Result() != "the end" {
		t.Errorf("got result %q and denials %v, want the model's records permitted after the subagent's end", p.Result(), p.Denials())
	}
	got := strings.Join(trace(w, w.Work, p.Session), "\n")
	if got != "allow background\ncontinue continue\nallow outcome" && got != "continue continue\nallow outcome" {
		t.Errorf("the trace is\n%s", got)
	}
	if s := modeState(w, w.Work, p.Session); s.Get("continuations").Int() > 1 {
		t.Errorf("waiting was counted: %s", s.Raw)
	}
}

func TestAServerInTheBackgroundDoesNotHoldTheLoopUp(t *testing.T) {
	w := NewWorld(t)
	// The client in print mode does not end while a shell runs, so this server
	// stops when the loop has ended.
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Prompt: "/goal-loop --max-iterations=12 work",
		Main: InOrder(BashInBackground("while [ ! -e over ]; do sleep 0.2; done"), record(1, nil), Say("one"), record(2, success()),
			Bash("touch over"), Say("the end")),
	})
	wantTrace(t, trace(w, w.Work, p.Session), 1, "allow outcome")
	read := false
	for _, r := range p.Requests() {
		read = read || r.Read("omc-hook wait")
	}
	if !read {
		t.Error("the continuation does not name the shell that nobody waits for")
	}
}

func TestALoopIsFoundFromASubdirectoryAndALinkedWorktree(t *testing.T) {
	tests := map[string]string{
		"a subdirectory":    "mkdir -p sub/deep && cd sub/deep && pwd",
		"a linked worktree": "git worktree add -q wt && cd wt && pwd",
	}
	for name, enter := range tests {
		t.Run(name, func(t *testing.T) {
			w := NewWorld(t)
			p := w.Print(Session{
				Plugins: []string{ownPlugin(w, "omc-hook")}, Prompt: "/goal-loop --max-iterations=12 work",
				Main: InOrder(Bash(enter), record(1, nil), Say("one"), record(2, success()), Say("the end")),
			})
			wantTrace(t, trace(w, w.Work, p.Session), 1, "allow outcome")
			if got := strings.Count(worklog(w, w.Work), `"kind":"iteration"`); got != 2 {
				t.Errorf("the worklog has %d rounds, want 2", got)
			}
		})
	}
}

func TestASubagentCannotRecord(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Prompt: "/goal-loop --max-iterations=12 work",
		Main: InOrder(Agent("record for me"), chat()),
		Sub:  InOrder(record(1, success()), Say("tried")),
	})
	sub := p.SubRequests()
	if len(sub) < 2 || strings.Contains(sub[1].New, "recorded: round") {
		t.Fatalf("the subagent's record was not refused: %d requests", len(sub))
	}
	s := modeState(w, w.Work, p.Session)
	if s.Get("rounds").Int() != 0 || s.Get("outcome").String() != "" {
		t.Errorf("the mode state is %s", s.Raw)
	}
	if strings.Contains(worklog(w, w.Work), `"kind":"iteration"`) {
		t.Error("the round of the subagent is on record")
	}
}

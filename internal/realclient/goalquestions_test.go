//go:build linux

package realclient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bookForm answers with one record of the model: a command and its JSON object.
func bookForm(command, object string) Script {
	return Bash("omc-hook " + command + " --stdin <<'EOF'\n" + object + "\nEOF")
}

const parkedQuestion = `{"context": "the licence", "evidence": "LICENSE is absent", "why": "it is the owner's right", "blocks_all": true, "answer": "its name"}`

// blockedOnQ1 changes an entry into one that ends the run with BLOCKED.
func blockedOnQ1() map[string]any {
	return map[string]any{
		"decision": "BLOCKED", "kind": "human-decision", "reason": "nothing is left but the licence", "needs": "Q1: the name of the licence; it unblocks the release",
	}
}

// answersOf are the texts that the model read after each of its steps.
func answersOf(p *Printed) []string {
	var list []string
	for _, r := range p.Requests()[1:] {
		list = append(list, r.New)
	}
	return list
}

// wantAnswered wants each answer to hold its text.
func wantAnswered(t *testing.T, p *Printed, want ...string) {
	t.Helper()
	got := answersOf(p)
	if len(got) < len(want) {
		t.Fatalf("the model was answered %d times, want %d", len(got), len(want))
	}
	for i, text := range want {
		if !strings.Contains(got[i], text) {
			t.Errorf("answer %d is\n%s\nwant it to hold %q", i+1, got[i], text)
		}
	}
}

// besideText is the text of a file in the state directory.
func besideText(w *World, name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.Work, ".goal-loop", name))
	if err != nil {
		w.t.Fatalf("read %s: %v", name, err)
	}
	return string(data)
}

func TestBlockedComesAfterItsResolutionPass(t *testing.T) {
	w := NewWorld(t)
	hard := blockedOnQ1()
	hard["kind"] = "hard"
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: "default", Prompt: "/goal-loop --max-iterations=12 work",
		Main: InOrder(
			record(1, nil), Say("one"),
			bookForm("goal question add", parkedQuestion),
			record(2, hard),
			record(2, blockedOnQ1()),
			bookForm("goal question pass", `{"questions": []}`),
			bookForm("goal question pass", `{"questions": [{"question": "Q1", "class": "human-only"}]}`),
			bookForm("goal question pass", `{"questions": [{"question": "Q1", "class": "stale", "premise": "there is one", "basis": "LICENSE:1"}]}`),
			record(2, blockedOnQ1()),
			Say("the end"),
		),
	})
	if len(p.Denials()) != 0 || p.Result() != "the end" {
		t.Errorf("got result %q and denials %v", p.Result(), p.Denials())
	}
	wantAnswered(t, p,
		"recorded: round 1", "goal-loop round 2", "recorded: Q1; open: Q1", "what is hard", "a resolution pass over the open questions (Q1)",
		"the pass lacks: Q1, which is open", "recorded: the resolution pass of segment 1; open: Q1", "segment 1 has had its resolution pass", "the loop has ended: BLOCKED")
	wantTrace(t, trace(w, w.Work, p.Session), 1, "allow outcome")
	if got := noted(p); !strings.Contains(got, "goal-loop ended: BLOCKED after 2 rounds of 12") {
		t.Errorf("the person reads %q", got)
	}
	if got := worklog(w, w.Work); !strings.Contains(got, "needed: Q1: the name of the licence; it unblocks the release") || strings.Count(got, `"kind":"iteration"`) != 2 {
		t.Errorf("the worklog is\n%s", got)
	}
	if got := besideText(w, "DEFERRED-QUESTIONS.md"); strings.Count(got, `"kind":"pass"`) != 1 || strings.Contains(got, `"kind":"resolution"`) {
		t.Errorf("the questions are\n%s", got)
	}
}

func TestSuccessWaitsUntilWhoeverAskedWasTold(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: "default", Prompt: "/goal-loop --max-iterations=12 work",
		Main: InOrder(
			bookForm("goal ask add", `{"asked": "a dry run", "anchor": "https://example.com/owner/name/issues/12", "work": "TestDryRun passes"}`),
			bookForm("goal ask satisfy", `{"ask": "A1", "by": "--dry-run", "evidence": "TestDryRun passes", "direction": "given"}`),
			record(1, success()), Say("told later"),
			bookForm("goal ask told", `{"ask": "A1", "to": "Ada", "channel": "issue comment", "link": "https://example.com/owner/name/issues/12", "observation": "drafted at 10:02"}`),
			bookForm("goal ask told", `{"ask": "A1", "to": "Ada", "channel": "issue comment", "link": "https://example.com/owner/name/issues/12", "observation": "comment 4711"}`),
			record(1, success()), Say("the end"),
		),
	})
	if len(p.Denials()) != 0 || p.Result() != "the end" {
		t.Errorf("got result %q and denials %v", p.Result(), p.Denials())
	}
	wantAnswered(t, p,
		"recorded: A1", "not communicated, which bars SUCCESS: A1", "word to whoever asked A1 (a dry run), which is satisfied and of which nobody was told",
		"goal-loop round 1", "what is drafted, planned, pushed or merged has told nobody", "recorded: A1 is communicated", "the loop has ended: SUCCESS")
	wantTrace(t, trace(w, w.Work, p.Session), 1, "allow outcome")
	if got := besideText(w, "OUTSTANDING-ASKS.md"); strings.Count(got, `"kind":"told"`) != 1 {
		t.Errorf("the asks are\n%s", got)
	}
	if s := modeState(w, w.Work, p.Session); s.Get("outcome").String() != "SUCCESS" || s.Get("rounds").Int() != 1 {
		t.Errorf("the mode state is %s", s.Raw)
	}
}

func TestASubagentParksNoQuestion(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Prompt: "/goal-loop --max-iterations=12 work",
		Main: InOrder(Agent("ask for me"), Say("waiting"), record(1, success()), Say("the end")),
		Sub:  InOrder(bookForm("goal question add", parkedQuestion), Say("tried")),
	})
	if sub := p.SubRequests(); len(sub) < 2 || strings.Contains(sub[1].New, "recorded: Q1") {
		t.Fatalf("the subagent's question was not refused: %d requests", len(sub))
	}
	if _, err := os.Stat(filepath.Join(w.Work, ".goal-loop/DEFERRED-QUESTIONS.md")); err == nil {
		t.Error("the question of the subagent is on record")
	}
}

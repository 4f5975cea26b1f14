//go:build linux

package realclient

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// The tests of these files (goal*_test.go) play loops of the plugin itself.

// ownPlugin copies the plugin as it would be installed, with a binary built from
// the working tree, to the directory called name.
func ownPlugin(w *World, name string) string {
	w.t.Helper()
	source := filepath.Join("..", "..")
	dir := w.CopyPlugin(name, source, "plugin.json", ".claude-plugin", "hooks", "skills", filepath.Join("bin", "omc-hook"))
	w.Build("omc-hook/cmd/omc-hook", filepath.Join(dir, "bin", runtime.GOOS+"-"+runtime.GOARCH, "omc-hook"))
	return dir
}

// entry is one recorded round, with more fields or other values in change.
func entry(n int, change map[string]any) string {
	e := map[string]any{
		"planned": fmt.Sprintf("slice %d", n), "changed": []string{fmt.Sprintf("f%d.go", n)},
		"verification": []any{map[string]any{"command": "go test ./...", "exit": 0, "result": fmt.Sprintf("%d passed", n)}},
		"review":       []any{map[string]any{"reviewer": "self", "lens": "correctness", "findings": "none", "action": ""}},
		"progress":     []any{map[string]any{"kind": "criterion", "what": fmt.Sprintf("criterion %d holds", n), "evidence": "the test"}},
		"remaining":    "more", "next": fmt.Sprintf("slice %d", n+1), "decision": "continue",
	}
	for k, v := range change {
		e[k] = v
	}
	text, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// success changes an entry into one that ends the run.
func success() map[string]any {
	return map[string]any{
		"decision": "SUCCESS", "remaining": "none",
		"criteria": []any{map[string]any{"criterion": "all of it", "evidence": "go test ./... passes"}},
	}
}

// record answers with the recording of round n.
func record(n int, change map[string]any) Script {
	return Bash("omc-hook goal record --stdin <<'EOF'\n" + entry(n, change) + "\nEOF")
}

// rounds plays n productive rounds, a turn each; the last one ends the run.
func rounds(n int) Script {
	var scripts []Script
	for i := 1; i <= n; i++ {
		change := map[string]any{}
		if i == n {
			change = success()
		}
		scripts = append(scripts, record(i, change), Say(fmt.Sprintf("turn %d is over", i)))
	}
	return InOrder(scripts...)
}

// chat never does anything and never says the same thing twice.
func chat() Script {
	return func(r *Request) Step { return Step{Text: fmt.Sprintf("thinking, for the %dth time", r.N)} }
}

// trace is what the session's Stops were answered, as "action rule".
func trace(w *World, root, session string) []string {
	w.t.Helper()
	var out []string
	for _, line := range w.Lines(filepath.Join(root, ".omc/state/sessions", session, "omc-hook-trace.jsonl")) {
		out = append(out, line.Get("action").String()+" "+line.Get("rule").String())
	}
	return out
}

// modeState is the session's mode state, or the archived one of a run that has
// ended.
func modeState(w *World, root, session string) gjson.Result {
	w.t.Helper()
	live := filepath.Join(root, ".omc/state/sessions", session, "goal-loop-state.json")
	if _, err := os.Stat(live); err == nil {
		return w.JSON(live)
	}
	return w.JSON(filepath.Join(root, ".omc/state/omc-hook-archive", "*-goal-loop-"+session+".json"))
}

// wantTrace checks that n Stops were continued and the next one answered last.
func wantTrace(t *testing.T, got []string, n int, last string) {
	t.Helper()
	want := strings.Repeat("continue continue\n", n) + last
	if strings.Join(got, "\n") != want {
		t.Errorf("the trace is\n%s\nwant %d continuations and then %q", strings.Join(got, "\n"), n, last)
	}
}

// worklog is the text of the worklog below root.
func worklog(w *World, root string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(root, ".goal-loop/GOAL-WORKLOG.md"))
	if err != nil {
		w.t.Fatalf("read the worklog: %v", err)
	}
	return string(data)
}

// noted is every note of the Stop hook that a printed session has.
func noted(p *Printed) string {
	var notes []string
	for _, h := range p.Hooks("Stop") {
		notes = append(notes, gjson.Get(h.Stdout, "systemMessage").String())
	}
	return strings.Join(notes, "\n")
}

// twelve runs twelve productive rounds in a session and checks all of it.
func twelve(t *testing.T, w *World, s Session) {
	t.Helper()
	s.Prompt, s.Main = "/goal-loop --max-iterations=12 make twelve slices", rounds(12)
	root := w.Work
	if s.Dir != "" {
		root = s.Dir
	}
	p := w.Print(s)
	if p.Exit != 0 || p.IsError() || p.Result() != "turn 12 is over" || len(p.Denials()) != 0 {
		t.Errorf("got exit %d, error %v, result %q, denials %v", p.Exit, p.IsError(), p.Result(), p.Denials())
	}
	wantTrace(t, trace(w, root, p.Session), 11, "allow outcome")
	if got := strings.Count(worklog(w, root), `"kind":"iteration"`); got != 12 {
		t.Errorf("the worklog has %d rounds, want 12", got)
	}
	if s := modeState(w, root, p.Session); s.Get("outcome").String() != "SUCCESS" || s.Get("active").Bool() || s.Get("rounds").Int() != 12 {
		t.Errorf("the archived mode state is %s", s.Raw)
	}
	if got := noted(p); !strings.Contains(got, "goal-loop ended: SUCCESS after 12 rounds of 12") {
		t.Errorf("the person reads %q", got)
	}
	second := p.Requests()[2]
	if !second.Read("goal-loop round 2 of 12, nudge 1 of 8") || !second.Read("Next: slice 2") {
		t.Errorf("at the first continuation the model reads %q", second.New)
	}
}

func TestALoopRunsItsWholePlanToSuccess(t *testing.T) {
	for _, answer := range []string{"", "block"} {
		t.Run("answered by "+answer, func(t *testing.T) {
			w := NewWorld(t)
			twelve(t, w, Session{Plugins: []string{ownPlugin(w, "omc-hook")}, Env: []string{"OMC_HOOK_ANSWER=" + answer}})
		})
	}
}

func TestALoopNeedsNoAllowRuleOfThePerson(t *testing.T) {
	for _, mode := range []string{"default", "acceptEdits", "dontAsk"} {
		t.Run(mode, func(t *testing.T) {
			w := NewWorld(t)
			twelve(t, w, Session{Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: mode})
		})
	}
}

func TestALoopRunsUnderAPathWithASpaceAndAnUmlaut(t *testing.T) {
	w := NewWorld(t)
	root := w.Path("mein Depôt ü")
	w.Repository(root)
	twelve(t, w, Session{Plugins: []string{ownPlugin(w, "plug in ü")}, Dir: root})
}

func TestALoopRunsInASandboxedShell(t *testing.T) {
	w := NewWorld(t)
	twelve(t, w, Session{
		Plugins:  []string{ownPlugin(w, "omc-hook")},
		Settings: `{"sandbox": {"enabled": true, "failIfUnavailable": true, "allowUnsandboxedCommands": false}}`,
	})
}

func TestALoopIsRefusedInPlanMode(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: "plan", Prompt: "/goal-loop do it", Main: chat()})
	if len(p.Requests()) != 0 || !strings.Contains(p.Result(), "plan mode") {
		t.Errorf("got %d requests and %q, want a refusal before the model is called", len(p.Requests()), p.Result())
	}
	if _, err := os.Stat(filepath.Join(w.Work, ".goal-loop")); err == nil {
		t.Error("a refused start made the state directory")
	}
}

func TestAModelThatOnlyChatsIsReleased(t *testing.T) {
	for _, answer := range []string{"", "block"} {
		t.Run("answered by "+answer, func(t *testing.T) {
			w := NewWorld(t)
			p := w.Print(Session{
				Plugins: []string{ownPlugin(w, "omc-hook")}, Env: []string{"OMC_HOOK_ANSWER=" + answer},
				Prompt: "/goal-loop --max-iterations=12 talk", Main: chat(),
			})
			wantTrace(t, trace(w, w.Work, p.Session), 8, "allow lease-used")
			if got := p.Result(); got != "thinking, for the 9th time" {
				t.Errorf("the result is %q, want the last text", got)
			}
			if got := noted(p); !strings.Contains(got, "goal-loop paused in round 1 of 12") {
				t.Errorf("the person reads %q", got)
			}
			if s := modeState(w, w.Work, p.Session); s.Get("paused.cause").String() != "lease" || s.Get("outcome").String() != "" {
				t.Errorf("the mode state is %s, want it paused and not ended", s.Raw)
			}
		})
	}
}

func TestALowerCapOfTheClientEndsTheLeaseFirst(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Env: []string{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=3"},
		Prompt: "/goal-loop talk", Main: chat(),
	})
	wantTrace(t, trace(w, w.Work, p.Session), 3, "allow lease-used")
}

func TestAGoalIsKeptByteForByte(t *testing.T) {
	const goal = "Fix Bob's \"bug\" $(touch pwned) `touch pwned` #12 --max 25 \\n; a && b | c > d\n\nsecond  line ü 🎉\n---\nactive: false"
	w := NewWorld(t)
	p := w.Print(Session{Plugins: []string{ownPlugin(w, "omc-hook")}, Prompt: "/goal-loop --max-iterations=2 " + goal, Main: rounds(1)})
	data, err := os.ReadFile(filepath.Join(w.Work, ".goal-loop/GOAL.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(data), "```json omc-hook\n")
	block, _, _ = strings.Cut(block, "\n```")
	if got := gjson.Get(block, "body.text").String(); got != goal {
		t.Errorf("the goal on record is %q, want %q", got, goal)
	}
	if !strings.Contains(string(data), goal) {
		t.Error("the goal does not stand in the rendering for people")
	}
	if _, err := os.Stat(filepath.Join(w.Work, "pwned")); err == nil {
		t.Error("a part of the goal was run")
	}
	wantTrace(t, trace(w, w.Work, p.Session), 0, "allow outcome")
}

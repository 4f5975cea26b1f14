//go:build linux

package realclient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPrintedSessionShowsTheWholeConversation(t *testing.T) {
	w := NewWorld(t)
	rec := w.Record("rec", map[string]Handler{"Stop": {}})
	rec.Answer("Stop", `{"systemMessage": "a note"}`)
	p := w.Print(Session{
		Plugins: []string{rec.Dir}, Prompt: "do it",
		Main: InOrder(Bash("echo made | tee made.txt"), func(r *Request) Step {
			return Step{Text: "I read: " + strings.TrimSpace(r.New)}
		}),
	})
	if p.Exit != 0 || p.IsError() || p.Result() != "I read: made" || p.Turns() != 2 {
		t.Errorf("got exit %d, error %v, result %q, turns %d", p.Exit, p.IsError(), p.Result(), p.Turns())
	}
	if got := p.Requests(); len(got) != 2 || !got[0].Read("do it") || got[1].N != 2 || got[0].Session != p.Session {
		t.Errorf("got %d requests, want 2 of the session %s", len(got), p.Session)
	}
	want := []HookRun{{Name: "Stop", Event: "Stop", Stdout: `{"systemMessage": "a note"}`, Outcome: "success"}}
	if diff := cmp.Diff(want, p.Hooks("Stop")); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	if got := rec.Events("Stop")[0].Input.Get("last_assistant_message").String(); got != p.Result() {
		t.Errorf("got the last message %q, want %q", got, p.Result())
	}
	if len(w.Transcript(p.Session)) == 0 {
		t.Error("the transcript is empty")
	}
	if data, err := os.ReadFile(filepath.Join(w.Work, "made.txt")); err != nil || string(data) != "made\n" {
		t.Errorf("made.txt: got %q, %v", data, err)
	}
}

func TestARefusedToolIsADenial(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{Prompt: "do it", Mode: "dontAsk", Main: InOrder(Bash("touch made.txt"), Say("no"))})
	got := p.Denials()
	if len(got) != 1 || got[0].Tool != "Bash" || got[0].Input.Get("command").String() != "touch made.txt" {
		t.Errorf("got the denials %+v, want one of Bash", got)
	}
}

func TestASubagentHasAScriptOfItsOwn(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{
		Prompt: "do it",
		Main:   InOrder(Agent("a part, please"), Say("I wait"), Say("I have it")),
		Sub:    InOrder(Bash("echo of-the-subagent"), Say("the part")),
	})
	sub := p.SubRequests()
	if len(sub) != 2 || !sub[0].Read("a part, please") || !sub[1].Read("of-the-subagent") || sub[0].Agent == "" {
		t.Fatalf("got %d requests of the subagent, want 2", len(sub))
	}
	if main := p.Requests(); !main[len(main)-1].Read("the part") || p.Result() != "I have it" {
		t.Errorf("the agent did not read the subagent's answer; result %q", p.Result())
	}
}

func TestThePluginRunsFromAnyPath(t *testing.T) {
	w := NewWorld(t)
	source := w.Plugin("source", map[string]string{"bin/say-hello": "#!/bin/sh\necho hello from $0\n", "README.md": "x"})
	copied := w.CopyPlugin("a plügin", source, ".claude-plugin", "bin")
	w.Work = w.Path("a prüject")
	w.Repository(w.Work)
	p := w.Print(Session{Plugins: []string{copied}, Prompt: "do it", Main: InOrder(Bash("say-hello"), Say("ok"))})
	if got, want := p.Requests()[1].New, "hello from "+copied+"/bin/say-hello"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(copied, "README.md")); err == nil {
		t.Error("a part that was not asked for was copied")
	}
}

func TestThereIsNoNetworkButTheLoopback(t *testing.T) {
	w := NewWorld(t)
	p := w.Print(Session{Prompt: "do it", Main: InOrder(Bash("ip -o link | wc -l; ip route | wc -l"), Say("ok"))})
	if got := strings.Fields(p.Requests()[1].New); !cmp.Equal(got, []string{"1", "0"}) {
		t.Errorf("got the counts of links and routes %q, want 1 and 0", got)
	}
}

func TestNoProcessOutlivesItsWorld(t *testing.T) {
	var home string
	t.Run("leaves a process behind", func(t *testing.T) {
		w := NewWorld(t)
		home = w.Home
		w.Print(Session{Prompt: "do it", Main: InOrder(Bash("setsid sleep 600 >/dev/null 2>&1 &"), Say("ok"))})
		if running(t, home) == 0 {
			t.Error("the process has ended too soon to prove anything")
		}
	})
	if got := running(t, home); got != 0 {
		t.Errorf("got %d processes after the test, want 0", got)
	}
}

func running(t *testing.T, home string) int {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range paths {
		if env, err := os.ReadFile(path); err == nil && holds(env, []byte("HOME="+home)) {
			n++
		}
	}
	return n
}

func TestAResumedSessionGoesOn(t *testing.T) {
	w := NewWorld(t)
	first := w.Print(Session{Prompt: "remember the word", Main: Say("kumquat")})
	second := w.Print(Session{Prompt: "and now", Resume: first.Session, Main: Say("still here")})
	if second.Session != first.Session || len(second.Requests()) != 1 {
		t.Fatalf("got session %s with %d requests, want %s with 1", second.Session, len(second.Requests()), first.Session)
	}
	if r := second.Requests()[0]; !strings.Contains(r.Body.Raw, "kumquat") || r.Read("kumquat") {
		t.Error("the conversation before is missing, or counts as new")
	}
}

func TestATerminalIsDrivenWithoutARace(t *testing.T) {
	w := NewWorld(t)
	gate := NewGate()
	term := w.Open(Session{Main: InOrder(gate.Hold(Bash("echo one")), Say("the first end"), Say("the second end"))})
	term.Submit("please begin, and do not mind that this line is rather longer than the others of this test are")
	term.WaitForGate(gate)
	term.Submit("and this too")
	gate.Open()
	term.WaitFor("the first end")
	if got := term.Requests()[1]; !got.Read("one") || !got.Read("and this too") {
		t.Errorf("got the second request %q, want the tool's result and the words typed meanwhile", got.New)
	}
	term.Submit("go on")
	term.WaitFor("the second end")
}

func TestASummaryIsAnAside(t *testing.T) {
	w := NewWorld(t)
	rec := w.Record("rec", map[string]Handler{"SessionStart": {Matcher: "compact"}})
	term := w.Open(Session{Plugins: []string{rec.Dir}, Main: InOrder(Say("the first end"), Say("the second end"))})
	term.Submit("begin")
	term.WaitFor("the first end")
	term.Submit("/compact")
	term.WaitUntil("the conversation is compacted", func(string) bool { return len(rec.Events("SessionStart")) == 1 })
	term.Submit("go on")
	term.WaitFor("the second end")
	if got := len(term.Requests()); got != 2 {
		t.Errorf("got %d requests of the agent, want 2", got)
	}
	if got := term.SideRequests(); len(got) != 1 || !got[0].Compacts() {
		t.Errorf("got %d requests for a summary, want 1", len(got))
	}
	if !strings.Contains(term.Requests()[1].Body.Raw, "The work goes on.") {
		t.Error("the conversation does not begin with the summary")
	}
}

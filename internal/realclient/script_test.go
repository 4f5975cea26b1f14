//go:build linux

package realclient

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScriptsTakeTheirTurns(t *testing.T) {
	tests := []struct {
		name   string
		script Script
		want   []string
	}{
		{"in order the last one repeats", InOrder(Say("a"), Say("b")), []string{"a", "b", "b", "b"}},
		{"a cycle begins again", Cycle(Say("a"), Say("b")), []string{"a", "b", "a", "b"}},
		{"times n and then the rest", Times(2, Say("a"), Say("z")), []string{"a", "a", "z", "z"}},
		{"the rest may be a sequence", Times(1, Say("a"), InOrder(Say("y"), Say("z"))), []string{"a", "y", "z", "z"}},
		{"a step may depend on the request", func(r *Request) Step { return Step{Text: r.New} }, []string{"n", "n", "n", "n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for range 4 {
				got = append(got, tt.script(&Request{New: "n"}).Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAGateHoldsTheAnswerUntilItOpens(t *testing.T) {
	gate := NewGate()
	answers := make(chan string)
	go func() { answers <- gate.Hold(Say("late"))(&Request{}).Text }()
	<-gate.Reached()
	select {
	case got := <-answers:
		t.Fatalf("got the answer %q through a closed gate", got)
	default:
	}
	gate.Open()
	if got := <-answers; got != "late" {
		t.Errorf("got %q, want %q", got, "late")
	}
}

func TestAGateLetsGoWhenTheClientIsGone(t *testing.T) {
	gone := make(chan struct{})
	close(gone)
	if got := NewGate().Hold(Say("x"))(&Request{gone: gone}).Text; got != "x" {
		t.Errorf("got %q, want %q", got, "x")
	}
}

func TestRequestsAreToldApart(t *testing.T) {
	const tools = `"tools": [{"name": "Bash"}, {"name": "Read"}]`
	tests := []struct {
		name, agent, body string
		want              Kind
	}{
		{"an agent's tools make the main agent", "", `{` + tools + `}`, MainAgent},
		{"the header names a subagent", "a1", `{` + tools + `}`, Subagent},
		{"the billing line names a subagent", "", `{"system": [{"type": "text", "text": "x; cc_is_subagent=true;"}], ` + tools + `}`, Subagent},
		{"no tools make an aside", "", `{"messages": [{"role": "user", "content": "a title, please"}]}`, Aside},
		{"a tool that does not act makes an aside", "", `{"tools": [{"name": "web_search"}]}`, Aside},
		{"the wish for a summary makes an aside", "", `{"messages": [{"role": "user", "content": "CRITICAL: Respond with TEXT ONLY."}], ` + tools + `}`, Aside},
		{"no JSON makes an aside", "", `[[[`, Aside},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{}
			if tt.agent != "" {
				header.Set("x-claude-code-agent-id", tt.agent)
			}
			if got := parseRequest(header, []byte(tt.body)).Kind; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheNewTextIsWhatFollowsTheLastAnswer(t *testing.T) {
	body := `{"messages": [
		{"role": "user", "content": "old"},
		{"role": "assistant", "content": [{"type": "text", "text": "mine"}]},
		{"role": "user", "content": [
			{"type": "tool_result", "content": [{"type": "text", "text": "printed"}]},
			{"type": "tool_result", "content": "plain"},
			{"type": "text", "text": "reminder"}]},
		{"role": "system", "content": "more"}]}`
	got := parseRequest(http.Header{}, []byte(body)).New
	if want := "printed\nplain\nreminder\nmore\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

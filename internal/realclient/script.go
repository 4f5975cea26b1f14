//go:build linux

package realclient

import (
	"sync"
	"time"
)

// Step is one answer of the scripted model.
type Step struct {
	Text  string
	Tools []Tool

	// StopReason is "tool_use" or "end_turn", as the tools have it, unless set.
	StopReason string
	// InputTokens is the usage reported for the request; 10 unless set. A large
	// one makes the client compact the conversation.
	InputTokens int
	// Delay passes before the answer begins.
	Delay time.Duration

	// Status other than 0 and 200 sends an API error instead of a message.
	Status int
	// ErrorType and ErrorText go into the error; by default they fit Status.
	ErrorType, ErrorText string
	// Header is added to the answer, such as "retry-after".
	Header map[string]string
}

// Tool is a call of a tool by the scripted model.
type Tool struct {
	Name  string
	Input map[string]any
}

// Script answers the requests of one kind of agent. It is called from the
// server's goroutines, for one request at a time unless the client itself asks
// in parallel; it may block until the request's context ends.
type Script func(*Request) Step

// Say answers with a text, which ends the turn.
func Say(text string) Script {
	return func(*Request) Step { return Step{Text: text} }
}

// Use answers with one call of a tool.
func Use(name string, input map[string]any) Script {
	return func(*Request) Step { return Step{Tools: []Tool{{name, input}}} }
}

// Bash answers with one command for the Bash tool.
func Bash(command string) Script {
	return Use("Bash", map[string]any{"command": command, "description": "run a step of the script"})
}

// BashInBackground answers with one command that the Bash tool leaves running.
func BashInBackground(command string) Script {
	return Use("Bash", map[string]any{
		"command": command, "description": "run in the background", "run_in_background": true,
	})
}

// Agent answers with the start of a subagent, which runs in the background as
// the client has it by default; the session's Sub script answers for it.
func Agent(prompt string) Script {
	return Use("Agent", map[string]any{
		"description": "a part of the work", "prompt": prompt, "subagent_type": "general-purpose",
	})
}

// Fail answers with an API error of that status.
func Fail(status int) Script {
	return func(*Request) Step { return Step{Status: status} }
}

// summarise answers a request for a summary in the form that the client wants,
// and says "ok" to any other.
func summarise(r *Request) Step {
	if r.Compacts() {
		return Step{Text: "<analysis>It is a script.</analysis>\n<summary>The work goes on.</summary>"}
	}
	return Step{Text: "ok"}
}

// InOrder lets each script answer one request, and the last one all that follow.
func InOrder(scripts ...Script) Script {
	var mu sync.Mutex
	next := 0
	return func(r *Request) Step {
		mu.Lock()
		script := scripts[min(next, len(scripts)-1)]
		next++
		mu.Unlock()
		return script(r)
	}
}

// Cycle lets the scripts answer in turn, again and again.
func Cycle(scripts ...Script) Script {
	var mu sync.Mutex
	next := 0
	return func(r *Request) Step {
		mu.Lock()
		script := scripts[next%len(scripts)]
		next++
		mu.Unlock()
		return script(r)
	}
}

// Times answers n requests with a script before rest takes over.
func Times(n int, script, rest Script) Script {
	scripts := make([]Script, 0, n+1)
	for range n {
		scripts = append(scripts, script)
	}
	return InOrder(append(scripts, rest)...)
}

// Gate holds an answer back until the test opens it, so that a test can act in
// the middle of a turn without a race.
type Gate struct {
	reached, open       chan struct{}
	reachOnce, openOnce sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate {
	return &Gate{reached: make(chan struct{}), open: make(chan struct{})}
}

// Hold returns a script whose answer waits for the gate.
func (g *Gate) Hold(script Script) Script {
	return func(r *Request) Step {
		g.reachOnce.Do(func() { close(g.reached) })
		select {
		case <-g.open:
		case <-r.Gone():
		}
		return script(r)
	}
}

// Reached is closed when a request waits at the gate.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Open lets the answer, and every later one, pass.
func (g *Gate) Open() { g.openOnce.Do(func() { close(g.open) }) }

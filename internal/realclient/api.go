//go:build linux

package realclient

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// api is the scripted Messages API of one session.
type api struct {
	url     string
	scripts map[Kind]Script
	log     *os.File

	mu       sync.Mutex
	requests []*Request
	count    map[Kind]int
}

// serve starts the API on a free port of the loopback and stops it with the test.
func serve(t testing.TB, logDir string, scripts map[Kind]Script) *api {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen on the loopback: %v", err)
	}
	log, err := os.Create(filepath.Join(logDir, "api.jsonl"))
	if err != nil {
		t.Fatalf("create the log of requests: %v", err)
	}
	a := &api{
		url: "http://" + listener.Addr().String(), scripts: scripts, log: log, count: map[Kind]int{},
	}
	server := &http.Server{Handler: a}
	go server.Serve(listener) // ends with Close below
	t.Cleanup(func() {
		server.Close()
		log.Close()
	})
	return a
}

// ServeHTTP answers a message request with the script of its kind, and all
// else that the client may ask with something harmless.
func (a *api) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	body, err := io.ReadAll(hr.Body)
	if err != nil {
		return // the client hung up
	}
	switch {
	case strings.HasSuffix(hr.URL.Path, "/count_tokens"):
		sendJSON(w, http.StatusOK, map[string]int{"input_tokens": 10})
	case hr.URL.Path != "/v1/messages":
		sendJSON(w, http.StatusOK, struct{}{})
	default:
		r := parseRequest(hr.Header, body)
		r.gone = hr.Context().Done()
		script, id := a.take(r)
		answer(w, r, id, a.step(script, r))
	}
}

// take numbers a request, logs it and finds its script.
func (a *api) take(r *Request) (Script, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count[r.Kind]++
	r.N = a.count[r.Kind]
	a.requests = append(a.requests, r)
	line, err := json.Marshal(map[string]any{
		"kind": r.Kind, "n": r.N, "agent": r.Agent, "model": r.Model,
		"messages": len(r.Messages()), "new": r.New, "tools": r.Tools,
	})
	if err == nil {
		a.log.Write(append(line, '\n')) // for people only
	}
	return a.scripts[r.Kind], fmt.Sprintf("%s_%d", r.Kind, r.N)
}

func (a *api) step(script Script, r *Request) Step {
	s := script(r)
	if s.Delay > 0 {
		wait(s.Delay, r.Gone())
	}
	return s
}

// traffic shows what the client has sent so far.
type traffic struct{ api *api }

// Requests returns the agent's own requests to the model.
func (t traffic) Requests() []*Request { return t.api.seen(MainAgent) }

// SubRequests returns the requests of subagents.
func (t traffic) SubRequests() []*Request { return t.api.seen(Subagent) }

// SideRequests returns the client's requests beside the conversation.
func (t traffic) SideRequests() []*Request { return t.api.seen(Aside) }

// seen returns the requests of a kind so far.
func (a *api) seen(kind Kind) []*Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []*Request
	for _, r := range a.requests {
		if r.Kind == kind {
			out = append(out, r)
		}
	}
	return out
}

// tail tells of the last requests, for the report of a failed test.
func (a *api) tail() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for _, r := range a.requests[max(0, len(a.requests)-6):] {
		end := strings.TrimSpace(r.New)
		fmt.Fprintf(&b, "%s %d: …%s\n", r.Kind, r.N, end[max(0, len(end)-500):])
	}
	return b.String()
}

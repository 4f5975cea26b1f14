//go:build linux

package realclient

import (
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// Kind tells who sent a request.
type Kind string

// The kinds of requests.
const (
	MainAgent Kind = "main" // the session's own agent
	Subagent  Kind = "sub"  // a subagent
	Aside     Kind = "side" // a request of the client beside the conversation: a title, a summary
)

// Request is one request of the client to the Messages API.
type Request struct {
	Kind    Kind
	N       int    // 1 for the first of its kind; a request tried again counts again
	Session string // session id
	Agent   string // id of the subagent, else empty
	Model   string
	Tools   []string // names of the tools offered
	Body    gjson.Result
	Header  http.Header

	// New is what the model reads for the first time: the text of all messages
	// after its own last answer, tool results and reminders included.
	New string

	gone <-chan struct{}
}

// Gone is closed when the client has given the request up.
func (r *Request) Gone() <-chan struct{} { return r.gone }

// Read reports whether the model reads a text for the first time with this request.
func (r *Request) Read(text string) bool { return strings.Contains(r.New, text) }

// System returns the system prompt.
func (r *Request) System() string { return textOf(r.Body.Get("system")) }

// Messages returns the conversation, oldest first.
func (r *Request) Messages() []gjson.Result { return r.Body.Get("messages").Array() }

func parseRequest(header http.Header, body []byte) *Request {
	r := &Request{
		Session: header.Get("X-Claude-Code-Session-Id"),
		Agent:   header.Get("X-Claude-Code-Agent-Id"),
		Body:    gjson.ParseBytes(body),
		Header:  header,
	}
	r.Model = r.Body.Get("model").String()
	for _, tool := range r.Body.Get("tools").Array() {
		r.Tools = append(r.Tools, tool.Get("name").String())
	}
	r.New = newText(r.Messages())
	r.Kind = kindOf(r)
	return r
}

// compaction begins the message with which the client has a conversation
// summarised. All else of that request is as in the conversation's own.
const compaction = "CRITICAL: Respond with TEXT ONLY"

// Compacts reports whether the client asks for a summary of the conversation.
func (r *Request) Compacts() bool { return r.Kind == Aside && r.Read(compaction) }

// kindOf tells the kinds apart by what the client says of itself where it does
// (the agent header, the billing line), and by the tools: only an agent is
// offered the ones that act.
func kindOf(r *Request) Kind {
	if r.Read(compaction) {
		return Aside
	}
	if r.Agent != "" || strings.Contains(r.System(), "cc_is_subagent=true") {
		return Subagent
	}
	for _, name := range r.Tools {
		switch name {
		case "Bash", "Agent", "Read", "Skill", "ToolSearch":
			return MainAgent
		}
	}
	return Aside
}

func newText(messages []gjson.Result) string {
	start := 0
	for i, m := range messages {
		if m.Get("role").String() == "assistant" {
			start = i + 1
		}
	}
	var b strings.Builder
	for _, m := range messages[start:] {
		b.WriteString(textOf(m.Get("content")))
		b.WriteByte('\n')
	}
	return b.String()
}

// textOf joins the texts of a content: a string, or blocks, of which tool
// results hold content again.
func textOf(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.String()
	}
	var parts []string
	for _, block := range content.Array() {
		switch block.Get("type").String() {
		case "text":
			parts = append(parts, block.Get("text").String())
		case "tool_result":
			parts = append(parts, textOf(block.Get("content")))
		}
	}
	return strings.Join(parts, "\n")
}

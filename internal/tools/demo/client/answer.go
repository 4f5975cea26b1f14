package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"
)

// Answer is what the hooks of one event said. The zero value is silence.
type Answer struct {
	// Continue says that the turn goes on, Refused that the client answers the
	// person in place of the model. Permission is the answer to a tool call.
	Continue, Refused bool
	Permission        string
	// Text is for the model, Note for the person; of several hooks the last one
	// that has any is heard.
	Text, Note string
	// Took is how long the client waited, and Ran how many hooks it started.
	Took time.Duration
	Ran  int
}

// Event is one event of the client. Fields are those beside the common ones.
type Event struct {
	Name string
	// Subject is what matchers look at, Command the tool call's shell command.
	Subject, Command string
	Fields           map[string]any
}

// Send runs the hooks that are registered for an event, and reads their answer.
// A hook that fails, writes to standard error or prints more than one JSON
// document is an error: a real client would hide it.
func (s Session) Send(ctx context.Context, e Event) (Answer, error) {
	handlers, err := s.Plugin.Handlers(e.Name, e.Subject, e.Command)
	if err != nil {
		return Answer{}, err
	}
	input, err := s.Input(e)
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	for _, h := range handlers {
		started := time.Now()
		out, err := s.run(ctx, h, input)
		if err == nil {
			err = answer.add(e.Name, out)
		}
		if err != nil {
			return Answer{}, fmt.Errorf("hook %s of %s: %w", strings.Join(h.Args, " "), e.Name, err)
		}
		answer.Took += time.Since(started)
		answer.Ran++
	}
	return answer, nil
}

// Input is the JSON object that the client writes for an event.
func (s Session) Input(e Event) ([]byte, error) {
	fields := map[string]any{
		"session_id": s.ID, "cwd": s.Project, "hook_event_name": e.Name, "permission_mode": "default",
	}
	maps.Copy(fields, e.Fields)
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encode the event %s: %w", e.Name, err)
	}
	return data, nil
}

func (s Session) run(ctx context.Context, h Handler, input []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	cmd := s.Hook(ctx, h)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if stderr.Len() > 0 {
		return nil, fmt.Errorf("it wrote to standard error: %s", strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// Read reads what one hook printed for an event.
func Read(event string, out []byte) (Answer, error) {
	var a Answer
	err := a.add(event, out)
	return a, err
}

// document is every field of an answer that is known here.
type document struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Note     string `json:"systemMessage"`
	Specific struct {
		Event      string `json:"hookEventName"`
		Context    string `json:"additionalContext"`
		Permission string `json:"permissionDecision"`
		Because    string `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
}

// add takes one hook's output into the answer.
func (a *Answer) add(event string, out []byte) error {
	if len(bytes.TrimSpace(out)) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	var doc document
	if err := dec.Decode(&doc); err != nil {
		return fmt.Errorf("read its answer %q: %w", out, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("its answer is more than one document: %q", out)
	}
	if name := doc.Specific.Event; name != "" && name != event {
		return fmt.Errorf("it answers %s, not %s", name, event)
	}
	blocked := doc.Decision == "block"
	a.Refused = a.Refused || blocked && event != "Stop"
	a.Continue = a.Continue || event == "Stop" && (blocked || doc.Specific.Context != "")
	a.Permission = cmp.Or(doc.Specific.Permission, a.Permission)
	a.Text = cmp.Or(doc.Specific.Context, doc.Reason, doc.Specific.Because, a.Text)
	a.Note = cmp.Or(doc.Note, a.Note)
	return nil
}

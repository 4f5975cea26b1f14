//go:build linux

package realclient

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// block is a content block of the Messages API.
type block map[string]any

// message is one scripted answer in the API's terms.
type message struct {
	id         string
	model      string
	blocks     []block
	stopReason string
	input      int
}

// answer sends a step in the form that the request asked for.
func answer(w http.ResponseWriter, r *Request, id string, s Step) {
	for name, value := range s.Header {
		w.Header().Set(name, value)
	}
	if s.Status != 0 && s.Status != http.StatusOK {
		sendError(w, s)
		return
	}
	m := compose(r, id, s)
	if r.Body.Get("stream").Bool() {
		m.stream(w)
		return
	}
	m.whole(w)
}

func compose(r *Request, id string, s Step) message {
	m := message{id: "msg_" + id, model: r.Model, stopReason: "end_turn", input: 10}
	if s.Text != "" {
		m.blocks = append(m.blocks, block{"type": "text", "text": s.Text})
	}
	for i, tool := range s.Tools {
		m.stopReason = "tool_use"
		m.blocks = append(m.blocks, block{
			"type": "tool_use", "id": fmt.Sprintf("toolu_%s_%d", id, i), "name": tool.Name, "input": tool.Input,
		})
	}
	if s.StopReason != "" {
		m.stopReason = s.StopReason
	}
	if s.InputTokens != 0 {
		m.input = s.InputTokens
	}
	return m
}

func (m message) frame() map[string]any {
	return map[string]any{
		"id": m.id, "type": "message", "role": "assistant", "model": m.model,
		"content": []block{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]int{"input_tokens": m.input, "output_tokens": 1},
	}
}

func (m message) whole(w http.ResponseWriter) {
	frame := m.frame()
	frame["content"], frame["stop_reason"] = m.blocks, m.stopReason
	sendJSON(w, http.StatusOK, frame)
}

func (m message) stream(w http.ResponseWriter) {
	w.Header().Set("content-type", "text/event-stream")
	emit := func(event string, data map[string]any) {
		data["type"] = event
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, encode(data))
	}
	emit("message_start", map[string]any{"message": m.frame()})
	for i, b := range m.blocks {
		start, delta := halves(b)
		emit("content_block_start", map[string]any{"index": i, "content_block": start})
		emit("content_block_delta", map[string]any{"index": i, "delta": delta})
		emit("content_block_stop", map[string]any{"index": i})
	}
	emit("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": m.stopReason, "stop_sequence": nil},
		"usage": map[string]int{"output_tokens": 5},
	})
	emit("message_stop", map[string]any{})
}

// halves splits a block into the empty one that starts it in a stream and the
// one delta that fills it.
func halves(b block) (start, delta block) {
	if b["type"] == "text" {
		return block{"type": "text", "text": ""}, block{"type": "text_delta", "text": b["text"]}
	}
	start = block{"type": b["type"], "id": b["id"], "name": b["name"], "input": block{}}
	return start, block{"type": "input_json_delta", "partial_json": string(encode(b["input"]))}
}

func sendError(w http.ResponseWriter, s Step) {
	kind, text := s.ErrorType, s.ErrorText
	if kind == "" {
		kind = errorType(s.Status)
	}
	if text == "" {
		text = fmt.Sprintf("scripted error %d", s.Status)
	}
	sendJSON(w, s.Status, map[string]any{
		"type": "error", "error": map[string]string{"type": kind, "message": text},
	})
}

// errorType is the name that the Messages API gives to a status.
func errorType(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid_request_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	return "api_error"
}

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	w.Write(encode(v)) // a client that hung up is not the server's trouble
}

// encode panics on what has no JSON: a script's input that no model could send.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding a scripted answer: %v", err))
	}
	return data
}

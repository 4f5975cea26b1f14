// Package hook is the wire format of the hook: events of Claude Code and Codex
// in, answers to them out.
//
// What it holds to: an event is one JSON object of bounded size and depth, in
// UTF-8, in which no key that decides anything stands twice or in another
// spelling; an optional field of the wrong type is an absent field; an answer is
// one JSON document on one line, with nothing in it that moves a terminal.
//
// What it does not do: it decides nothing, opens nothing, knows no deadline and
// does not check whether a session id or a path may be used.
package hook

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"omc-hook/internal/plain"
)

// Event is one hook event. The zero value of a field means that the event did
// not say, or said it in the wrong type.
type Event struct {
	Name           string // hook_event_name
	SessionID      string
	PromptID       string // prompt_id, else turn_id
	Codex          bool   // the event has the turn_id of Codex and no prompt_id
	Cwd            string
	TranscriptPath string
	StopHookActive bool
	Message        string // last_assistant_message
	HasMessage     bool   // the key is there, as a string or null
	AgentID        string // not empty for a subagent
	PermissionMode string
	Tasks          []Task // at most 256
	Crons          int    // scheduled prompts of the session
	Reasons        []string
	Error          string // StopFailure
	CommandName    string // UserPromptExpansion
	CommandArgs    string
	Prompt         string
	ToolName       string // PreToolUse, PostToolUse
	ToolCommand    string // tool_input.command
	ToolUseID      string
	Source         string // SessionStart
}

// Task is one piece of background work.
type Task struct {
	ID, Type, Status, Description, Command string
}

// Parse reads one event. It never guesses: what is not wholly valid is an error,
// and no part of it is returned.
func Parse(data []byte) (Event, error) {
	object, err := checked(data)
	if err != nil {
		return Event{}, fmt.Errorf("parse event: %w", err)
	}
	var (
		event  Event
		turnID string
		seen   = map[string]bool{}
	)
	object.ForEach(func(key, value gjson.Result) bool {
		if err = checkControl(key.Str, seen); err != nil {
			return false
		}
		switch key.Str {
		case "turn_id":
			turnID = text(value)
		case "tool_input":
			event.ToolCommand, err = toolCommand(value)
		default:
			event.set(key.Str, value)
		}
		return err == nil
	})
	if err != nil {
		return Event{}, fmt.Errorf("parse event: %w", err)
	}
	if event.PromptID == "" && turnID != "" {
		event.PromptID, event.Codex = turnID, true
	}
	return event, nil
}

// checked returns the object in data once it is safe to walk over: gjson reads
// happily through garbage, a byte order mark and a cut end.
func checked(data []byte) (gjson.Result, error) {
	end, err := Complete(data)
	switch {
	case err != nil:
		return gjson.Result{}, err
	case end == 0:
		return gjson.Result{}, errors.New("no whole JSON object")
	case !allSpace(data[end:]):
		return gjson.Result{}, ErrTrailing
	}
	body := strings.TrimPrefix(string(data[:end]), bom)
	switch {
	case !utf8.ValidString(body):
		return gjson.Result{}, errors.New("not UTF-8")
	case !gjson.Valid(body):
		return gjson.Result{}, errors.New("not valid JSON")
	}
	return gjson.Parse(body), nil
}

// checkControl refuses a second or a differently spelled key that decides
// something. gjson would take the first of two and JavaScript the last, and
// encoding/json any case: what another reader of the event sees must be what we
// see.
func checkControl(key string, seen map[string]bool) error {
	control := controlKey(key)
	switch {
	case control == "":
		return nil
	case key != control:
		return fmt.Errorf("key %q instead of %q", plain.Line(key, 40), control)
	case seen[control]:
		return fmt.Errorf("key %q more than once", control)
	}
	seen[control] = true
	return nil
}

// controlKey returns the control key that key is, in whatever case, or "".
func controlKey(key string) string {
	if len(key) > 32 {
		return ""
	}
	for _, control := range [...]string{
		"session_id", "hook_event_name", "agent_id", "cwd", "prompt_id", "turn_id",
		"transcript_path", "stop_hook_active", "permission_mode",
		"tool_name", "tool_input", "command_name", "command_args",
	} {
		if strings.EqualFold(key, control) {
			return control
		}
	}
	return ""
}

package hook

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

const (
	maxTasks   = 256
	maxReasons = 16
	// maxReason cuts a reason. No spelling that StopReason knows is as long, so a
	// cut one stays unknown.
	maxReason = 512
)

// set takes one member of the event. Unknown ones are none of our business.
func (e *Event) set(key string, value gjson.Result) {
	if field := e.textField(key); field != nil {
		*field = text(value)
	}
	switch key {
	case "stop_hook_active":
		e.StopHookActive = value.Type == gjson.True
	case "last_assistant_message":
		e.HasMessage = value.Type == gjson.String || value.Type == gjson.Null
	case "background_tasks":
		e.Tasks = tasks(value)
	case "session_crons":
		e.Crons = objects(value)
	default:
		e.setReason(key, value)
	}
}

func (e *Event) textField(key string) *string {
	switch key {
	case "hook_event_name":
		return &e.Name
	case "session_id":
		return &e.SessionID
	case "prompt_id":
		return &e.PromptID
	case "cwd":
		return &e.Cwd
	case "transcript_path":
		return &e.TranscriptPath
	case "last_assistant_message":
		return &e.Message
	case "agent_id":
		return &e.AgentID
	case "permission_mode":
		return &e.PermissionMode
	case "error":
		return &e.Error
	case "command_name":
		return &e.CommandName
	case "command_args":
		return &e.CommandArgs
	case "prompt":
		return &e.Prompt
	case "tool_name":
		return &e.ToolName
	case "tool_use_id":
		return &e.ToolUseID
	case "source":
		return &e.Source
	}
	return nil
}

func (e *Event) setReason(key string, value gjson.Result) {
	var reason string
	switch key {
	case "stop_reason", "stopReason", "end_turn_reason", "endTurnReason",
		"reason", "error", "errorMessage", "error_message":
		reason = reasonText(value)
	case "user_requested", "userRequested":
		if truthy(value) {
			reason = "user_requested"
		}
	}
	if reason != "" && len(e.Reasons) < maxReasons {
		e.Reasons = append(e.Reasons, reason)
	}
}

// toolCommand returns the command of a tool call. A permission hangs on it, so
// two of them are an error as for the control keys.
func toolCommand(input gjson.Result) (string, error) {
	if !input.IsObject() {
		return "", nil
	}
	var (
		command string
		found   int
	)
	input.ForEach(func(key, value gjson.Result) bool {
		if strings.EqualFold(key.Str, "command") {
			found++
			if key.Str == "command" {
				command = text(value)
			}
		}
		return true
	})
	if found > 1 {
		return "", errors.New("more than one command in tool_input")
	}
	return command, nil
}

func text(value gjson.Result) string {
	if value.Type != gjson.String {
		return ""
	}
	return value.Str
}

// reasonText is text, bounded, and takes a bare number too: some clients send an
// HTTP status.
func reasonText(value gjson.Result) string {
	reason := text(value)
	if value.Type == gjson.Number {
		reason = value.Raw
	}
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return reason
}

// truthy is JavaScript's reading of a scalar: to hear of an abort where none was
// meant pauses a loop, to miss one holds a person up.
func truthy(value gjson.Result) bool {
	switch value.Type {
	case gjson.True:
		return true
	case gjson.String:
		return value.Str != ""
	case gjson.Number:
		return value.Num != 0
	}
	return false
}

func tasks(list gjson.Result) []Task {
	if !list.IsArray() {
		return nil
	}
	var all []Task
	list.ForEach(func(_, item gjson.Result) bool {
		if item.IsObject() {
			all = append(all, task(item))
		}
		return len(all) < maxTasks
	})
	return all
}

func task(item gjson.Result) Task {
	var t Task
	item.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "id":
			t.ID = text(value)
		case "type":
			t.Type = text(value)
		case "status":
			t.Status = text(value)
		case "description":
			t.Description = text(value)
		case "command":
			t.Command = text(value)
		}
		return true
	})
	return t
}

func objects(list gjson.Result) int {
	n := 0
	if list.IsArray() {
		list.ForEach(func(_, item gjson.Result) bool {
			if item.IsObject() {
				n++
			}
			return true
		})
	}
	return n
}

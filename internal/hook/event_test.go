package hook_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/hook"
)

func TestParseReadsEveryField(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  hook.Event
	}{
		{
			"a Stop of Claude Code",
			`{"session_id":"S1","transcript_path":"/t/S1.jsonl","cwd":"/p","prompt_id":"p1","permission_mode":"default",
			"effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"partial work",
			"background_tasks":[{"id":"b1","type":"shell","status":"running","description":"server","command":"make run"}],
			"session_crons":[{"id":"c1"},{"id":"c2"}]}`,
			hook.Event{
				Name: "Stop", SessionID: "S1", PromptID: "p1", Cwd: "/p", TranscriptPath: "/t/S1.jsonl",
				StopHookActive: true, Message: "partial work", HasMessage: true, PermissionMode: "default",
				Tasks: []hook.Task{{ID: "b1", Type: "shell", Status: "running", Description: "server", Command: "make run"}},
				Crons: 2,
			},
		},
		{
			"a Stop of Codex",
			`{"hook_event_name":"Stop","session_id":"S1","turn_id":"t1"}`,
			hook.Event{Name: "Stop", SessionID: "S1", PromptID: "t1", Codex: true},
		},
		{
			"a prompt id beside a turn id is Claude Code",
			`{"turn_id":"t1","prompt_id":"p1"}`,
			hook.Event{PromptID: "p1"},
		},
		{
			"an expansion, byte for byte",
			`{"hook_event_name":"UserPromptExpansion","command_name":"omc-hook:goal-loop","command_args":"fix \"it's\" $(x)\n\u00e9 \\","prompt":"/goal-loop x"}`,
			hook.Event{
				Name: "UserPromptExpansion", CommandName: "omc-hook:goal-loop",
				CommandArgs: "fix \"it's\" $(x)\né \\", Prompt: "/goal-loop x",
			},
		},
		{
			"a tool call of a subagent",
			`{"hook_event_name":"PreToolUse","agent_id":"a1","tool_name":"Bash","tool_use_id":"u1","tool_input":{"command":"omc-hook status","description":"x"}}`,
			hook.Event{Name: "PreToolUse", AgentID: "a1", ToolName: "Bash", ToolUseID: "u1", ToolCommand: "omc-hook status"},
		},
		{
			"a failed stop",
			`{"hook_event_name":"StopFailure","error":"rate_limit","last_assistant_message":"API Error: 429"}`,
			hook.Event{
				Name: "StopFailure", Error: "rate_limit", Reasons: []string{"rate_limit"},
				Message: "API Error: 429", HasMessage: true,
			},
		},
		{"the start of a session", `{"hook_event_name":"SessionStart","source":"resume"}`, hook.Event{Name: "SessionStart", Source: "resume"}},
		{
			"reasons under every name",
			`{"stop_reason":"a","stopReason":"b","end_turn_reason":"c","endTurnReason":"d","reason":"e","error":"f","errorMessage":"g","error_message":"h"}`,
			hook.Event{Reasons: []string{"a", "b", "c", "d", "e", "f", "g", "h"}, Error: "f"},
		},
		{"a reason that is a number", `{"stop_reason":429}`, hook.Event{Reasons: []string{"429"}}},
		{"a request of the person", `{"user_requested":true}`, hook.Event{Reasons: []string{"user_requested"}}},
		{"no request of the person", `{"user_requested":false,"userRequested":0}`, hook.Event{}},
		{"nothing", `{}`, hook.Event{}},
		{"a byte order mark", "\xef\xbb\xbf" + `{"session_id":"S1"}`, hook.Event{SessionID: "S1"}},
		{"a text that ends in 0x5C in another encoding", `{"prompt":"表"}`, hook.Event{Prompt: "表"}},
		{"unknown fields", `{"session_id":"S1","new":{"session_id":"S2","Session_Id":3},"a.b":1,"*":2}`, hook.Event{SessionID: "S1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hook.Parse([]byte(tt.input))
			if err != nil {
				t.Fatalf("Parse: %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseTakesAWrongTypeForAnAbsentField(t *testing.T) {
	keys := []string{
		"hook_event_name", "session_id", "prompt_id", "turn_id", "cwd", "transcript_path", "stop_hook_active",
		"last_assistant_message", "agent_id", "permission_mode", "background_tasks", "session_crons",
		"command_name", "command_args", "prompt", "tool_name", "tool_input", "tool_use_id", "source",
		"stop_reason", "stopReason", "error", "errorMessage",
	}
	for _, key := range keys {
		for _, value := range []string{`{}`, `[]`, `[7]`, `["x"]`, `false`, `{"command":7}`} {
			t.Run(key+"="+value, func(t *testing.T) {
				got, err := hook.Parse(fmt.Appendf(nil, `{%q:%s}`, key, value))
				if err != nil {
					t.Fatalf("Parse: %v", err)
				}
				if diff := cmp.Diff(hook.Event{}, got); diff != "" {
					t.Errorf("Parse (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestParseKnowsAMessageThatIsThere(t *testing.T) {
	tests := []struct {
		name, input string
		want        bool
	}{
		{"a text", `{"last_assistant_message":"x"}`, true},
		{"an empty text", `{"last_assistant_message":""}`, true},
		{"null", `{"last_assistant_message":null}`, true},
		{"no key", `{}`, false},
		{"a number", `{"last_assistant_message":7}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hook.Parse([]byte(tt.input))
			if err != nil || got.HasMessage != tt.want {
				t.Errorf("HasMessage = %v, error %v; want %v", got.HasMessage, err, tt.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, input string }{
		{"nothing", ``},
		{"an array", `[{"session_id":"S1"}]`},
		{"half an object", `{"session_id":"S1","cwd":"/p`},
		{"two objects", `{"session_id":"S1"}{"session_id":"S2"}`},
		{"garbage in front", `x{"session_id":"S1"}`},
		{"NUL behind", "{}\x00"},
		{"UTF-16", "\xff\xfe{\x00}\x00"},
		{"cp932 bytes", "{\"cwd\":\"\x95\x5c\"}"},
		{"a Windows path that is not escaped", `{"cwd":"C:\Users\x"}`},
		{"a comment", `{"session_id":"S1"/* c */}`},
		{"a control character in a string", "{\"cwd\":\"a\x01b\"}"},
		{"a comma too many", `{"session_id":"S1",}`},
		{"a number with a leading zero", `{"a":010}`},
		{"too deep", `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`},
		{"two sessions", `{"session_id":"S1","session_id":"S2"}`},
		{"the same session twice", `{"session_id":"S1","session_id":"S1"}`},
		{"a second session in an escape", `{"session_id":"S1","\u0073ession_id":"S2"}`},
		{"another case", `{"Session_ID":"S1"}`},
		{"another case by Unicode folding", `{"ſession_id":"S1"}`},
		{"two events", `{"hook_event_name":"Stop","hook_event_name":"SubagentStop"}`},
		{"two agents", `{"agent_id":"","agent_id":"a1"}`},
		{"an agent in another case", `{"AGENT_ID":"a1"}`},
		{"two directories", `{"cwd":"/a","cwd":"/b"}`},
		{"two prompts", `{"prompt_id":"a","prompt_id":"b"}`},
		{"two transcripts", `{"transcript_path":"a","transcript_path":"b"}`},
		{"two times active", `{"stop_hook_active":true,"stop_hook_active":false}`},
		{"two permission modes", `{"permission_mode":"plan","permission_mode":"default"}`},
		{"two tools", `{"tool_name":"Bash","tool_name":"Write"}`},
		{"two inputs of a tool", `{"tool_input":{"command":"a"},"tool_input":{"command":"b"}}`},
		{"two commands of a tool", `{"tool_input":{"command":"omc-hook status","command":"rm -rf /"}}`},
		{"a command of a tool in two cases", `{"tool_input":{"command":"omc-hook status","Command":"rm -rf /"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hook.Parse([]byte(tt.input))
			if err == nil {
				t.Fatalf("Parse = %+v, want an error", got)
			}
			if diff := cmp.Diff(hook.Event{}, got); diff != "" {
				t.Errorf("Parse returned a part of the event:\n%s", diff)
			}
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("error %q holds control characters", err)
			}
		})
	}
}

func TestParseBoundsItsLists(t *testing.T) {
	tasks := strings.TrimSuffix(strings.Repeat(`"x",{"id":"t"},`, 1000), ",")
	reasons := strings.Repeat(`"reason":"`+strings.Repeat("é", 1000)+`",`, 100)
	got, err := hook.Parse([]byte(`{` + reasons + `"background_tasks":[` + tasks + `]}`))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	if len(got.Tasks) != 256 || got.Tasks[255].ID != "t" {
		t.Errorf("%d tasks, want 256", len(got.Tasks))
	}
	if len(got.Reasons) > 16 || len(got.Reasons[0]) > 512 {
		t.Errorf("%d reasons of %d bytes", len(got.Reasons), len(got.Reasons[0]))
	}
}

func FuzzParseEvent(f *testing.F) {
	for _, seed := range []string{
		`{}`,
		`{"session_id":"S1","hook_event_name":"Stop","last_assistant_message":"\ud83d\ude00\ud800"}`,
		`{"turn_id":"t","background_tasks":[{"id":"b"},7],"session_crons":[{}],"reason":401}`,
		`{"tool_input":{"command":"x","Command":"y"}}`,
		"\xef\xbb\xbf{\"\\u0073ession_id\":\"a\\u0000b\"}",
		`{"a":[[[{}]]],"b":-1.5e+9}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		event, err := hook.Parse(data)
		if err != nil {
			return
		}
		// What we accept, the standard library reads in the same way.
		var want map[string]any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\xef\xbb\xbf")), &want); err != nil {
			t.Fatalf("accepted %q, but encoding/json: %v", data, err)
		}
		for key, got := range map[string]string{
			"session_id": event.SessionID, "agent_id": event.AgentID,
			"hook_event_name": event.Name, "last_assistant_message": event.Message,
		} {
			if text, _ := want[key].(string); text != got {
				t.Errorf("%s = %q, want %q", key, got, text)
			}
		}
		hook.StopReason(event.Reasons)
		for _, answer := range [][]byte{
			hook.Continue(hook.DialectContext, event.Message, event.Prompt),
			hook.BlockExpansion(event.CommandArgs),
		} {
			if !json.Valid(answer) {
				t.Errorf("answer %q is not JSON", answer)
			}
		}
	})
}

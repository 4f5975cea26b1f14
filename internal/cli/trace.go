package cli

import (
	"encoding/json"
	"errors"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/state"
)

var errExpired = errors.New("the deadline passed before the decision was on disk")

// traced is one line of a session's trace: what a Stop was answered and why.
type traced struct {
	At     time.Time `json:"at"`
	Event  string    `json:"event"`
	Action string    `json:"action"`
	Rule   string    `json:"rule"`
	Mode   string    `json:"mode,omitempty"`
	Run    string    `json:"run,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Remedy string    `json:"remedy,omitempty"`
	Note   string    `json:"note,omitempty"`
	Inputs inputs    `json:"inputs"`
	Build  string    `json:"build"`
}

// inputs is what the rules saw, without any text of people or models.
type inputs struct {
	Prompt         string `json:"prompt_id,omitempty"`
	StopHookActive bool   `json:"stop_hook_active"`
	PermissionMode string `json:"permission_mode,omitempty"`
	MessageBytes   int    `json:"message_bytes"`
	Tasks          int    `json:"background_tasks"`
	Transcript     int64  `json:"transcript_bytes"`
	Iteration      int64  `json:"iteration"`
	Lease          int64  `json:"lease_size"`
	Rounds         int64  `json:"rounds"`
	Planned        int64  `json:"planned"`
	Continuations  int64  `json:"continuations"`
	ClientCap      int64  `json:"client_cap"`
}

// trace writes down the verdict, for a session that has a loop; a session
// without one is left as it is.
func (h *hookRun) trace(in decide.Input, v decide.Verdict, store state.Store, loc state.Location) {
	if v.Mode == "" {
		return
	}
	_, view, _ := decide.Active(in.Snapshot, in.Facts.ClientCap)
	line, err := json.Marshal(traced{
		At: in.Facts.Now.UTC(), Event: "Stop", Action: v.Action.String(), Rule: v.Rule, Mode: v.Mode, Run: oneLine(view.RunID),
		Detail: oneLine(v.Detail), Remedy: v.Remedy, Note: v.Note, Build: h.Version,
		Inputs: inputs{
			Prompt: oneLine(in.Event.PromptID), StopHookActive: in.Event.StopHookActive, PermissionMode: oneLine(in.Event.PermissionMode),
			MessageBytes: len(in.Event.Message), Tasks: len(in.Event.Tasks), Transcript: in.Facts.TranscriptSize,
			Iteration: view.Used, Lease: view.LeaseSize, Rounds: view.Rounds, Planned: view.Planned,
			Continuations: view.Continuations, ClientCap: in.Facts.ClientCap,
		},
	})
	if err != nil {
		h.log("encode the trace: " + err.Error())
		return
	}
	if err := store.AppendTrace(loc, line); err != nil {
		h.log("append the trace: " + err.Error())
	}
}

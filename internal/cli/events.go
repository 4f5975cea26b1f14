package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
	"omc-hook/internal/permit"
	"omc-hook/internal/state"
)

// permit answers whether one command of the model may run without asking. Every
// call of it also proves that the hooks of this session are live.
func (h *hookRun) permit() []byte {
	if h.eventErr != nil || h.event.ToolName != "Bash" {
		return nil
	}
	call, err := permit.Parse(h.event.ToolCommand)
	if err != nil {
		return nil
	}
	store, loc, ok := h.place()
	if ok {
		h.beat(store, loc)
	}
	if named := sessionOf(call.Args); named != "" && named != h.event.SessionID {
		return nil
	}
	d := permit.Decide(call, permitTable(), h.event.AgentID != "")
	if d.Action == permit.IfApproved && ok && runsApproved(store, loc) {
		d.Action = permit.Allow
	}
	switch d.Action {
	case permit.Allow:
		return hook.Permission("allow", d.Reason)
	case permit.Deny:
		return hook.Permission("deny", d.Reason)
	}
	return nil
}

// sessionOf is the session that a command names, "" for its own. What a model
// says of another session is for the person to allow.
func sessionOf(args []string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--session="); ok {
			return value
		}
		if arg == "--session" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// place is where the event's session keeps its state.
func (h *hookRun) place() (state.Store, state.Location, bool) {
	store := h.store(h.event.Cwd)
	if h.eventErr != nil || !modestate.ValidSession(h.event.SessionID) {
		return store, state.Location{}, false
	}
	loc, err := store.Locate(h.event.SessionID)
	if err != nil {
		h.log("locate the state: " + err.Error())
	}
	return store, loc, err == nil
}

// sessionStart checks the installation, cleans up, and tells of an unfinished
// loop: the session's own to the model, another's to the person.
func (h *hookRun) sessionStart() []byte {
	store, loc, ok := h.place()
	if !ok {
		return nil
	}
	h.beat(store, loc)
	if err := store.Sweep(loc); err != nil {
		h.log("sweep: " + err.Error())
	}
	var notes []string
	if other := shadowOf(h.Env, ""); other != "" {
		notes = append(notes, fmt.Sprintf("omc-hook: %s comes first on PATH and hides the plugin's own omc-hook; remove it", other))
	}
	if root := filepath.Dir(filepath.Dir(h.Getenv("OMC_HOOK_LAUNCHER"))); strings.ContainsAny(root, "'$") {
		notes = append(notes, "omc-hook: the client leaves the plugin's commands off the PATH, since "+oneLine(root)+" holds ' or $; install it elsewhere")
	}
	text := ""
	if list := loops(store, loc); len(list) > 0 {
		t := list[0]
		text = fmt.Sprintf("A %s of this session is unfinished (run %s, round %d of %d). %s",
			t.mode, oneLine(t.view.RunID), t.view.Round(), t.view.Planned, decide.Continuation(t.mode, t.view))
		if paused := t.view.Paused.Cause; paused != "" {
			text = fmt.Sprintf("A %s of this session is paused (run %s, round %d of %d: %s). Do not go on with it before the person does.",
				t.mode, oneLine(t.view.RunID), t.view.Round(), t.view.Planned, oneLine(paused))
		}
	} else if note := h.unfinished(store, loc); note != "" {
		notes = append(notes, note)
	}
	return hook.SessionContext(text, strings.Join(notes, "\n"))
}

// unfinished names an unfinished loop of another session of this repository.
func (h *hookRun) unfinished(store state.Store, loc state.Location) string {
	all, err := repositoryLoops(store, loc)
	if err != nil || len(all) == 0 {
		return ""
	}
	t := all[0]
	how := "/" + t.mode + " takes it up here"
	switch paused := t.view.Paused.Cause; {
	case paused != "":
		how = "it is paused (" + oneLine(paused) + "); /" + t.mode + " adopt " + t.loc.Session + " takes it over"
	case decide.Fresh(t.view.State, h.Now()):
		how = "it is being worked on; /" + t.mode + " adopt " + t.loc.Session + " takes it over, /" + t.mode + " stop ends it"
	}
	return fmt.Sprintf("omc-hook: %s (session %s, round %d of %d) is unfinished in this repository: %s. State: %s",
		count(len(all), "loop"), t.loc.Session, t.view.Round(), t.view.Planned, how, t.file())
}

// userPrompt ends a pause that waits for the person. What the client itself puts
// in as a prompt is no word of the person.
func (h *hookRun) userPrompt() []byte {
	store, loc, ok := h.place()
	if !ok || h.event.AgentID != "" {
		return nil
	}
	h.beat(store, loc)
	if strings.HasPrefix(strings.TrimSpace(h.event.Prompt), "<task-notification>") || ownCommand(h.event.Prompt) {
		return nil
	}
	for _, t := range loops(store, loc) {
		if !loop.EndsWithPrompt(t.view.Paused.Cause) {
			continue
		}
		err := t.change(h.Env, func(v loop.View) ([]modestate.Change, error) {
			if !loop.EndsWithPrompt(v.Paused.Cause) || !h.commit() {
				return nil, nil
			}
			return newLease(v, h.Now()), nil
		})
		if err != nil {
			h.log("end the pause: " + err.Error())
			return nil
		}
		return hook.Note(fmt.Sprintf("%s goes on after this turn (it was paused: %s); /%s pause pauses it.", t.mode, t.view.Paused.Cause, t.mode))
	}
	return nil
}

// ownCommand holds for a prompt that is one of our commands: the expansion of it
// says what it does to a pause.
func ownCommand(prompt string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(prompt), " ")
	name := strings.TrimPrefix(strings.TrimPrefix(word, "/"), permit.Program+":")
	return strings.HasPrefix(word, "/") && slices.Contains(decide.Modes(), name)
}

// stopFailure pauses the loop with the cause of an API error. The client ignores
// what it prints.
func (h *hookRun) stopFailure() []byte {
	store, loc, ok := h.place()
	if !ok || h.event.AgentID != "" {
		return nil
	}
	cause, until := failurePause(h.event.Error, h.Now())
	for _, t := range loops(store, loc) {
		err := t.change(h.Env, func(v loop.View) ([]modestate.Change, error) {
			if v.Paused.Cause != "" || !h.commit() {
				return nil, nil
			}
			return []modestate.Change{modestate.SetPause(modestate.Pause{Cause: cause, Until: until})}, nil
		})
		if err != nil {
			h.log("pause after an API error: " + err.Error())
		}
	}
	return nil
}

// failurePause is the pause that an API error asks for. A Stop that comes after
// its time shows that the API answers again.
func failurePause(failure string, now time.Time) (string, time.Time) {
	const soon = time.Minute
	switch failure {
	case "rate_limit", "overloaded":
		return loop.PausedRate, now.Add(soon)
	case "authentication_failed", "billing_error":
		return loop.PausedAuth, time.Time{}
	}
	return loop.PausedAPI, now.Add(soon)
}

package decide

import (
	"fmt"
	"time"

	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
	"omc-hook/internal/plain"
)

// toldOutcome marks a state whose outcome the person was told.
const toldOutcome = "outcome"

// ownAuthority is the authority under which this hook continues a loop.
const ownAuthority = "omc-hook"

func no() (Verdict, bool) { return Verdict{}, false }

func quiet(detail string) (Verdict, bool) { return Verdict{Detail: detail}, true }

func switchedOff(s *stop) (Verdict, bool) {
	if s.facts.SwitchedOff == "" {
		return no()
	}
	return quiet("switched off by " + s.facts.SwitchedOff)
}

func unreadableEvent(s *stop) (Verdict, bool) {
	if s.eventErr == nil {
		return no()
	}
	return quiet(s.eventErr.Error())
}

func subagent(s *stop) (Verdict, bool) {
	switch {
	case s.event.AgentID != "":
		return quiet("the stop of a subagent")
	case s.event.Name != "" && s.event.Name != "Stop":
		return quiet("the event is " + plain.Line(s.event.Name, 40))
	}
	return no()
}

func noSession(s *stop) (Verdict, bool) {
	if modestate.ValidSession(s.event.SessionID) {
		return no()
	}
	return quiet("no usable session id in the event")
}

func noModeState(s *stop) (Verdict, bool) {
	if s.found {
		return no()
	}
	return quiet("no loop in this session")
}

func unreadableState(s *stop) (Verdict, bool) {
	if s.fault == "" {
		return no()
	}
	remedy := "omc-hook cancel --session=" + s.event.SessionID + " moves a broken one to the archive"
	return Verdict{
		Note:   fmt.Sprintf("%s does not continue: its state %s cannot be used (%s). %s.", s.mode.name, s.mode.file(), plain.Line(s.fault, 120), remedy),
		Detail: s.fault,
		Remedy: remedy,
	}, true
}

func outcomeUntold(s *stop) (Verdict, bool) {
	if s.state.Outcome == "" || s.state.Told == toldOutcome || s.state.SessionID != s.event.SessionID {
		return no()
	}
	return Verdict{
		Note:    s.mode.ended(s.view),
		Detail:  "ended " + plain.Line(s.state.Outcome, 20),
		Edits:   []modestate.Change{modestate.SetText("told", toldOutcome), modestate.SetBool("active", false)},
		Archive: true,
	}, true
}

func notActive(s *stop) (Verdict, bool) {
	if s.state.Active && s.state.Outcome == "" {
		return no()
	}
	v, ok := quiet("the state is not active")
	// The Stop that told of the outcome could not move the state away.
	v.Archive = s.state.Outcome != "" && s.state.Told == toldOutcome && s.state.SessionID == s.event.SessionID
	return v, ok
}

func otherSession(s *stop) (Verdict, bool) {
	if s.state.SessionID == s.event.SessionID {
		return no()
	}
	return quiet("the state names another session, or none")
}

func otherRepository(s *stop) (Verdict, bool) {
	foreign := s.state.Schema == 0 && s.state.ProjectPath == ""
	if foreign || s.state.ProjectPath == s.facts.Root {
		return no()
	}
	return quiet("the state is of " + plain.Line(s.state.ProjectPath, 200))
}

func otherAuthority(s *stop) (Verdict, bool) {
	foreign := s.state.Schema == 0 && s.state.Authority == ""
	if foreign || s.state.Authority == ownAuthority {
		return no()
	}
	return quiet("the recorded authority is " + plain.Line(s.state.Authority, 40))
}

func stopReason(s *stop) (Verdict, bool) {
	switch hook.StopReason(s.event.Reasons) {
	case hook.ContextLimit:
		return s.pause(loop.PausedContext, time.Time{}, "the context window is full")
	case hook.Abort:
		return s.pause(loop.PausedAbort, time.Time{}, "the turn was aborted")
	case hook.Authentication:
		return s.pause(loop.PausedAuth, time.Time{}, "the client is not logged in")
	case hook.RateLimit:
		return s.pause(loop.PausedRate, s.facts.Now.Add(apiPause), "the API is limiting requests")
	}
	return no()
}

// apiPause is how long a loop stays paused after an error that time mends, when
// neither the person nor a new turn ends the pause before.
const apiPause = 10 * time.Minute

func killSwitch(s *stop) (Verdict, bool) {
	if s.facts.StopFile == "" {
		return no()
	}
	return s.pause(loop.PausedSwitch, time.Time{}, "the file "+plain.Line(s.facts.StopFile, 160)+" asks for it; remove it first")
}

func paused(s *stop) (Verdict, bool) {
	if !s.pauseHolds() {
		return no()
	}
	v, ok := quiet("since " + plain.Line(s.state.Paused.Cause, 40))
	v.Remedy = s.mode.command + " resume"
	return v, ok
}

func (s *stop) pauseHolds() bool {
	p := s.state.Paused
	return p.Cause != "" && (p.Until.IsZero() || p.Until.After(s.facts.Now))
}

func planMode(s *stop) (Verdict, bool) {
	if s.event.PermissionMode != "plan" {
		return no()
	}
	return s.pause(loop.PausedPlanMode, time.Time{}, "the session is in plan mode, where nothing can be written")
}

// pause is the verdict that lets go, records why, and tells the person once how
// to go on. It changes no counter. Where a pause holds already that does not end
// earlier, it stays and nothing is told again.
func (s *stop) pause(cause string, until time.Time, why string) (Verdict, bool) {
	asked := modestate.Pause{Cause: cause, Until: until}
	if s.pauseHolds() && endsLate(s.state.Paused) >= endsLate(asked) {
		return quiet(why)
	}
	remedy := s.mode.command + " resume"
	return Verdict{
		Note:   fmt.Sprintf("%s paused in round %s: %s. It is not finished; %s goes on.", s.mode.name, s.progress(), why, remedy),
		Detail: why,
		Remedy: remedy,
		Edits:  []modestate.Change{modestate.SetPause(asked)},
	}, true
}

// endsLate orders pauses by what ends them: time, a prompt of the person, or
// only a resume. So an error of the API does not end the person's own pause.
func endsLate(p modestate.Pause) int {
	switch {
	case !p.Until.IsZero():
		return 0
	case loop.EndsWithPrompt(p.Cause):
		return 1
	}
	return 2
}

// tell is a verdict with a note that is given once for a run of equal verdicts.
// A state of another writer is not marked, and told of each time.
func (s *stop) tell(rule, note, detail, remedy string) (Verdict, bool) {
	v := Verdict{Note: note, Detail: detail, Remedy: remedy}
	if s.state.Schema == 0 {
		return v, true
	}
	if s.state.Told == rule {
		v.Note = ""
		return v, true
	}
	v.Edits = []modestate.Change{modestate.SetText("told", rule)}
	return v, true
}

// progress is the round and the plan as people read them.
func (s *stop) progress() string {
	if !s.state.HasPlanned {
		return fmt.Sprintf("%d (stop %d of %d)", s.view.Round(), s.view.Used, s.view.LeaseSize)
	}
	return fmt.Sprintf("%d of %d", min(s.view.Round(), max(s.state.Planned, 1)), s.state.Planned)
}

package goal

import (
	"fmt"
	"time"

	"omc-hook/internal/loop"
	"omc-hook/internal/plain"
)

// finish ends a run on the evidence of its last round.
func finish(run Run, s Finish, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	switch s.Outcome {
	case loop.Success, loop.Blocked, loop.Error:
	default:
		return run, nil, &Refused{Why: fmt.Sprintf("the model ends a run with SUCCESS, BLOCKED or ERROR, not %q", plain.Line(string(s.Outcome), 20))}
	}
	e := s.Entry
	if s.Outcome == loop.Success {
		if run.Last == nil {
			return run, nil, &Refused{Why: "SUCCESS needs a recorded round with its verification and review", Hint: hintTemplate}
		}
		e = run.Last.Entry
		e.Criteria, e.Remaining = s.Entry.Criteria, s.Entry.Remaining
	}
	missing := append(e.lacksFor(s.Outcome), s.Pending.lacksFor(s.Outcome, e, run)...)
	if s.Broken != "" && s.Outcome == loop.Success {
		missing = append(missing, "whole records: "+s.Broken)
	}
	if s.Outcome == loop.Success {
		missing = append(missing, run.unverified(s.Evidence)...)
	}
	if len(missing) > 0 {
		return run, nil, &Refused{Why: string(s.Outcome) + " needs", Missing: missing, Hint: hintTemplate}
	}
	reason := e.Reason
	if s.Outcome == loop.Success {
		reason = "every acceptance criterion holds, with fresh verification and review"
	}
	next, draft := end(run, s.Outcome, reason, e, now)
	return next, []Draft{draft}, nil
}

func cancel(run Run, s Cancel, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	next, draft := end(run, loop.Cancelled, s.Reason, Entry{Next: run.Next}, now)
	return next, []Draft{draft}, nil
}

func closeSegment(run Run, s Close, now time.Time) (Run, []Draft, error) {
	if run.Outcome == "" || run.Closed {
		return run, nil, &Refused{Why: "there is nothing to close"}
	}
	next := run
	next.Closed = true
	return next, []Draft{closedDraft(Closed{Segment: run.Segment, Persistence: s.Persistence}, now)}, nil
}

// end makes the terminal entry.
func end(run Run, outcome loop.Outcome, reason string, e Entry, now time.Time) (Run, Draft) {
	next := run
	next.Outcome = outcome
	next.Next = e.Next
	verified := ""
	if outcome == loop.Success {
		next.Next, verified = nextAfterSuccess, run.verifiedBy()
	}
	t := Terminal{
		Segment: run.Segment, Outcome: outcome, Reason: reason, Counters: run.Counters, Changed: next.Changed,
		Criteria: e.Criteria, Needs: e.Needs, Kind: blockedOnly(outcome, e.Kind), Remain: e.Remaining, Next: next.Next, Resume: ResumeCommand(outcome, run.Owner.StateDir),
		Verified: verified,
	}
	return next, terminalDraft(t, now)
}

// ResumeCommand is what the person types to go on after an outcome.
func ResumeCommand(outcome loop.Outcome, stateDir string) string {
	command := "/goal-loop"
	if stateDir != "" && stateDir != DefaultStateDir {
		command += " --state-dir=" + stateDir
	}
	switch outcome {
	case "":
		return command
	case loop.Success:
		return command + " --continue NEW GOAL"
	}
	return command + " --continue"
}

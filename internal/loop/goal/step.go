package goal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"omc-hook/internal/loop"
)

// Signal is something that happens to a run: Start, Record, Finish, Cancel or
// Close.
type Signal interface{ signal() }

// Start is a person's start, resume or --continue.
type Start struct {
	Invocation Invocation
	Owner      Owner
	Preflight  Preflight
	// Carried are paths that the segment before owned and that are as it left them.
	Carried []OwnedPath
	// Why says why a run that has not ended goes on, "" for the usual reason.
	Why string
	// Unapproved says that the commands of the invocation did not come from the
	// person's own keyboard: they are proposed then, and not approved.
	Unapproved bool
}

// Record is one round that the model reports. Stops counts the stops since the
// last record, Broken the faults of the files: a broken block bars SUCCESS,
// never a record. Pending is what questions and asks bar, Evidence what a
// verification is held against.
type Record struct {
	Entry    Entry
	Stops    int64
	Broken   string
	Pending  Pending
	Evidence Evidence
}

// Finish asks for an outcome without a new round: the evidence of the last
// round counts, with the criteria or reasons of Entry.
type Finish struct {
	Outcome  loop.Outcome
	Entry    Entry
	Broken   string
	Pending  Pending
	Evidence Evidence
}

// Cancel is the person's stop.
type Cancel struct{ Reason string }

// Close records that persistence was cleared after a terminal entry.
type Close struct{ Persistence string }

func (Start) signal()  {}
func (Record) signal() {}
func (Finish) signal() {}
func (Cancel) signal() {}
func (Close) signal()  {}

// Refused says why a signal does not fit the run. Missing lists, one a line,
// what is needed; Hint is the next command.
type Refused struct {
	Why     string
	Missing []string
	Hint    string
}

// Error is the refusal with everything that is missing.
func (r *Refused) Error() string {
	if len(r.Missing) == 0 {
		return r.Why
	}
	return r.Why + ": " + strings.Join(r.Missing, "; ")
}

// Step takes one signal. It returns the run after it and the records to append,
// or a *Refused error and nothing.
func Step(run Run, signal Signal, now time.Time) (Run, []Draft, error) {
	switch s := signal.(type) {
	case Start:
		return start(run, s, now)
	case Record:
		return record(run, s, now)
	case Finish:
		return finish(run, s, now)
	case Cancel:
		return cancel(run, s, now)
	case Own:
		return own(run, s, now)
	case Transfer:
		return transfer(run, s, now)
	case Propose:
		return propose(run, s, now)
	case Approve:
		return approve(run, s, now)
	case BeginVerify:
		return beginVerify(run, s, now)
	case EndVerify:
		return endVerify(run, s, now)
	case Close:
		return closeSegment(run, s, now)
	}
	return run, nil, &Refused{Why: fmt.Sprintf("unknown signal %T", signal)}
}

// start decides between a first run, the resumption of a run that has not
// ended, and a new segment (spec/goal-loop.txt, section 3).
func start(run Run, s Start, now time.Time) (Run, []Draft, error) {
	goal := s.Invocation.Goal
	hasGoal := filled(goal)
	switch {
	case run.Segment == 0 && !hasGoal:
		return run, nil, &Refused{Why: "there is no goal", Hint: "/goal-loop [options] what is to be reached"}
	case run.Segment == 0:
		return openSegment(run, s, DefaultLimits(), now)
	case run.Outcome == "":
		return resume(run, s, now)
	case !s.Invocation.Continue:
		return run, nil, &Refused{
			Why:  fmt.Sprintf("the run in %s ended with %s", run.Owner.StateDir, run.Outcome),
			Hint: "/goal-loop --continue" + newGoalHint(hasGoal || run.Outcome == loop.Success) + ", or another --state-dir=PATH",
		}
	case run.Outcome == loop.Success && (!hasGoal || goal == run.Goal && run.GoalSegment <= run.Segment):
		return run, nil, &Refused{Why: "the run ended with SUCCESS: it is reopened with a new goal only", Hint: "/goal-loop --continue what is to be reached now"}
	}
	return openSegment(run, s, run.Limits, now)
}

func newGoalHint(wanted bool) string {
	if wanted {
		return " GOAL, with the new goal"
	}
	return ""
}

// openSegment starts a segment with all counters at zero.
func openSegment(run Run, s Start, inherited Limits, now time.Time) (Run, []Draft, error) {
	next := Run{
		Segment: run.Segment + 1, Owner: s.Owner, Goal: run.Goal, GoalSegment: run.GoalSegment,
		Limits: s.Invocation.Limits.Or(inherited), Format: max(run.Format, Format), Marks: run.Marks,
	}
	var drafts []Draft
	// A start that was broken off has put the goal of this segment on record.
	broken := run.GoalSegment == next.Segment
	if goal := s.Invocation.Goal; filled(goal) && !(broken && goal == run.Goal) {
		next.Goal, next.GoalSegment = goal, next.Segment
		drafts = append(drafts, goalDraft(next, run.Goal == "", now))
	}
	p := s.Preflight
	p.Segment, p.Decision = next.Segment, decisionContinue
	next.Next, next.Dirty = p.Next, p.dirty()
	next.Verify.Found = p.Commands
	next.GoalDigest = goalDigest(next.Goal)
	segment := Segment{Format: Format, Segment: next.Segment, Owner: s.Owner, Limits: next.Limits, GoalDigest: next.GoalDigest}
	drafts = append(drafts, segmentDraft(segment, now), preflightDraft(p, now))
	if len(s.Carried) > 0 {
		carried := Owned{Segment: next.Segment, How: fmt.Sprintf("as segment %d left them", run.Segment), Paths: s.Carried}
		next.takeOwned(carried)
		drafts = append(drafts, ownedDraft(carried, now))
	}
	drafts = append(drafts, next.typedCommands(s, now)...)
	return next, drafts, nil
}

// resume goes on with a run that has not ended: counters and limits stay, unless
// the person names new limits.
func resume(run Run, s Start, now time.Time) (Run, []Draft, error) {
	limits := s.Invocation.Limits.Or(run.Limits)
	if run.Counters.Iteration >= limits.MaxIterations {
		return run, nil, &Refused{
			Why:  fmt.Sprintf("all %d iterations of the segment are used", limits.MaxIterations),
			Hint: "/goal-loop --max-iterations=N with a larger N",
		}
	}
	next := run
	next.Owner, next.Limits = s.Owner, limits
	why := s.Why
	if why == "" {
		why = "the run had not ended"
	}
	var drafts []Draft
	if filled(s.Invocation.Goal) && s.Invocation.Goal != run.Goal {
		next.Goal, next.GoalSegment = s.Invocation.Goal, run.Segment
		drafts = append(drafts, goalDraft(next, false, now))
		why = "the person gave a further goal"
	}
	next.GoalDigest = goalDigest(next.Goal)
	r := Resumed{Segment: run.Segment, Owner: s.Owner, Limits: limits, Why: why, GoalDigest: next.GoalDigest}
	drafts = append(drafts, resumedDraft(r, now))
	return next, append(drafts, next.typedCommands(s, now)...), nil
}

// record counts a round once and evaluates the stop states in their order.
func record(run Run, s Record, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	if missing := s.Entry.lacks(); len(missing) > 0 {
		return run, nil, &Refused{Why: "the record lacks", Missing: missing, Hint: hintTemplate}
	}
	if run.Last != nil && s.Stops == 0 && sameEvidence(run.Last.Entry, s.Entry) {
		return run, nil, &Refused{
			Why:  "this round brings no new evidence and no turn has ended since the last record",
			Hint: "do the next action, then record it",
		}
	}
	next := run
	next.Counters = run.Counters.next(s.Entry)
	outcome, reason, err := evaluate(next, s)
	if err != nil {
		return run, nil, err
	}
	it := Iteration{Segment: run.Segment, Entry: s.Entry, Counters: next.Counters, Decision: decisionContinue, Marks: s.Pending.Marks}
	if outcome != "" {
		it.Decision = string(outcome)
	}
	next.Last, next.Next = &it, s.Entry.Next
	next.Changed = append([]string(nil), run.Changed...)
	next.collect(s.Entry.Changed)
	next.mark(it.Marks)
	drafts := []Draft{iterationDraft(it, now)}
	if outcome != "" {
		var terminal Draft
		next, terminal = end(next, outcome, reason, s.Entry, now)
		drafts = append(drafts, terminal)
	}
	return next, drafts, nil
}

const hintTemplate = "omc-hook goal record --template explains each field"

// running refuses a signal for a run that was never started or has ended.
func running(run Run) error {
	switch {
	case run.Segment == 0:
		return &Refused{Why: "no run was started here", Hint: "the person types /goal-loop and the goal"}
	case run.Outcome != "":
		return &Refused{Why: fmt.Sprintf("the run ended with %s", run.Outcome), Hint: "the person types /goal-loop --continue to reopen it"}
	}
	return nil
}

// evaluate finds the first stop state that holds (spec/goal-loop.txt, section
// 7): CANCELLED is a signal of its own, then ERROR, BLOCKED, SUCCESS, BUDGET.
// A claim whose evidence is not there is refused with what is missing.
func evaluate(run Run, s Record) (loop.Outcome, string, error) {
	e, claim := s.Entry, s.Entry.claim()
	missing := append(e.lacksFor(claim), s.Pending.lacksFor(claim, e, run)...)
	if claim == loop.Success && s.Broken != "" {
		missing = append(missing, "whole records: "+s.Broken)
	}
	if claim == loop.Success {
		missing = append(missing, run.unverified(s.Evidence)...)
	}
	if len(missing) > 0 {
		return "", "", &Refused{Why: string(claim) + " needs", Missing: missing, Hint: hintTemplate}
	}
	c, l := run.Counters, run.Limits
	switch {
	case claim == loop.Error:
		return loop.Error, e.Reason, nil
	case c.Failures >= l.Failures:
		return loop.Error, fmt.Sprintf("%d rounds in a row failed", c.Failures), nil
	case claim == loop.Blocked:
		return loop.Blocked, e.Reason, nil
	case claim == loop.Success:
		return loop.Success, "every acceptance criterion holds, with fresh verification and review", nil
	case c.Iteration >= l.MaxIterations:
		return loop.Budget, fmt.Sprintf("all %d iterations are used", l.MaxIterations), nil
	case c.NoProgress >= l.NoProgress:
		return loop.Budget, fmt.Sprintf("%d rounds in a row brought no progress", c.NoProgress), nil
	}
	return "", "", nil
}

// blockedOnly is the kind of a BLOCKED; no other outcome has one.
func blockedOnly(outcome loop.Outcome, kind string) string {
	if outcome != loop.Blocked {
		return ""
	}
	return kind
}

// sameEvidence holds when b reports nothing that a has not.
func sameEvidence(a, b Entry) bool {
	return slices.Equal(a.Changed, b.Changed) && slices.Equal(a.Verification, b.Verification) &&
		slices.Equal(a.Review, b.Review) && slices.Equal(a.Progress, b.Progress) && a.Failure == b.Failure
}

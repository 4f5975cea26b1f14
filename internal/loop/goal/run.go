// Package goal is the goal-loop workflow (spec/goal-loop.txt): what a person may
// type, the records of GOAL.md and GOAL-WORKLOG.md, the counters, and the stop
// states.
//
// It is pure. Fold reads a run back from its records; Step is the one reducer
// that changes it and says which records to append. Reading and writing files,
// the mode state and the lock are the shell's.
package goal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
	"omc-hook/internal/plain"
)

// Mode is the name of the workflow's mode state.
const Mode = "goal-loop"

// Run is a goal's state as its records tell it. The zero value is a run that
// was never started.
type Run struct {
	// Segment is the number of the newest segment, 0 before the first.
	Segment int64
	Owner   Owner
	Limits  Limits
	// Counters are those of the newest segment.
	Counters Counters
	// Outcome is how the newest segment ended, "" while it has not.
	Outcome loop.Outcome
	// Closed says that the evidence of cleared persistence is on record.
	Closed bool
	// Next is the newest next action.
	Next string
	// Last is the newest round of the segment, nil before the first.
	Last *Iteration
	// Goal is the newest goal, verbatim.
	Goal string
	// GoalSegment is the segment in which Goal was given.
	GoalSegment int64
	// Marks is how far questions and asks had come at the newest round that found
	// any.
	Marks Marks
	// GoalDigest is the digest of the goal as the worklog has it.
	GoalDigest string
	// Changed collects the paths that the segment changed.
	Changed []string
	// Format is the newest format of state that a record names.
	Format int
	// Dirty are the paths that were not the loop's when the segment began,
	// Transferred those of them that the person gave to it, and Owned what stood at
	// the loop's own paths when it last wrote them.
	Dirty       Dirty
	Transferred []string
	Owned       map[string]OwnedPath
	// Verify is what the segment has of verification by the binary.
	Verify Verify
}

// maxChanged bounds the collected paths of a segment.
const maxChanged = 1_000

// Fold reads a run from the records of both files. A record of an unknown kind
// or one that contradicts those before it is a fault; the rest still counts.
func Fold(goals, worklog ledger.File) (Run, []ledger.Fault) {
	var run Run
	var faults []ledger.Fault
	for _, r := range goals.Records {
		text, err := decode[GoalText](r)
		if err != nil || r.Kind != kindGoal {
			faults = append(faults, foldFault(r, err))
			continue
		}
		run.Goal, run.GoalSegment = text.Text, text.Segment
		run.Format = max(run.Format, text.Format)
	}
	for _, r := range worklog.Records {
		if err := run.apply(r); err != nil {
			faults = append(faults, foldFault(r, err))
		}
	}
	if f, changed := ChangedGoal(goals, run); changed {
		faults = append(faults, f)
	}
	return run, faults
}

// ChangedGoal is the fault of a run none of whose goals is the one that its
// worklog says it works on.
func ChangedGoal(goals ledger.File, run Run) (ledger.Fault, bool) {
	if len(goals.Records) == 0 || run.GoalDigest == "" {
		return ledger.Fault{}, false
	}
	for _, r := range goals.Records {
		if text, err := decode[GoalText](r); err == nil && goalDigest(text.Text) == run.GoalDigest {
			return ledger.Fault{}, false
		}
	}
	return ledger.Fault{
		Line: goals.Records[len(goals.Records)-1].Line, What: "the goal is not the one that the run was started with",
		Repair: "restore it, or give the new one with /goal-loop",
	}, true
}

// goalDigest is the SHA-256 of a goal.
func goalDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func foldFault(r ledger.Record, err error) ledger.Fault {
	what := fmt.Sprintf("record %d of kind %q does not belong here", r.Seq, plain.Line(r.Kind, 40))
	if err != nil {
		what = err.Error()
	}
	return ledger.Fault{Line: r.Line, What: what, Repair: "restore the record from version control or a backup"}
}

// apply takes one record of the worklog. Nothing but its closing and the next
// segment follows the end of a segment.
func (run *Run) apply(r ledger.Record) error {
	late := run.Outcome != "" && r.Kind != kindSegment && r.Kind != kindClosed
	if err := run.applyKind(r); err != nil {
		return err
	}
	if late {
		return fmt.Errorf("record %d (%s): it follows the end of segment %d", r.Seq, r.Kind, run.Segment)
	}
	return nil
}

func (run *Run) applyKind(r ledger.Record) error {
	switch r.Kind {
	case kindSegment:
		return with(r, run.applySegment)
	case kindPreflight:
		return with(r, run.applyPreflight)
	case kindResumed:
		return with(r, run.applyResumed)
	case kindIteration:
		return with(r, run.applyIteration)
	case kindTerminal:
		return with(r, run.applyTerminal)
	case kindOwned:
		return with(r, run.applyOwned)
	case kindTransferred:
		return with(r, run.applyTransferred)
	case kindClosed:
		return with(r, func(c Closed) error { run.Closed = true; return run.inSegment(c.Segment) })
	}
	if known, err := run.applyVerify(r); known {
		return err
	}
	return fmt.Errorf("record %d: unknown kind %q", r.Seq, plain.Line(r.Kind, 40))
}

func with[T any](r ledger.Record, apply func(T) error) error {
	body, err := decode[T](r)
	if err != nil {
		return err
	}
	if err := apply(body); err != nil {
		return fmt.Errorf("record %d (%s): %w", r.Seq, r.Kind, err)
	}
	return nil
}

func (run *Run) inSegment(n int64) error {
	if n != run.Segment {
		return fmt.Errorf("it is of segment %d within segment %d", n, run.Segment)
	}
	return nil
}

func (run *Run) applySegment(s Segment) error {
	want := run.Segment + 1
	run.Segment, run.Owner, run.Limits, run.GoalDigest = s.Segment, s.Owner, s.Limits, s.GoalDigest
	run.Counters, run.Outcome, run.Closed, run.Last, run.Changed = Counters{}, "", false, nil, nil
	run.Dirty, run.Transferred, run.Owned, run.Format = Dirty{}, nil, nil, max(run.Format, s.Format)
	run.Verify = Verify{}
	switch {
	case s.Format != Format:
		return fmt.Errorf("state format %d, this build reads %d", s.Format, Format)
	case s.Segment != want:
		return fmt.Errorf("segment %d where segment %d is due", s.Segment, want)
	}
	return nil
}

func (run *Run) applyPreflight(p Preflight) error {
	run.Next, run.Dirty = p.Next, p.dirty()
	run.Verify.Found = p.Commands
	return run.inSegment(p.Segment)
}

func (run *Run) applyResumed(r Resumed) error {
	run.Owner, run.Limits = r.Owner, r.Limits
	if r.GoalDigest != "" {
		run.GoalDigest = r.GoalDigest
	}
	return run.inSegment(r.Segment)
}

func (run *Run) applyIteration(it Iteration) error {
	want := run.Counters.next(it.Entry)
	run.Counters, run.Next, run.Last = it.Counters, it.Entry.Next, &it
	run.collect(it.Entry.Changed)
	run.mark(it.Marks)
	if err := run.inSegment(it.Segment); err != nil {
		return err
	}
	if it.Counters != want {
		return fmt.Errorf("its counters are %+v where the rounds give %+v", it.Counters, want)
	}
	return nil
}

func (run *Run) applyTerminal(t Terminal) error {
	if !t.Outcome.Known() {
		return fmt.Errorf("unknown outcome %q", plain.Line(string(t.Outcome), 20))
	}
	run.Outcome, run.Next = t.Outcome, t.Next
	return run.inSegment(t.Segment)
}

func (run *Run) mark(m *Marks) {
	if m != nil {
		run.Marks = *m
	}
}

func (run *Run) collect(paths []string) {
	for _, p := range paths {
		known := false
		for _, q := range run.Changed {
			known = known || p == q
		}
		if !known && len(run.Changed) < maxChanged {
			run.Changed = append(run.Changed, p)
		}
	}
}

// next counts one completed round (spec/goal-loop.txt, section 5 E): one more
// iteration; progress needs evidence and sets the first run to zero; a failure
// counts once however many there were.
func (c Counters) next(e Entry) Counters {
	n := Counters{Iteration: c.Iteration + 1, NoProgress: c.NoProgress + 1}
	if len(e.Progress) > 0 {
		n.NoProgress = 0
	}
	if e.failed() {
		n.Failures = c.Failures + 1
	}
	return n
}

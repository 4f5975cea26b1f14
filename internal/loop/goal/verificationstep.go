package goal

import (
	"fmt"
	"slices"
	"time"

	"omc-hook/internal/ledger"
)

// Propose is the model's list of commands that it would have approved.
type Propose struct{ Commands []string }

// Approve is the person's word for a list of commands.
type Approve struct {
	Commands []string
	How      string
}

// BeginVerify is the intent to run the commands that the person approved.
type BeginVerify struct{ Approved []string }

// EndVerify is what became of them. The binary adds the time.
type EndVerify struct {
	Approved     []string
	Verification Verification
}

func (Propose) signal()     {}
func (Approve) signal()     {}
func (BeginVerify) signal() {}
func (EndVerify) signal()   {}

const hintApprove = "the person types /goal-loop approve, which shows the commands"

func propose(run Run, s Propose, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	if err := CheckCommands(s.Commands); err != nil {
		return run, nil, &Refused{Why: err.Error(), Hint: "omc-hook goal propose --stdin takes one command a line"}
	}
	if slices.Equal(s.Commands, run.Verify.Proposed) {
		return run, nil, nil
	}
	next := run
	next.Verify.Proposed = s.Commands
	list := CommandList{Segment: run.Segment, Commands: s.Commands, Digest: CommandsDigest(s.Commands)}
	return next, []Draft{proposalDraft(list, now)}, nil
}

func approve(run Run, s Approve, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	if err := CheckCommands(s.Commands); err != nil {
		return run, nil, &Refused{Why: err.Error(), Hint: hintApprove}
	}
	if slices.Equal(s.Commands, run.Verify.Commands) {
		return run, nil, nil
	}
	next := run
	next.Verify.Commands, next.Verify.Proposed = s.Commands, nil
	return next, []Draft{commandsDraft(run.Segment, s, now)}, nil
}

// typedCommands are the records of a start whose person typed commands.
func (run *Run) typedCommands(s Start, now time.Time) []Draft {
	commands := s.Invocation.Verify
	switch {
	case len(commands) == 0:
		return nil
	case s.Unapproved:
		run.Verify.Proposed = commands
		return []Draft{proposalDraft(CommandList{Segment: run.Segment, Commands: commands, Digest: CommandsDigest(commands)}, now)}
	}
	run.Verify.Commands, run.Verify.Proposed = commands, nil
	return []Draft{commandsDraft(run.Segment, Approve{Commands: commands, How: HowTyped}, now)}
}

func beginVerify(run Run, s BeginVerify, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	if err := mayRun(run, s.Approved); err != nil {
		return run, nil, err
	}
	next := run
	next.Verify.Began = &Verifying{Segment: run.Segment, Digest: CommandsDigest(s.Approved), At: now.UTC().Round(0)}
	return next, []Draft{verifyingDraft(*next.Verify.Began, now)}, nil
}

// mayRun refuses commands that are not, word for word, those of the records and
// those of the person's approval.
func mayRun(run Run, approved []string) error {
	if len(approved) == 0 && len(run.Verify.Commands) == 0 {
		if odd := run.Verify.Proposed; len(odd) > 0 {
			return &Refused{Why: fmt.Sprintf("not approved: %s", quoted(odd)), Hint: hintApprove}
		}
		return &Refused{
			Why:  "the person approved no command for this run",
			Hint: "omc-hook goal propose --stdin proposes some; " + hintApprove,
		}
	}
	if what := run.unapproved(approved); what != "" {
		return &Refused{Why: "nothing was run; this needs", Missing: []string{what}, Hint: hintApprove}
	}
	return nil
}

// endVerify looks again: what was approved when the commands began has to be so
// still.
func endVerify(run Run, s EndVerify, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	v := s.Verification
	began := run.Verify.Began
	if run.unapproved(s.Approved) != "" || began == nil || began.Digest != v.Digest || v.Digest != CommandsDigest(s.Approved) {
		return run, nil, &Refused{Why: "the approved commands became others while they ran, so that the result counts for nothing", Hint: verifyNow}
	}
	v.Segment, v.At = run.Segment, now.UTC().Round(0)
	next := run
	next.Verify.Began, next.Verify.Last = nil, &v
	return next, []Draft{verificationDraft(v, now)}, nil
}

// applyVerify takes one record about verification; known is false for any other.
func (run *Run) applyVerify(r ledger.Record) (known bool, err error) {
	switch r.Kind {
	case kindCommands:
		return true, with(r, func(l CommandList) error {
			run.Verify.Commands, run.Verify.Proposed = l.Commands, nil
			return run.checkList(l)
		})
	case kindProposal:
		return true, with(r, func(l CommandList) error {
			run.Verify.Proposed = l.Commands
			return run.checkList(l)
		})
	case kindVerifying:
		return true, with(r, func(v Verifying) error {
			run.Verify.Began = &v
			return run.inSegment(v.Segment)
		})
	case kindVerification:
		return true, with(r, run.applyVerification)
	}
	return false, nil
}

func (run *Run) checkList(l CommandList) error {
	if l.Digest != CommandsDigest(l.Commands) {
		return fmt.Errorf("its commands are not those of its digest")
	}
	if err := CheckCommands(l.Commands); err != nil {
		return err
	}
	return run.inSegment(l.Segment)
}

func (run *Run) applyVerification(v Verification) error {
	began := run.Verify.Began
	run.Verify.Began, run.Verify.Last = nil, &v
	switch {
	case began == nil:
		return fmt.Errorf("no verification had begun")
	case began.Digest != v.Digest:
		return fmt.Errorf("it is of other commands than those that had begun")
	}
	return run.inSegment(v.Segment)
}

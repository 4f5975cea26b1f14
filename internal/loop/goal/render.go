package goal

import (
	"fmt"
	"strings"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/plain"
)

// prose collects the lines of a rendering for people.
type prose struct{ strings.Builder }

// item writes one labelled line; an empty value is left out.
func (p *prose) item(label, value string) {
	if value = plain.Line(value, 2_000); value != "" {
		fmt.Fprintf(p, "- %s: %s\n", label, value)
	}
}

func (p *prose) list(label string, values []string) {
	if len(values) == 0 {
		p.item(label, "none")
		return
	}
	p.item(label, strings.Join(values, ", "))
}

// joined puts what is there of two texts behind each other.
func joined(first, second string) string {
	if filled(second) {
		return first + "; " + second
	}
	return first
}

func goalDraft(run Run, first bool, now time.Time) Draft {
	heading := "Initial goal, " + stamp(now)
	if !first {
		heading = fmt.Sprintf("Continuation, segment %d, %s", run.Segment, stamp(now))
	}
	return Draft{
		File: GoalFile, Kind: kindGoal, Heading: heading, Prose: ledger.Quote(run.Goal),
		Body: GoalText{Format: Format, Segment: run.Segment, Text: run.Goal},
	}
}

func (p *prose) owner(o Owner) {
	p.item("run", o.RunID)
	p.item("session", o.SessionID)
	p.item("repository", o.ProjectPath)
	p.item("git common directory", o.GitCommon)
	p.item("state directory", o.StateDir)
	p.item("continuation authority", o.Authority)
}

func (p *prose) limits(l Limits) {
	p.item("limits", fmt.Sprintf("%d iterations, %d in a row without progress, %d failures in a row", l.MaxIterations, l.NoProgress, l.Failures))
	if l.MaxMinutes > 0 {
		p.item("minutes", fmt.Sprint(l.MaxMinutes))
	}
}

func segmentDraft(s Segment, now time.Time) Draft {
	var p prose
	p.item("state format", fmt.Sprint(s.Format))
	p.owner(s.Owner)
	p.limits(s.Limits)
	p.item("counters at the start", "iteration 0, no progress 0, failures 0")
	return Draft{File: WorklogFile, Kind: kindSegment, Heading: fmt.Sprintf("Segment %d, %s", s.Segment, stamp(now)), Prose: p.String(), Body: s}
}

func preflightDraft(f Preflight, now time.Time) Draft {
	var p prose
	p.item("repository", f.Repository)
	p.item("branch", f.Branch)
	p.item("commit", f.Head)
	p.item("status", f.Status)
	p.item("status unknown", f.StatusUnknown)
	p.list("dirty at the start, the person's", f.Dirty)
	if len(f.Gone) > 0 {
		p.list("of these "+Absent, f.Gone)
	}
	if f.DirtyMore > 0 {
		p.item("more dirty paths", fmt.Sprint(f.DirtyMore))
	}
	p.list("instructions", f.Instructions)
	p.list("verification commands found", f.Commands)
	p.item("persistence", f.Persistence)
	p.item("next action", f.Next)
	p.item("stop decision", f.Decision)
	return Draft{
		File: WorklogFile, Kind: kindPreflight, Prose: p.String(), Body: f,
		Heading: fmt.Sprintf("Segment %d, Iteration 0, %s", f.Segment, stamp(now)),
	}
}

func resumedDraft(r Resumed, now time.Time) Draft {
	var p prose
	p.item("why", r.Why)
	p.owner(r.Owner)
	p.limits(r.Limits)
	return Draft{File: WorklogFile, Kind: kindResumed, Heading: fmt.Sprintf("Segment %d, resumed, %s", r.Segment, stamp(now)), Prose: p.String(), Body: r}
}

func iterationDraft(it Iteration, now time.Time) Draft {
	var p prose
	e := it.Entry
	p.item("planned", e.Planned)
	p.list("changed", e.Changed)
	for _, c := range e.Verification {
		p.item("verification", c.String())
	}
	for _, r := range e.Review {
		p.item("review", joined(fmt.Sprintf("%s (%s): %s", r.Reviewer, r.Lens, r.Findings), r.Action))
	}
	for _, g := range e.Progress {
		p.item("progress", fmt.Sprintf("%s: %s; %s", g.Kind, g.What, g.Evidence))
	}
	p.item("failure", e.Failure)
	for _, d := range e.Defaults {
		p.item("reversible default", fmt.Sprintf("%s: %s; back by %s", d.Decision, d.Default, d.Rollback))
	}
	p.item("failures in a row", fmt.Sprint(it.Counters.Failures))
	p.item("rounds without progress in a row", fmt.Sprint(it.Counters.NoProgress))
	p.item("remaining", e.Remaining)
	p.item("next action", e.Next)
	p.item("stop decision", it.Decision)
	return Draft{
		File: WorklogFile, Kind: kindIteration, Prose: p.String(), Body: it,
		Heading: fmt.Sprintf("Segment %d, Iteration %d, %s", it.Segment, it.Counters.Iteration, stamp(now)),
	}
}

func terminalDraft(t Terminal, now time.Time) Draft {
	var p prose
	p.item("reason", t.Reason)
	for _, c := range t.Criteria {
		p.item("criterion", c.Criterion+": "+c.Evidence)
	}
	p.item("blocked by what is", t.Kind)
	p.item("needed", t.Needs)
	p.item("counters", fmt.Sprintf("iteration %d, no progress %d, failures %d", t.Counters.Iteration, t.Counters.NoProgress, t.Counters.Failures))
	p.list("changed", t.Changed)
	p.item("verification", t.Verified)
	p.item("remaining", t.Remain)
	p.item("next action", t.Next)
	p.item("resume", t.Resume)
	return Draft{
		File: WorklogFile, Kind: kindTerminal, Prose: p.String(), Body: t,
		Heading: fmt.Sprintf("Segment %d ended: %s, %s", t.Segment, t.Outcome, stamp(now)),
	}
}

func closedDraft(c Closed, now time.Time) Draft {
	var p prose
	p.item("persistence", c.Persistence)
	return Draft{File: WorklogFile, Kind: kindClosed, Prose: p.String(), Body: c, Heading: fmt.Sprintf("Segment %d closed, %s", c.Segment, stamp(now))}
}

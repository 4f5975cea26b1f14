package goal

import (
	_ "embed"
	"fmt"
	"time"

	"omc-hook/internal/loop"
	"omc-hook/internal/plain"
	"omc-hook/internal/prompt"
)

//go:embed texts/continue.txt
var continueText string

//go:embed texts/started.txt
var startedText string

// banner begins a continuation and startBanner the text of a start: a pasted one
// is not taken for a goal.
const (
	banner      = Mode + " round "
	startBanner = Mode + " has started: "
)

// Bounds of excerpts within the texts.
const (
	maxNext    = 160
	maxExcerpt = 160
)

// nextAfterSuccess is the next action of a run that ended with SUCCESS: the goal
// is reached, which says nothing of the rest.
const nextAfterSuccess = "propose to the person a refinement pass over what was touched, at a threshold of 2.0 and lower on each pass after it: what a high one leaves out is where the serious defects hide"

// FirstAction is the next action of a segment that has just begun.
const FirstAction = "read the goal, the repository's instructions and its state; pick the smallest slice with a testable criterion and do it"

// Continuation is what the model reads when a Stop is continued: at most four
// lines.
func Continuation(v loop.View, nudge int64) string {
	planned := v.Planned
	if !v.HasPlanned {
		planned = v.LeaseSize
	}
	next := v.NextAction
	if !filled(next) {
		next = v.Prompt
	}
	return prompt.Fill(continueText, map[string]string{
		"round":   fmt.Sprint(min(v.Round(), max(planned, 1))),
		"planned": fmt.Sprint(planned),
		"nudge":   fmt.Sprint(nudge),
		"lease":   fmt.Sprint(v.LeaseSize),
		"next":    plain.Line(next, maxNext),
		"run":     runFlag(v.RunID),
		"press":   press(nudge),
	})
}

// press asks for a record at the third and the sixth nudge of a lease.
func press(nudge int64) string {
	if nudge != 3 && nudge != 6 {
		return ""
	}
	return fmt.Sprintf("%d turns without a record: record this round now, be it without progress. ", nudge)
}

func runFlag(runID string) string {
	if runID == "" {
		return ""
	}
	return " --run " + plain.Line(runID, 40)
}

// Ended tells the person how a run ended and how to go on.
func Ended(v loop.View) string {
	outcome := loop.Outcome(v.Outcome)
	text := fmt.Sprintf("goal-loop ended: %s after %s of %d.", plain.Line(v.Outcome, 20), plural(v.Rounds, "round"), v.Planned)
	if outcome.Known() {
		text += " Go on with " + ResumeCommand(outcome, v.StateDir) + "."
	}
	if v.StateDir != "" {
		text += " Worklog: " + plain.Line(v.StateDir, 120) + "/" + WorklogFile
	}
	return text
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Bound is the workflow's own bound at a Stop: the planned rounds. A record that
// reaches it ends the run, so that this holds only for a state that was edited.
func Bound(v loop.View) (cause, detail string) {
	if v.HasPlanned && v.Rounds >= v.Planned {
		return loop.PausedPlan, fmt.Sprintf("all %d planned rounds are recorded", v.Planned)
	}
	return "", ""
}

// Started is what the model reads when the person's command started the loop.
func Started(run Run) string {
	minutes := ""
	if run.Limits.MaxMinutes > 0 {
		minutes = fmt.Sprintf(", %d minutes", run.Limits.MaxMinutes)
	}
	return prompt.Fill(startedText, map[string]string{
		"run":          run.Owner.RunID,
		"run_id":       run.Owner.RunID,
		"segment":      fmt.Sprint(run.Segment),
		"round":        fmt.Sprint(run.Counters.Iteration + 1),
		"planned":      fmt.Sprint(run.Limits.MaxIterations),
		"no_progress":  fmt.Sprint(run.Limits.NoProgress),
		"failures":     fmt.Sprint(run.Limits.Failures),
		"minutes":      minutes,
		"goal_file":    run.Owner.StateDir + "/" + GoalFile,
		"worklog_file": run.Owner.StateDir + "/" + WorklogFile,
		"next":         plain.Line(run.Next, maxNext),
	}) + verifyLine(run)
}

// verifyLine tells of the commands that a SUCCESS has to pass, "" for none.
func verifyLine(run Run) string {
	n := int64(len(run.Verify.Commands))
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Before SUCCESS: %s runs the %s; it has to pass on the tree as it then is.\n", verifyNow, plural(n, "approved command"))
}

// Excerpt is the beginning of the goal on one line.
func Excerpt(goal string) string { return plain.Line(goal, maxExcerpt) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// NextAction is the next action of a run on one line, as the mode state holds it.
func NextAction(run Run) string { return plain.Line(run.Next, 2*maxNext) }

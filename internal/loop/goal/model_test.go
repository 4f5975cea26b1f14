package goal

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
)

// model is a run as a naive reader of the specification keeps it.
type model struct {
	segment, iteration, noProgress, failures int64
	limits                                   Limits
	outcome                                  loop.Outcome
	closed                                   bool
	goal                                     string
}

func (m *model) start(in Invocation) bool {
	opens := m.segment == 0 && in.Goal != "" || m.outcome != "" && in.Continue && (m.outcome != "SUCCESS" || in.Goal != "" && in.Goal != m.goal)
	limits := m.limits
	if m.segment == 0 {
		limits = Limits{50, 3, 3, 0}
	}
	if in.Limits.MaxIterations > 0 {
		limits.MaxIterations = in.Limits.MaxIterations
	}
	if in.Limits.Failures > 0 {
		limits.Failures = in.Limits.Failures
	}
	switch {
	case opens:
		*m = model{segment: m.segment + 1, limits: limits, goal: m.goal}
	case m.segment == 0 || m.outcome != "" || m.iteration >= limits.MaxIterations:
		return false
	}
	m.limits = limits
	if in.Goal != "" {
		m.goal = in.Goal
	}
	return true
}

func (m *model) record(e Entry, again bool) bool {
	if m.segment == 0 || m.outcome != "" || e.Planned == "" || again {
		return false
	}
	m.iteration++
	m.noProgress++
	if len(e.Progress) > 0 {
		m.noProgress = 0
	}
	m.failures++
	if e.Failure == "" {
		m.failures = 0
	}
	switch {
	case e.Decision == "ERROR" || m.failures >= m.limits.Failures:
		m.outcome = "ERROR"
	case e.Decision == "BLOCKED":
		m.outcome = "BLOCKED"
	case e.Decision == "SUCCESS":
		m.outcome = "SUCCESS"
	case m.iteration >= m.limits.MaxIterations || m.noProgress >= m.limits.NoProgress:
		m.outcome = "BUDGET"
	}
	return true
}

// history is a run in its three forms: Step's, the model's and the files'.
type history struct {
	run            Run
	model          model
	goals, worklog []byte
	steps          int
}

func (h *history) take(t *rapid.T, signal Signal, fits bool) {
	h.steps++
	now := noon().AddDate(0, 0, h.steps)
	next, drafts, err := Step(h.run, signal, now)
	if (err == nil) != fits {
		t.Fatalf("%+v: got error %v, the model takes it: %v", signal, err, fits)
	}
	if err != nil {
		if diff := cmp.Diff(h.run, next); diff != "" || drafts != nil {
			t.Fatalf("a refusal changed (-before +after):\n%s", diff)
		}
		return
	}
	h.run = next
	for _, d := range drafts {
		data := &h.worklog
		if d.File == GoalFile {
			data = &h.goals
		}
		file, err := ledger.Parse(*data)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Append(file, []Draft{d}, now)
		if err != nil {
			t.Fatal(err)
		}
		*data = append(*data, text...)
	}
}

// check compares the three forms.
func (h *history) check(t *rapid.T) {
	m := h.model
	if h.run.Segment != m.segment || h.run.Counters != (Counters{m.iteration, m.noProgress, m.failures}) || h.run.Outcome != m.outcome || h.run.Closed != m.closed {
		t.Fatalf("run %+v\nmodel %+v", h.run, m)
	}
	goals, err := ledger.Parse(h.goals)
	if err != nil {
		t.Fatal(err)
	}
	worklog, err := ledger.Parse(h.worklog)
	if err != nil {
		t.Fatal(err)
	}
	run, faults := Fold(goals, worklog)
	if faults = append(append(faults, goals.Faults...), worklog.Faults...); len(faults) > 0 {
		t.Fatalf("faults: %v", faults)
	}
	if diff := cmp.Diff(h.run, run, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the records tell another run (-step +fold):\n%s", diff)
	}
}

func TestStepCountsAsTheSpecificationAndTheRecordsTellTheSameRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{}
		t.Repeat(map[string]func(*rapid.T){
			"start": func(t *rapid.T) {
				args := rapid.SampledFrom([]string{"", "--continue", "--continue a new goal", "a goal", "another goal", "--max-iterations=2 x", "--max-iterations=9 --continue", "--failure-limit=1 x"}).Draw(t, "args")
				s := startSignal(args)
				h.take(t, s, h.model.start(s.Invocation))
			},
			"record":      func(t *rapid.T) { h.record(t, rapid.Bool().Draw(t, "progress"), rapid.Bool().Draw(t, "fails")) },
			"good record": func(t *rapid.T) { h.record(t, true, false) },
			"cancel":      func(t *rapid.T) { h.end(t, "CANCELLED", Cancel{"enough"}, rapid.IntRange(0, 3).Draw(t, "really") == 0) },
			"finish ERROR": func(t *rapid.T) {
				h.end(t, "ERROR", Finish{Outcome: "ERROR", Entry: round()}, rapid.Bool().Draw(t, "really"))
			},
			"close": func(t *rapid.T) {
				fits := h.model.outcome != "" && !h.model.closed
				h.take(t, Close{"inactive"}, fits)
				h.model.closed = h.model.closed || fits
			},
			"": h.check,
		})
	})
}

func (h *history) record(t *rapid.T, progress, fails bool) {
	e := round()
	e.Planned = rapid.SampledFrom([]string{"", "a slice", "a slice"}).Draw(t, "planned")
	e.Decision = rapid.SampledFrom([]string{"continue", "continue", "continue", "SUCCESS", "BLOCKED", "ERROR"}).Draw(t, "decision")
	e.Changed = []string{fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "path"))}
	if !progress {
		e.Progress = nil
	}
	if fails && e.Decision != "SUCCESS" {
		e.Failure = "the disk is full"
	}
	stops := rapid.Int64Range(0, 1).Draw(t, "stops")
	again := stops == 0 && h.run.Last != nil && sameEvidence(h.run.Last.Entry, e)
	var pending Pending
	if n := rapid.IntRange(0, 2).Draw(t, "questions"); n > 0 {
		pending.Marks = &Marks{Questions: Mark{Records: n, Head: "a"}}
	}
	h.take(t, Record{Entry: e, Stops: stops, Pending: pending}, h.model.record(e, again))
}

func (h *history) end(t *rapid.T, outcome loop.Outcome, signal Signal, really bool) {
	if !really {
		return
	}
	fits := h.model.segment > 0 && h.model.outcome == ""
	h.take(t, signal, fits)
	if fits {
		h.model.outcome = outcome
	}
}

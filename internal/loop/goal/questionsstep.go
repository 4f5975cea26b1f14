package goal

import (
	"fmt"
	"slices"
	"time"

	"omc-hook/internal/plain"
)

// QuestionSignal is something that happens to the questions: Park, Resolve or
// PassAll.
type QuestionSignal interface{ questionSignal() }

// Park records a question.
type Park struct{ Question Question }

// Resolve records what became of one question.
type Resolve struct{ Resolution Resolution }

// PassAll is the resolution pass of a segment.
type PassAll struct{ Pass Pass }

func (Park) questionSignal()    {}
func (Resolve) questionSignal() {}
func (PassAll) questionSignal() {}

// Hints at the forms of the questions.
const (
	hintQuestion   = "omc-hook goal question add --template explains each field"
	hintResolution = "omc-hook goal question resolve --template explains each field"
	hintPass       = "omc-hook goal question pass --template explains it; omc-hook goal questions lists the open ones"
)

// StepQuestions takes one signal of a run. It returns the questions after it and
// the records to append, none where all of it is on record already, or a
// *Refused error.
func StepQuestions(q Questions, run Run, signal QuestionSignal, now time.Time) (Questions, []Draft, error) {
	if err := running(run); err != nil {
		return q, nil, err
	}
	switch s := signal.(type) {
	case Park:
		return park(q, run, s.Question, now)
	case Resolve:
		return resolve(q, run, s.Resolution, now)
	case PassAll:
		return passAll(q, run, s.Pass, now)
	}
	return q, nil, &Refused{Why: fmt.Sprintf("unknown signal %T", signal)}
}

func park(q Questions, run Run, question Question, now time.Time) (Questions, []Draft, error) {
	if missing := question.lacks(); len(missing) > 0 {
		return q, nil, &Refused{Why: "the question lacks", Missing: missing, Hint: hintQuestion}
	}
	if slices.ContainsFunc(q.Open(), func(p Parked) bool { return p.Question == question }) {
		return q, nil, nil
	}
	next := q.clone()
	record := QuestionRecord{ID: questionID(len(q.List) + 1), Segment: run.Segment, Iteration: run.Counters.Iteration + 1, Question: question}
	next.List = append(next.List, Parked{QuestionRecord: record, At: now.UTC()})
	return next, []Draft{questionDraft(record, now)}, nil
}

func resolve(q Questions, run Run, r Resolution, now time.Time) (Questions, []Draft, error) {
	known, err := q.known(r)
	if err != nil || known {
		return q, nil, err
	}
	if missing := r.lacks(); len(missing) > 0 {
		return q, nil, &Refused{Why: "the resolution lacks", Missing: missing, Hint: hintResolution}
	}
	next, draft := q.resolved(run, r, now)
	return next, []Draft{draft}, nil
}

// known reports whether the resolution is on record already, and refuses one of
// a question that is not open.
func (q Questions) known(r Resolution) (bool, error) {
	i := q.find(r.Question)
	if i < 0 {
		return false, &Refused{Why: fmt.Sprintf("there is no question %q", plain.Line(r.Question, 20)), Hint: "omc-hook goal questions lists them"}
	}
	p := q.List[i]
	if n := len(p.Resolutions); n > 0 && p.Resolutions[n-1].Resolution == r {
		return true, nil
	}
	if p.Closed {
		return false, &Refused{Why: p.ID + " is resolved", Hint: "omc-hook goal questions lists the open ones"}
	}
	return false, nil
}

// resolved appends a resolution beneath its question.
func (q Questions) resolved(run Run, r Resolution, now time.Time) (Questions, Draft) {
	next := q.clone()
	record := ResolutionRecord{Segment: run.Segment, Resolution: r, Closes: r.closes()}
	p := &next.List[next.find(r.Question)]
	p.Resolutions, p.Closed = append(p.Resolutions, record), p.Closed || record.Closes
	return next, resolutionDraft(record, now)
}

// passAll records a pass: what it resolved, and last the mark that ends the
// segment's only one.
func passAll(q Questions, run Run, pass Pass, now time.Time) (Questions, []Draft, error) {
	next, found, drafts, missing := q, []Passed{}, []Draft{}, wants{}
	for _, r := range pass.Questions {
		if slices.ContainsFunc(found, func(p Passed) bool { return p.Question == r.Question }) {
			missing = append(missing, plain.Line(r.Question, 20)+" once")
			continue
		}
		after, draft, outcome, lacks := next.looked(run, r, now)
		next, drafts = after, append(drafts, draft...)
		found = append(found, Passed{r.Question, r.Class, outcome})
		missing = append(missing, lacks...)
	}
	for _, id := range q.OpenIDs() {
		missing.need(slices.ContainsFunc(found, func(p Passed) bool { return p.Question == id }), id+", which is open")
	}
	record := PassRecord{Segment: run.Segment, Questions: found}
	if i := slices.IndexFunc(q.Passes, func(p PassRecord) bool { return p.Segment == run.Segment }); i >= 0 {
		if len(missing) == 0 && len(drafts) == 0 && slices.Equal(q.Passes[i].Questions, found) {
			return q, nil, nil
		}
		return q, nil, &Refused{
			Why:  fmt.Sprintf("segment %d has had its resolution pass", run.Segment),
			Hint: "omc-hook goal question resolve --template for a question that can be answered since; else leave it open and go on",
		}
	}
	switch {
	case len(missing) > 0:
		return q, nil, &Refused{Why: "the pass lacks", Missing: missing, Hint: hintPass}
	case len(found) == 0:
		return q, nil, &Refused{Why: "no question is open, so there is nothing to resolve"}
	}
	next = next.clone()
	next.Passes = append(next.Passes, record)
	return next, append(drafts, passDraft(record, now)), nil
}

// looked takes one question of a pass.
func (q Questions) looked(run Run, r Resolution, now time.Time) (Questions, []Draft, string, []string) {
	known, err := q.known(r)
	switch {
	case err != nil:
		return q, nil, "", []string{err.Error()}
	case r.bare():
		return q, nil, passOpen, nil
	}
	outcome := passDirection
	if r.closes() {
		outcome = passClosed
	}
	if known {
		return q, nil, outcome, nil
	}
	if missing := r.lacks(); len(missing) > 0 {
		for i := range missing {
			missing[i] = plain.Line(r.Question, 20) + ": " + missing[i]
		}
		return q, nil, "", missing
	}
	next, draft := q.resolved(run, r, now)
	return next, []Draft{draft}, outcome, nil
}

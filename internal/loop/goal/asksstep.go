package goal

import (
	"fmt"
	"slices"
	"time"

	"omc-hook/internal/plain"
)

// AskSignal is something that happens to the asks: AddAsk, Satisfy, Decline or
// Tell.
type AskSignal interface{ askSignal() }

// AddAsk records a request from outside.
type AddAsk struct{ Ask Ask }

// Satisfy records what satisfied an ask.
type Satisfy struct{ Satisfied Satisfied }

// Decline closes an ask without building it.
type Decline struct{ Declined Declined }

// Tell records that somebody was told what became of an ask.
type Tell struct{ Told Told }

func (AddAsk) askSignal()  {}
func (Satisfy) askSignal() {}
func (Decline) askSignal() {}
func (Tell) askSignal()    {}

const hintAsks = "omc-hook goal asks lists them"

// StepAsks takes one signal of a run. It returns the asks after it and the
// records to append, none where it is on record already, or a *Refused error.
func StepAsks(a Asks, run Run, signal AskSignal, now time.Time) (Asks, []Draft, error) {
	if err := running(run); err != nil {
		return a, nil, err
	}
	switch s := signal.(type) {
	case AddAsk:
		return addAsk(a, run, s.Ask, now)
	case Satisfy:
		return satisfy(a, run, s.Satisfied, now)
	case Decline:
		return decline(a, run, s.Declined, now)
	case Tell:
		return tell(a, run, s.Told, now)
	}
	return a, nil, &Refused{Why: fmt.Sprintf("unknown signal %T", signal)}
}

func addAsk(a Asks, run Run, ask Ask, now time.Time) (Asks, []Draft, error) {
	if missing := ask.lacks(); len(missing) > 0 {
		return a, nil, &Refused{Why: "the ask lacks", Missing: missing, Hint: "omc-hook goal ask add --template explains each field"}
	}
	if slices.ContainsFunc(a.List, func(t Tracked) bool { return t.Ask == ask }) {
		return a, nil, nil
	}
	next := a.clone()
	record := AskRecord{ID: askID(len(a.List) + 1), Segment: run.Segment, Iteration: run.Counters.Iteration + 1, Ask: ask}
	next.List = append(next.List, Tracked{AskRecord: record, At: now.UTC()})
	return next, []Draft{askDraft(record, now)}, nil
}

func satisfy(a Asks, run Run, s Satisfied, now time.Time) (Asks, []Draft, error) {
	i, err := a.index(s.Ask)
	if err != nil {
		return a, nil, err
	}
	if t := a.List[i]; t.Satisfied != nil && t.Satisfied.Satisfied == s {
		return a, nil, nil
	}
	if err := a.unsettled(i); err != nil {
		return a, nil, err
	}
	if missing := s.lacks(); len(missing) > 0 {
		return a, nil, &Refused{Why: "it lacks", Missing: missing, Hint: "omc-hook goal ask satisfy --template explains each field"}
	}
	next := a.clone()
	next.List[i].Satisfied = &SatisfiedRecord{Segment: run.Segment, Satisfied: s}
	return next, []Draft{satisfiedDraft(*next.List[i].Satisfied, now)}, nil
}

func decline(a Asks, run Run, d Declined, now time.Time) (Asks, []Draft, error) {
	i, err := a.index(d.Ask)
	if err != nil {
		return a, nil, err
	}
	if t := a.List[i]; t.Declined != nil && t.Declined.Declined == d {
		return a, nil, nil
	}
	if err := a.unsettled(i); err != nil {
		return a, nil, err
	}
	if missing := d.lacks(); len(missing) > 0 {
		return a, nil, &Refused{Why: "it lacks", Missing: missing, Hint: "omc-hook goal ask decline --template explains each field"}
	}
	next := a.clone()
	next.List[i].Declined = &DeclinedRecord{Segment: run.Segment, Declined: d}
	return next, []Draft{declinedDraft(*next.List[i].Declined, now)}, nil
}

func tell(a Asks, run Run, told Told, now time.Time) (Asks, []Draft, error) {
	i, err := a.index(told.Ask)
	if err != nil {
		return a, nil, err
	}
	t := a.List[i]
	if slices.ContainsFunc(t.Told, func(r ToldRecord) bool { return r.Told == told }) {
		return a, nil, nil
	}
	if t.Status() == "open" {
		return a, nil, &Refused{
			Why:  t.ID + " is neither satisfied nor declined, so there is nothing to tell",
			Hint: "omc-hook goal ask satisfy --template, or omc-hook goal ask decline --template",
		}
	}
	inferred := t.Satisfied != nil && t.Satisfied.Direction == directionInferred
	if missing := told.lacks(inferred); len(missing) > 0 {
		return a, nil, &Refused{Why: "it lacks", Missing: missing, Hint: "omc-hook goal ask told --template explains each field"}
	}
	next := a.clone()
	record := ToldRecord{Segment: run.Segment, Told: told}
	next.List[i].Told = append(next.List[i].Told, record)
	return next, []Draft{toldDraft(record, now)}, nil
}

func (a Asks) index(id string) (int, error) {
	i := a.find(id)
	if i < 0 {
		return 0, &Refused{Why: fmt.Sprintf("there is no ask %q", plain.Line(id, 20)), Hint: hintAsks}
	}
	return i, nil
}

// unsettled refuses what would change the end of an ask.
func (a Asks) unsettled(i int) error {
	if t := a.List[i]; t.Status() != "open" {
		return &Refused{Why: fmt.Sprintf("%s is %s already", t.ID, t.Status()), Hint: "omc-hook goal ask add for what is asked beyond it; " + hintAsks}
	}
	return nil
}

package goal

import (
	"fmt"
	"slices"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/plain"
)

// AsksFile holds the requests that came from outside the loop, what satisfied
// them, and who was told (spec/goal-loop.txt, section 6). It exists only where
// there is one.
const AsksFile = "OUTSTANDING-ASKS.md"

// Kinds of records of AsksFile.
const (
	kindAsk       = "ask"
	kindSatisfied = "satisfied"
	kindDeclined  = "declined"
	kindTold      = "told"
)

// Ask is a request of somebody outside the loop.
type Ask struct {
	Asked  string `json:"asked"`
	Anchor string `json:"anchor"`
	Work   string `json:"work"`
}

// AskRecord is an ask as it was recorded.
type AskRecord struct {
	ID        string `json:"id"`
	Segment   int64  `json:"segment"`
	Iteration int64  `json:"iteration"`
	Ask
}

// Satisfied says what satisfied an ask. A direction that was inferred carries
// the other reading, so that a wrong guess is cheap to correct.
type Satisfied struct {
	Ask         string `json:"ask"`
	By          string `json:"by"`
	Evidence    string `json:"evidence"`
	Direction   string `json:"direction"`
	Alternative string `json:"alternative"`
	Changes     string `json:"changes"`
}

// SatisfiedRecord is a Satisfied as it was recorded.
type SatisfiedRecord struct {
	Segment int64 `json:"segment"`
	Satisfied
}

// Declined closes an ask without building it.
type Declined struct {
	Ask          string `json:"ask"`
	Why          string `json:"why"`
	SupersededBy string `json:"superseded_by"`
}

// DeclinedRecord is a Declined as it was recorded.
type DeclinedRecord struct {
	Segment int64 `json:"segment"`
	Declined
}

// Told is the evidence that somebody was told what became of an ask.
type Told struct {
	Ask             string `json:"ask"`
	To              string `json:"to"`
	Channel         string `json:"channel"`
	Link            string `json:"link"`
	Observation     string `json:"observation"`
	AlternativeSaid bool   `json:"alternative_said"`
}

// ToldRecord is a Told as it was recorded.
type ToldRecord struct {
	Segment int64 `json:"segment"`
	Told
}

// Tracked is an ask with everything that stands beneath it.
type Tracked struct {
	AskRecord
	At        time.Time        `json:"at"`
	Satisfied *SatisfiedRecord `json:"satisfied"`
	Declined  *DeclinedRecord  `json:"declined"`
	Told      []ToldRecord     `json:"told"`
}

// Status is open, satisfied or declined.
func (t Tracked) Status() string {
	switch {
	case t.Satisfied != nil:
		return "satisfied"
	case t.Declined != nil:
		return "declined"
	}
	return "open"
}

// Uncommunicated holds for an ask that was satisfied or declined, and nobody was
// told: an unresolved blocker.
func (t Tracked) Uncommunicated() bool { return t.Status() != "open" && len(t.Told) == 0 }

// Asks is what the records of AsksFile tell.
type Asks struct {
	List []Tracked `json:"asks"`
}

// Uncommunicated lists the asks of which nobody was told what became of them.
func (a Asks) Uncommunicated() []Tracked {
	var list []Tracked
	for _, t := range a.List {
		if t.Uncommunicated() {
			list = append(list, t)
		}
	}
	return list
}

// UncommunicatedIDs lists their ids.
func (a Asks) UncommunicatedIDs() []string {
	var ids []string
	for _, t := range a.Uncommunicated() {
		ids = append(ids, t.ID)
	}
	return ids
}

func (a Asks) find(id string) int {
	return slices.IndexFunc(a.List, func(t Tracked) bool { return t.ID == id })
}

// clone is a with lists of its own.
func (a Asks) clone() Asks {
	list := slices.Clone(a.List)
	for i := range list {
		list[i].Told = slices.Clone(list[i].Told)
	}
	return Asks{List: list}
}

// FoldAsks reads the asks from their records. What contradicts the records
// before it is a fault; the rest still counts.
func FoldAsks(file ledger.File) (Asks, []ledger.Fault) {
	var a Asks
	var faults []ledger.Fault
	for _, r := range file.Records {
		if err := a.apply(r); err != nil {
			faults = append(faults, foldFault(r, err))
		}
	}
	return a, faults
}

func (a *Asks) apply(r ledger.Record) error {
	switch r.Kind {
	case kindAsk:
		return with(r, func(body AskRecord) error { return a.applyAsk(body, r.At) })
	case kindSatisfied:
		return with(r, func(body SatisfiedRecord) error {
			return a.applySettled(body.Ask, func(t *Tracked) { t.Satisfied = &body })
		})
	case kindDeclined:
		return with(r, func(body DeclinedRecord) error {
			return a.applySettled(body.Ask, func(t *Tracked) { t.Declined = &body })
		})
	case kindTold:
		return with(r, a.applyTold)
	}
	return fmt.Errorf("record %d: unknown kind %q", r.Seq, plain.Line(r.Kind, 40))
}

func (a *Asks) applyAsk(body AskRecord, at time.Time) error {
	want := askID(len(a.List) + 1)
	a.List = append(a.List, Tracked{AskRecord: body, At: at.UTC()})
	if body.ID != want {
		return fmt.Errorf("ask %q where %s is due", plain.Line(body.ID, 20), want)
	}
	return nil
}

func (a *Asks) applySettled(id string, settle func(t *Tracked)) error {
	i := a.find(id)
	if i < 0 {
		return fmt.Errorf("it names %q, which is no ask above it", plain.Line(id, 20))
	}
	if status := a.List[i].Status(); status != "open" {
		return fmt.Errorf("%s was %s before", a.List[i].ID, status)
	}
	settle(&a.List[i])
	return nil
}

func (a *Asks) applyTold(body ToldRecord) error {
	i := a.find(body.Ask)
	if i < 0 {
		return fmt.Errorf("it names %q, which is no ask above it", plain.Line(body.Ask, 20))
	}
	if a.List[i].Status() == "open" {
		return fmt.Errorf("%s is open, so there was nothing to tell", a.List[i].ID)
	}
	a.List[i].Told = append(a.List[i].Told, body)
	return nil
}

func askID(n int) string { return fmt.Sprintf("A%d", n) }

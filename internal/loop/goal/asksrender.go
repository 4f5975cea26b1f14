package goal

import (
	"fmt"
	"time"

	"omc-hook/internal/plain"
)

func askDraft(a AskRecord, now time.Time) Draft {
	var p prose
	p.item("segment and iteration", fmt.Sprintf("%d, %d", a.Segment, a.Iteration))
	p.item("asked", a.Asked)
	p.item("anchor", a.Anchor)
	p.item("work", a.Work)
	return Draft{File: AsksFile, Kind: kindAsk, Heading: fmt.Sprintf("%s, %s", plain.Line(a.ID, 20), stamp(now)), Prose: p.String(), Body: a}
}

func satisfiedDraft(s SatisfiedRecord, now time.Time) Draft {
	var p prose
	p.item("by", s.By)
	p.item("evidence", s.Evidence)
	p.item("direction", s.Direction)
	p.item("other reading", s.Alternative)
	p.item("what that would change", s.Changes)
	p.item("communicated", "NO until a record beneath says who was told")
	return settledDraft(kindSatisfied, s.Ask, s.Segment, p.String(), s, now)
}

func declinedDraft(d DeclinedRecord, now time.Time) Draft {
	var p prose
	p.item("why", d.Why)
	p.item("superseded by", d.SupersededBy)
	p.item("communicated", "NO until a record beneath says who was told")
	return settledDraft(kindDeclined, d.Ask, d.Segment, p.String(), d, now)
}

func toldDraft(t ToldRecord, now time.Time) Draft {
	var p prose
	p.item("to", t.To)
	p.item("channel", t.Channel)
	p.item("link", t.Link)
	p.item("observation", t.Observation)
	p.item("said that the direction was inferred", yesNo(t.AlternativeSaid))
	return settledDraft(kindTold, t.Ask, t.Segment, p.String(), t, now)
}

func settledDraft(kind, ask string, segment int64, text string, body any, now time.Time) Draft {
	return Draft{
		File: AsksFile, Kind: kind, Prose: text, Body: body,
		Heading: fmt.Sprintf("%s %s, segment %d, %s", plain.Line(ask, 20), kind, segment, stamp(now)),
	}
}

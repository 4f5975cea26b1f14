package goal

import (
	"fmt"
	"time"

	"omc-hook/internal/plain"
)

func questionDraft(q QuestionRecord, now time.Time) Draft {
	var p prose
	p.item("status", "OPEN until a resolution beneath closes it")
	p.item("segment and iteration", fmt.Sprintf("%d, %d", q.Segment, q.Iteration))
	p.item("context", q.Context)
	p.item("evidence", q.Evidence)
	p.item("why the loop cannot decide it", q.Why)
	p.item("blocks all remaining work", yesNo(q.BlocksAll))
	p.item("reversible default", q.Default)
	p.item("rollback", q.Rollback)
	p.item("answer needed", q.Answer)
	return Draft{File: QuestionsFile, Kind: kindQuestion, Heading: fmt.Sprintf("%s, %s", plain.Line(q.ID, 20), stamp(now)), Prose: p.String(), Body: q}
}

func resolutionDraft(r ResolutionRecord, now time.Time) Draft {
	var p prose
	status := "RESOLVED"
	if !r.Closes {
		status = "OPEN, the direction is gated"
	}
	p.item("status", status)
	p.item("class", r.Class)
	p.item("premise", r.Premise)
	p.item("direction", r.Direction)
	p.item("basis", r.Basis)
	p.item("permission", r.Permission)
	p.item("done", r.Done)
	p.item("answered by", r.AnsweredBy)
	return Draft{
		File: QuestionsFile, Kind: kindResolution, Prose: p.String(), Body: r,
		Heading: fmt.Sprintf("Resolution of %s, segment %d, %s", plain.Line(r.Question, 20), r.Segment, stamp(now)),
	}
}

func passDraft(pass PassRecord, now time.Time) Draft {
	var p prose
	for _, q := range pass.Questions {
		p.item("question", fmt.Sprintf("%s, %s: %s", q.Question, q.Class, q.Outcome))
	}
	return Draft{
		File: QuestionsFile, Kind: kindPass, Prose: p.String(), Body: pass,
		Heading: fmt.Sprintf("Resolution pass of segment %d, %s", pass.Segment, stamp(now)),
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

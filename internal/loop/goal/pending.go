package goal

import (
	"fmt"

	"github.com/tidwall/gjson"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
	"omc-hook/internal/plain"
)

// Pending is what stands beside the worklog and may bar an outcome.
type Pending struct {
	Questions Questions
	Asks      Asks
	// Marks is how far both files have come, nil while there is neither.
	Marks *Marks
}

// Mark is the length of an append-only file in records, and its last digest.
type Mark struct {
	Records int    `json:"records"`
	Head    string `json:"head"`
}

// Marks is how far the files beside the worklog had come when a round was
// recorded, so that a cut tail and a removed file show.
type Marks struct {
	Questions Mark `json:"questions"`
	Asks      Mark `json:"asks"`
}

// MarksOf is how far both files have come, nil while there is nothing in them.
func MarksOf(questions, asks ledger.File) *Marks {
	m := Marks{Mark{len(questions.Records), questions.Head()}, Mark{len(asks.Records), asks.Head()}}
	if m == (Marks{}) {
		return nil
	}
	return &m
}

// Fault says what is missing of a file that had come as far as the mark.
func (m Mark) Fault(file ledger.File) (ledger.Fault, bool) {
	fault := ledger.Fault{Line: 1, Repair: "restore it from version control or a backup"}
	n := len(file.Records)
	switch {
	case m.Records == 0:
		return ledger.Fault{}, false
	case n < m.Records:
		fault.What = fmt.Sprintf("it holds %d records where %d were written", n, m.Records)
		if n > 0 {
			fault.Line = file.Records[n-1].Line
		}
	case file.Records[m.Records-1].Digest() != m.Head:
		fault.What = fmt.Sprintf("record %d was changed after it was written", m.Records)
		fault.Line = file.Records[m.Records-1].Line
	default:
		return ledger.Fault{}, false
	}
	return fault, true
}

// lacksFor lists what an outcome needs of the questions and the asks: BLOCKED
// comes after the segment's resolution pass, and SUCCESS leaves neither a
// question that blocks all nor an ask whose end nobody was told.
func (p Pending) lacksFor(outcome loop.Outcome, e Entry, run Run) []string {
	var w wants
	open := p.Questions.OpenIDs()
	switch outcome {
	case loop.Blocked:
		w.need(len(open) == 0 || p.Questions.PassedIn(run.Segment),
			fmt.Sprintf("a resolution pass over the open questions (%s), which this segment has not had: omc-hook goal question pass --template", names(open)))
		for _, id := range open {
			w.need(e.Kind != kindHumanDecision || namesWord(e.Needs, id), "needs: what the answer to "+id+" unblocks, with its id")
		}
	case loop.Success:
		for _, q := range p.Questions.Open() {
			w.need(!q.BlocksAll, q.ID+", which blocks all remaining work, resolved: omc-hook goal question resolve --template")
		}
		for _, t := range p.Asks.Uncommunicated() {
			w.need(false, fmt.Sprintf("word to whoever asked %s (%s), which is %s and of which nobody was told: omc-hook goal ask told --template",
				t.ID, plain.Line(t.Asked, 60), t.Status()))
		}
	}
	return w
}

// Ahead finds records of segments that the worklog does not have: the file is
// that of another run.
func Ahead(file ledger.File, run Run) []ledger.Fault {
	var faults []ledger.Fault
	for _, r := range file.Records {
		if n := gjson.GetBytes(r.Body, "segment").Int(); n > run.Segment {
			faults = append(faults, ledger.Fault{
				Line: r.Line, What: fmt.Sprintf("record %d is of segment %d, and the worklog is in segment %d", r.Seq, n, run.Segment),
				Repair: "move the file away if it is of another run, or restore " + WorklogFile,
			})
		}
	}
	return faults
}

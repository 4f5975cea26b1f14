package goal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/plain"
)

// QuestionsFile holds the decisions that only a person can make, with what
// became of them (spec/goal-loop.txt, section 6). It exists only where there is
// one.
const QuestionsFile = "DEFERRED-QUESTIONS.md"

// Kinds of records of QuestionsFile.
const (
	kindQuestion   = "question"
	kindResolution = "resolution"
	kindPass       = "pass"
)

// Question is a decision that the model leaves to a person.
type Question struct {
	Context   string `json:"context"`
	Evidence  string `json:"evidence"`
	Why       string `json:"why"`
	BlocksAll bool   `json:"blocks_all"`
	Default   string `json:"default"`
	Rollback  string `json:"rollback"`
	Answer    string `json:"answer"`
}

// QuestionRecord is a question as it was recorded.
type QuestionRecord struct {
	ID        string `json:"id"`
	Segment   int64  `json:"segment"`
	Iteration int64  `json:"iteration"`
	Question
}

// Resolution is what became of a question.
type Resolution struct {
	Question   string `json:"question"`
	Class      string `json:"class"`
	Premise    string `json:"premise"`
	Direction  string `json:"direction"`
	Basis      string `json:"basis"`
	Permission string `json:"permission"`
	Done       string `json:"done"`
	AnsweredBy string `json:"answered_by"`
}

// ResolutionRecord is a resolution as it was recorded, beneath its question.
type ResolutionRecord struct {
	Segment int64 `json:"segment"`
	Resolution
	Closes bool `json:"closes"`
}

// Pass is one look at every open question.
type Pass struct {
	Questions []Resolution `json:"questions"`
}

// Passed is what a pass found of one question.
type Passed struct {
	Question string `json:"question"`
	Class    string `json:"class"`
	Outcome  string `json:"outcome"`
}

// The outcomes of a question in a pass.
const (
	passClosed    = "closed"
	passDirection = "direction recorded, stays open"
	passOpen      = "stays open"
)

// PassRecord marks the resolution pass of a segment; there is one at most.
type PassRecord struct {
	Segment   int64    `json:"segment"`
	Questions []Passed `json:"questions"`
}

// Parked is a question with everything that stands beneath it.
type Parked struct {
	QuestionRecord
	At          time.Time          `json:"at"`
	Closed      bool               `json:"closed"`
	Resolutions []ResolutionRecord `json:"resolutions"`
}

// Questions is what the records of QuestionsFile tell.
type Questions struct {
	List   []Parked     `json:"questions"`
	Passes []PassRecord `json:"passes"`
}

// Open lists the questions that are not resolved.
func (q Questions) Open() []Parked {
	var open []Parked
	for _, p := range q.List {
		if !p.Closed {
			open = append(open, p)
		}
	}
	return open
}

// OpenIDs lists the ids of the open questions.
func (q Questions) OpenIDs() []string {
	var ids []string
	for _, p := range q.Open() {
		ids = append(ids, p.ID)
	}
	return ids
}

// PassedIn reports whether the segment has had its resolution pass.
func (q Questions) PassedIn(segment int64) bool {
	return slices.ContainsFunc(q.Passes, func(p PassRecord) bool { return p.Segment == segment })
}

func (q Questions) find(id string) int {
	return slices.IndexFunc(q.List, func(p Parked) bool { return p.ID == id })
}

// clone is q with lists of its own.
func (q Questions) clone() Questions {
	list := slices.Clone(q.List)
	for i := range list {
		list[i].Resolutions = slices.Clone(list[i].Resolutions)
	}
	return Questions{List: list, Passes: slices.Clone(q.Passes)}
}

// The triggers of a resolution pass besides BLOCKED.
const (
	passCount = 4
	passAge   = 7 * 24 * time.Hour
)

// PassDue says why a resolution pass is due, "" while none is. The mark of the
// segment ends it: a question that stays open would ask for one in each round.
func (q Questions) PassDue(run Run, now time.Time) string {
	if q.PassedIn(run.Segment) {
		return ""
	}
	open := q.Open()
	if len(open) >= passCount {
		return fmt.Sprintf("%d questions are open", len(open))
	}
	for _, p := range open {
		if now.Sub(p.At) > passAge && run.steppedPast(p) {
			return fmt.Sprintf("%s is open since %s, and rounds have gone past it", p.ID, p.At.UTC().Format(time.DateOnly))
		}
	}
	return ""
}

// NextAction is the next action of a run as the mode state holds it: first the
// resolution pass, where one is due.
func (q Questions) NextAction(run Run, now time.Time) string {
	due := q.PassDue(run, now)
	if due == "" || run.Outcome != "" {
		return NextAction(run)
	}
	return plain.Line("first the resolution pass ("+due+"; omc-hook goal question pass --template), then: "+run.Next, 2*maxNext)
}

// steppedPast holds when a round after the one that raised the question is on
// record.
func (run Run) steppedPast(p Parked) bool {
	if run.Segment != p.Segment {
		return run.Segment > p.Segment && run.Counters.Iteration > 0
	}
	return run.Counters.Iteration > p.Iteration
}

// FoldQuestions reads the questions from their records. What contradicts the
// records before it is a fault; the rest still counts.
func FoldQuestions(file ledger.File) (Questions, []ledger.Fault) {
	var q Questions
	var faults []ledger.Fault
	for _, r := range file.Records {
		if err := q.apply(r); err != nil {
			faults = append(faults, foldFault(r, err))
		}
	}
	return q, faults
}

func (q *Questions) apply(r ledger.Record) error {
	switch r.Kind {
	case kindQuestion:
		return with(r, func(body QuestionRecord) error { return q.applyQuestion(body, r.At) })
	case kindResolution:
		return with(r, q.applyResolution)
	case kindPass:
		return with(r, q.applyPass)
	}
	return fmt.Errorf("record %d: unknown kind %q", r.Seq, plain.Line(r.Kind, 40))
}

func (q *Questions) applyQuestion(body QuestionRecord, at time.Time) error {
	want := questionID(len(q.List) + 1)
	q.List = append(q.List, Parked{QuestionRecord: body, At: at.UTC()})
	if body.ID != want {
		return fmt.Errorf("question %q where %s is due", plain.Line(body.ID, 20), want)
	}
	return nil
}

func (q *Questions) applyResolution(body ResolutionRecord) error {
	i := q.find(body.Question)
	if i < 0 {
		return fmt.Errorf("it resolves %q, which is no question above it", plain.Line(body.Question, 20))
	}
	p := &q.List[i]
	closed := p.Closed
	p.Resolutions, p.Closed = append(p.Resolutions, body), p.Closed || body.Closes
	switch {
	case closed:
		return fmt.Errorf("%s was resolved before", p.ID)
	case body.Closes != body.closes():
		return fmt.Errorf("a resolution that is %s and %q", body.Class, plain.Line(body.Permission, 20))
	}
	return nil
}

func (q *Questions) applyPass(body PassRecord) error {
	again := q.PassedIn(body.Segment)
	q.Passes = append(q.Passes, body)
	if again {
		return fmt.Errorf("a second resolution pass of segment %d", body.Segment)
	}
	for _, p := range q.Open() {
		if !slices.ContainsFunc(body.Questions, func(found Passed) bool { return found.Question == p.ID }) {
			return fmt.Errorf("the pass leaves out %s, which is open", p.ID)
		}
	}
	return nil
}

func questionID(n int) string { return fmt.Sprintf("Q%d", n) }

// names joins ids for a sentence.
func names(ids []string) string { return strings.Join(ids, ", ") }

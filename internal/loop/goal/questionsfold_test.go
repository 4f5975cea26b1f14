package goal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"omc-hook/internal/ledger"
)

func TestEveryRecordOfTheQuestionsIsReadBackAsItWasRendered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := func(label string) string { return hostile().Draw(t, label) }
		n := rapid.Int64().Draw(t, "n")
		readBack[QuestionRecord](t, questionDraft(QuestionRecord{s("id"), n, n, Question{s("context"), s("evidence"), s("why"), rapid.Bool().Draw(t, "blocks"), s("default"), s("rollback"), s("answer")}}, noon()))
		readBack[ResolutionRecord](t, resolutionDraft(ResolutionRecord{n, Resolution{s("question"), s("class"), s("premise"), s("direction"), s("basis"), s("permission"), s("done"), s("by")}, rapid.Bool().Draw(t, "closes")}, noon()))
		readBack[PassRecord](t, passDraft(PassRecord{n, []Passed{{s("q"), s("c"), s("o")}}}, noon()))
	})
}

// books is the questions or the asks of a run, with the bytes that tell of them.
type books struct {
	data  []byte
	file  ledger.File
	steps int
}

func (b *books) append(t *rapid.T, drafts []Draft) {
	text, err := Append(b.file, drafts, b.now())
	if err != nil {
		t.Fatal(err)
	}
	b.data = append(b.data, text...)
	b.steps++
	if b.file, err = ledger.Parse(b.data); err != nil || len(b.file.Faults) > 0 {
		t.Fatalf("error %v, faults %v", err, b.file.Faults)
	}
}

func (b *books) now() time.Time { return noon().Add(time.Duration(b.steps) * time.Hour) }

func TestTheRecordsTellTheSameQuestionsAsTheSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b books
		var q Questions
		open, passed, run := map[string]bool{}, map[int64]bool{}, running1(0)
		take := func(s QuestionSignal) bool {
			next, drafts, err := StepQuestions(q, run, s, b.now())
			if err != nil {
				if diff := cmp.Diff(q, next); diff != "" || drafts != nil {
					t.Fatalf("a refusal changed:\n%s", diff)
				}
				return false
			}
			b.append(t, drafts)
			q = next
			return true
		}
		drawn := func(id string) Resolution {
			return rapid.SampledFrom([]Resolution{stale(id), answered(id), acted(id), gatedOne(id), bareOne(id, classHuman)}).Draw(t, "resolution of "+id)
		}
		t.Repeat(map[string]func(*rapid.T){
			"park": func(t *rapid.T) {
				const most = 8
				if len(q.List) < most && take(Park{question(fmt.Sprint("context ", len(q.List)))}) {
					open[fmt.Sprint("Q", len(q.List))] = true
				}
			},
			"resolve": func(t *rapid.T) {
				r := drawn(fmt.Sprint("Q", rapid.IntRange(1, 6).Draw(t, "id")))
				if take(Resolve{r}) && r.closes() {
					delete(open, r.Question)
				}
			},
			"pass": func(t *rapid.T) {
				var pass Pass
				for id := range open {
					pass.Questions = append(pass.Questions, drawn(id))
				}
				slices.SortFunc(pass.Questions, func(a, b Resolution) int { return strings.Compare(a.Question, b.Question) })
				before := passed[run.Segment]
				took := take(PassAll{pass})
				if took == before && !(before && len(q.Passes[len(q.Passes)-1].Questions) == len(pass.Questions)) && len(pass.Questions) > 0 {
					t.Fatalf("taken %v, although the segment had its pass: %v", took, before)
				}
				for _, r := range pass.Questions {
					if took && !r.bare() && r.closes() {
						delete(open, r.Question)
					}
				}
				passed[run.Segment] = before || took
			},
			"segment": func(*rapid.T) { run.Segment++ },
			"": func(t *rapid.T) {
				fold, faults := FoldQuestions(b.file)
				if diff := cmp.Diff(q, fold, cmpopts.EquateEmpty()); diff != "" || len(faults) > 0 {
					t.Fatalf("faults %v (-step +fold):\n%s", faults, diff)
				}
				if len(q.Open()) != len(open) {
					t.Fatalf("open: %v, want %v", q.OpenIDs(), open)
				}
			},
		})
	})
}

func TestFoldFindsQuestionsThatContradictThemselves(t *testing.T) {
	ask := func(id string) Draft {
		return questionDraft(QuestionRecord{ID: id, Segment: 1, Question: question(id)}, noon())
	}
	res := func(r Resolution, closes bool) Draft {
		return resolutionDraft(ResolutionRecord{1, r, closes}, noon())
	}
	pass := func(found ...Passed) Draft { return passDraft(PassRecord{1, found}, noon()) }
	tests := []struct {
		name   string
		drafts []Draft
		want   string
	}{
		{"a good file", []Draft{ask("Q1"), res(stale("Q1"), true), ask("Q2"), pass(Passed{Question: "Q2"})}, ""},
		{"a question that skips an id", []Draft{ask("Q2")}, `question "Q2" where Q1 is due`},
		{"a resolution above its question", []Draft{res(stale("Q1"), true), ask("Q1")}, "no question above it"},
		{"a second resolution", []Draft{ask("Q1"), res(stale("Q1"), true), res(acted("Q1"), true)}, "was resolved before"},
		{"a gated direction that closes", []Draft{ask("Q1"), res(gatedOne("Q1"), true)}, `resolvable and "gated"`},
		{"a second pass", []Draft{ask("Q1"), pass(Passed{Question: "Q1"}), pass(Passed{Question: "Q1"})}, "a second resolution pass"},
		{"a pass that leaves one out", []Draft{ask("Q1"), pass()}, "leaves out Q1"},
		{"a round among them", []Draft{iterationDraft(Iteration{Segment: 1}, noon())}, `unknown kind "iteration"`},
		{"a body of another shape", []Draft{{Kind: kindQuestion, Body: map[string]any{"id": 1}}}, "record 1 (question)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := FoldQuestions(fileOf(t, tt.drafts))
			wantFault(t, faults, tt.want)
		})
	}
}

func fileOf(t *testing.T, drafts []Draft) ledger.File {
	t.Helper()
	text, err := Append(ledger.File{}, drafts, noon())
	if err != nil {
		t.Fatal(err)
	}
	file, err := ledger.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func wantFault(t *testing.T, faults []ledger.Fault, want string) {
	t.Helper()
	if (want == "") != (len(faults) == 0) || want != "" && !strings.Contains(faults[0].What, want) {
		t.Errorf("got faults %v, want %q", faults, want)
	}
}

package goal

import (
	"strings"
	"testing"

	"omc-hook/internal/loop"
)

func TestQuestionsAndAsksBarAnOutcome(t *testing.T) {
	one := asked(t, Questions{}, running1(0), Park{question("a")})
	blocking := question("b")
	blocking.BlocksAll = true
	all := asked(t, Questions{}, running1(0), Park{blocking})
	passed := asked(t, one, running1(0), PassAll{Pass{[]Resolution{bareOne("Q1", classHuman)}}})
	untold := askSteps(t, Asks{}, AddAsk{ask("a dry run")}, Satisfy{satisfied("A1")})
	refused := askSteps(t, Asks{}, AddAsk{ask("a dry run")}, Decline{declinedOne("A1")})
	next := running1(1)
	next.Segment = 2
	tests := []struct {
		name    string
		p       Pending
		run     Run
		outcome loop.Outcome
		needs   string
		kind    string
		want    string
	}{
		{"nothing stands beside", Pending{}, running1(1), loop.Blocked, "a key", kindExternal, ""},
		{"BLOCKED with an open question", Pending{Questions: one}, running1(1), loop.Blocked, "a key", kindExternal, "a resolution pass over the open questions (Q1)"},
		{"BLOCKED after the pass", Pending{Questions: passed}, running1(1), loop.Blocked, "a key", kindExternal, ""},
		{"BLOCKED after the pass of the segment before", Pending{Questions: passed}, next, loop.Blocked, "a key", kindExternal, "a resolution pass"},
		{"BLOCKED by a decision that is not named", Pending{Questions: passed}, running1(1), loop.Blocked, "an answer to Q12", kindHumanDecision, "needs: what the answer to Q1 unblocks"},
		{"BLOCKED by a decision that is named", Pending{Questions: passed}, running1(1), loop.Blocked, "Q1: MIT unblocks the release", kindHumanDecision, ""},
		{"BLOCKED with an ask that was not told", Pending{Asks: untold}, running1(1), loop.Blocked, "a key", kindExternal, ""},
		{"SUCCESS with an open question", Pending{Questions: one}, running1(1), loop.Success, "", "", ""},
		{"SUCCESS with a question that blocks all", Pending{Questions: all}, running1(1), loop.Success, "", "", "Q1, which blocks all remaining work, resolved"},
		{"SUCCESS with an ask that is open", Pending{Asks: askSteps(t, Asks{}, AddAsk{ask("a")})}, running1(1), loop.Success, "", "", ""},
		{"SUCCESS with a satisfied ask that was not told", Pending{Asks: untold}, running1(1), loop.Success, "", "", "word to whoever asked A1 (a dry run), which is satisfied"},
		{"SUCCESS with a declined ask that was not told", Pending{Asks: refused}, running1(1), loop.Success, "", "", "word to whoever asked A1 (a dry run), which is declined"},
		{"SUCCESS with an ask that was told", Pending{Asks: askSteps(t, untold, Tell{told("A1")})}, running1(1), loop.Success, "", "", ""},
		{"ERROR whatever stands beside", Pending{Questions: all, Asks: untold}, running1(1), loop.Error, "", "", ""},
		{"a further round whatever stands beside", Pending{Questions: all, Asks: untold}, running1(1), "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := round()
			e.Needs, e.Kind = tt.needs, tt.kind
			wantLacks(t, tt.p.lacksFor(tt.outcome, e, tt.run), tt.want)
		})
	}
}

func TestStepRefusesAnOutcomeThatQuestionsOrAsksBar(t *testing.T) {
	run := steps(t, Run{}, startSignal("x"), fresh("a", nil))
	pending := Pending{
		Questions: asked(t, Questions{}, running1(0), Park{question("a")}),
		Asks:      askSteps(t, Asks{}, AddAsk{ask("a dry run")}, Satisfy{satisfied("A1")}),
	}
	for outcome, want := range map[loop.Outcome]string{loop.Blocked: "BLOCKED needs: a resolution pass", loop.Success: "SUCCESS needs: word to whoever asked A1"} {
		r := fresh("b", claims(outcome))
		r.Pending = pending
		for _, signal := range []Signal{r, Finish{Outcome: outcome, Entry: r.Entry, Pending: pending}} {
			if _, drafts, err := Step(run, signal, noon()); err == nil || !strings.HasPrefix(err.Error(), want) || drafts != nil {
				t.Errorf("%T %s: got %d drafts, error %v", signal, outcome, len(drafts), err)
			}
		}
	}
	r := fresh("b", nil)
	r.Pending = pending
	steps(t, run, r)
}

func TestAMarkShowsACutTail(t *testing.T) {
	file := fileOf(t, []Draft{
		askDraft(AskRecord{ID: "A1", Segment: 1, Ask: ask("a")}, noon()), askDraft(AskRecord{ID: "A2", Segment: 1, Ask: ask("b")}, noon()),
	})
	short := file
	short.Records = file.Records[:1]
	other := fileOf(t, []Draft{askDraft(AskRecord{ID: "A1", Segment: 1, Ask: ask("x")}, noon()), askDraft(AskRecord{ID: "A2", Segment: 1, Ask: ask("b")}, noon())})
	m := MarksOf(fileOf(t, nil), file)
	tests := []struct {
		name string
		got  func() (string, bool)
		want string
	}{
		{"as it was", func() (string, bool) { f, wrong := m.Asks.Fault(file); return f.What, wrong }, ""},
		{"longer by now", func() (string, bool) {
			f, wrong := Mark{1, file.Records[0].Digest()}.Fault(file)
			return f.What, wrong
		}, ""},
		{"no mark", func() (string, bool) { f, wrong := Mark{}.Fault(short); return f.What, wrong }, ""},
		{"a cut tail", func() (string, bool) { f, wrong := m.Asks.Fault(short); return f.What, wrong }, "it holds 1 records where 2 were written"},
		{"gone", func() (string, bool) { f, wrong := m.Asks.Fault(fileOf(t, nil)); return f.What, wrong }, "it holds 0 records where 2 were written"},
		{"another text", func() (string, bool) { f, wrong := m.Asks.Fault(other); return f.What, wrong }, "record 2 was changed after it was written"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, wrong := tt.got(); got != tt.want || wrong != (tt.want != "") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := MarksOf(fileOf(t, nil), fileOf(t, nil)); got != nil {
		t.Errorf("no file has the marks %+v", got)
	}
	if faults := Ahead(file, Run{}); len(faults) != 2 || !strings.Contains(faults[0].What, "of segment 1, and the worklog is in segment 0") {
		t.Errorf("got faults %v", faults)
	}
}

func FuzzParseTheForms(f *testing.F) {
	for _, template := range []string{QuestionTemplate(), ResolutionTemplate(), PassTemplate(), AskTemplate(), SatisfiedTemplate(), DeclinedTemplate(), ToldTemplate()} {
		f.Add([]byte(template))
	}
	f.Add([]byte(`{"questions":[{"question":"Q1","class":"stale","basis":"a.go:1"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := ParsePass(data); err == nil {
			run := running1(0)
			q := asked(t, Questions{}, run, Park{question("a")})
			if _, drafts, err := StepQuestions(q, run, PassAll{p}, noon()); err == nil {
				if _, faults := FoldQuestions(fileOf(t, append([]Draft{questionDraft(q.List[0].QuestionRecord, noon())}, drafts...))); len(faults) > 0 {
					t.Errorf("%s: faults %v", data, faults)
				}
			}
		}
		if m, err := ParseTold(data); err == nil {
			_ = m.lacks(true)
		}
		if a, err := ParseAsk(data); err == nil {
			_ = a.lacks()
		}
	})
}

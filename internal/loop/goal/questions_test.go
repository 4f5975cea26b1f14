package goal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// question is one that a person must decide.
func question(context string) Question {
	return Question{Context: context, Evidence: "LICENSE is absent", Why: "it is the owner's right", Answer: "the name of the licence"}
}

func stale(id string) Resolution {
	return Resolution{Question: id, Class: classStale, Premise: "the flag --old is gone", Basis: "main.go:12"}
}

func answered(id string) Resolution {
	return Resolution{Question: id, Class: classHuman, Direction: "MIT", AnsweredBy: "Ada", Basis: "this session, 2026-03-01"}
}

func acted(id string) Resolution {
	return Resolution{Question: id, Class: classResolvable, Direction: "keep the cache", Basis: "docs/adr/7.md:3", Permission: permissionReversible, Done: "kept; git revert undoes it"}
}

func gatedOne(id string) Resolution {
	return Resolution{Question: id, Class: classResolvable, Direction: "drop the table", Basis: "docs/adr/7.md:3", Permission: permissionGated}
}

func bareOne(id, class string) Resolution { return Resolution{Question: id, Class: class} }

// running1 is a run in segment 1 with n recorded rounds.
func running1(n int64) Run {
	return Run{Segment: 1, Owner: Owner{RunID: "g1"}, Limits: DefaultLimits(), Counters: Counters{Iteration: n}, Next: "go on"}
}

// asked takes signals that must not be refused.
func asked(t testing.TB, q Questions, run Run, signals ...QuestionSignal) Questions {
	t.Helper()
	for _, s := range signals {
		var err error
		if q, _, err = StepQuestions(q, run, s, noon()); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
	}
	return q
}

func TestAQuestionIsARealDecision(t *testing.T) {
	tests := []struct {
		name   string
		change func(q *Question)
		want   string
	}{
		{"a whole one", func(*Question) {}, ""},
		{"one that blocks all and has a default", func(q *Question) { q.BlocksAll, q.Default, q.Rollback = true, "MIT", "change the file" }, ""},
		{"no default, in words", func(q *Question) { q.Default = "none" }, ""},
		{"no context", func(q *Question) { q.Context = "" }, "context"},
		{"a placeholder for the evidence", func(q *Question) { q.Evidence = "TBD" }, "evidence"},
		{"no reason why the loop cannot decide", func(q *Question) { q.Why = "n/a" }, "why"},
		{"no exact answer", func(q *Question) { q.Answer = "?" }, "answer"},
		{"a default without a way back", func(q *Question) { q.BlocksAll, q.Default = true, "MIT" }, "rollback"},
		{"a default, and nothing is blocked", func(q *Question) { q.Default, q.Rollback = "MIT", "change the file" }, "a decision of a person"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := question("which licence")
			tt.change(&q)
			wantLacks(t, q.lacks(), tt.want)
		})
	}
}

// wantLacks wants exactly one missing thing that begins with want, or none.
func wantLacks(t *testing.T, got []string, want string) {
	t.Helper()
	if (want == "") != (len(got) == 0) || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDirectionAndPermissionAreApart(t *testing.T) {
	with := func(r Resolution, change func(r *Resolution)) Resolution { change(&r); return r }
	tests := []struct {
		name   string
		r      Resolution
		want   string
		closes bool
	}{
		{"stale, read in the code", stale("Q1"), "", true},
		{"stale without the premise", with(stale("Q1"), func(r *Resolution) { r.Premise = "" }), "premise", true},
		{"stale by memory", with(stale("Q1"), func(r *Resolution) { r.Basis = "I remember it" }), "basis", true},
		{"answered by a person", answered("Q1"), "", true},
		{"answered by nobody", with(answered("Q1"), func(r *Resolution) { r.AnsweredBy = "" }), "direction and answered_by", true},
		{"answered by the loop", with(answered("Q1"), func(r *Resolution) { r.AnsweredBy = "The Agent" }), "answered_by", true},
		{"answered without saying where", with(answered("Q1"), func(r *Resolution) { r.Basis = "she said so" }), "basis", true},
		{"never a decision, by the words of the request", with(bareOne("Q1", classHuman), func(r *Resolution) { r.Premise, r.Basis = "\"maybe one day\"", "owner/name#4" }), "", true},
		{"grounded and reversible", acted("Q1"), "", true},
		{"grounded and reversible, and nothing was done", with(acted("Q1"), func(r *Resolution) { r.Done = "" }), "done: what was done", true},
		{"grounded and gated", gatedOne("Q1"), "", false},
		{"grounded and gated, and done all the same", with(gatedOne("Q1"), func(r *Resolution) { r.Done = "dropped" }), "done: empty", false},
		{"grounded, and permitted by its basis", with(acted("Q1"), func(r *Resolution) { r.Permission = "documented" }), "permission", false},
		{"ungrounded", with(acted("Q1"), func(r *Resolution) { r.Basis = "it is common" }), "basis", true},
		{"a day is no basis for the code", with(acted("Q1"), func(r *Resolution) { r.Basis = "2026-03-01" }), "basis", true},
		{"without a direction", with(acted("Q1"), func(r *Resolution) { r.Direction = "tbd" }), "direction", true},
		{"of no class", with(acted("Q1"), func(r *Resolution) { r.Class = "done" }), "class", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantLacks(t, tt.r.lacks(), tt.want)
			if got := tt.r.closes(); got != tt.closes {
				t.Errorf("closes: %v", got)
			}
		})
	}
}

func TestAPassIsDueByItsTriggersAndOnceASegment(t *testing.T) {
	four := asked(t, Questions{}, running1(0), Park{question("a")}, Park{question("b")}, Park{question("c")}, Park{question("d")})
	one := asked(t, Questions{}, running1(2), Park{question("a")})
	bare := Pass{[]Resolution{bareOne("Q1", classHuman), bareOne("Q2", classHuman), bareOne("Q3", classHuman), bareOne("Q4", classHuman)}}
	tests := []struct {
		name string
		q    Questions
		run  Run
		days int
		want string
	}{
		{"none is open", Questions{}, running1(9), 30, ""},
		{"one is open", one, running1(2), 0, ""},
		{"four are open", four, running1(0), 0, "4 questions are open"},
		{"four were asked and one is resolved", asked(t, four, running1(0), Resolve{stale("Q2")}), running1(1), 0, ""},
		{"a direction that is gated leaves it open", asked(t, four, running1(0), Resolve{gatedOne("Q2")}), running1(1), 0, "4 questions are open"},
		{"one is a week old", one, running1(9), 7, ""},
		{"one is over a week old and rounds went past it", one, running1(4), 8, "Q1 is open since 2026-03-01, and rounds have gone past it"},
		{"one is over a week old and only its own round is on record", one, running1(3), 8, ""},
		{"one is over a week old and the next segment has a round", one, Run{Segment: 2, Counters: Counters{Iteration: 1}}, 8, "Q1 is open since"},
		{"one is over a week old and the next segment has none", one, Run{Segment: 2}, 8, ""},
		{"the segment has had its pass", asked(t, four, running1(0), PassAll{bare}), running1(9), 30, ""},
		{"the segment before had one", asked(t, four, running1(0), PassAll{bare}), Run{Segment: 2}, 0, "4 questions are open"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := noon().AddDate(0, 0, tt.days)
			got := tt.q.PassDue(tt.run, now)
			if (tt.want == "") != (got == "") || !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if next := tt.q.NextAction(tt.run, now); strings.HasPrefix(next, "first the resolution pass (") != (got != "") {
				t.Errorf("the next action is %q", next)
			}
		})
	}
}

func TestQuestionsRefuse(t *testing.T) {
	two := asked(t, Questions{}, running1(0), Park{question("a")}, Park{question("b")})
	closed := asked(t, two, running1(0), Resolve{stale("Q1")})
	passed := asked(t, two, running1(0), PassAll{Pass{[]Resolution{bareOne("Q1", classHuman), bareOne("Q2", classResolvable)}}})
	ended := running1(3)
	ended.Outcome = "BUDGET"
	guess := bareOne("Q2", classResolvable)
	guess.Direction = "probably MIT"
	tests := []struct {
		name   string
		q      Questions
		run    Run
		signal QuestionSignal
		want   string
	}{
		{"a question of no run", Questions{}, Run{}, Park{question("a")}, "no run was started here"},
		{"a question of a run that has ended", Questions{}, ended, Park{question("a")}, "ended with BUDGET"},
		{"a placeholder", Questions{}, running1(0), Park{Question{Context: "tbd"}}, "the question lacks: context"},
		{"a resolution of no question", two, running1(0), Resolve{stale("Q9")}, `no question "Q9"`},
		{"a second resolution", closed, running1(0), Resolve{acted("Q1")}, "Q1 is resolved"},
		{"a resolution without a basis", two, running1(0), Resolve{guess}, "basis: where it can be checked"},
		{"a pass over nothing", Questions{}, running1(0), PassAll{}, "no question is open"},
		{"a pass that leaves one out", two, running1(0), PassAll{Pass{[]Resolution{bareOne("Q1", classHuman)}}}, "the pass lacks: Q2, which is open"},
		{"a pass that names one twice", two, running1(0), PassAll{Pass{[]Resolution{stale("Q1"), stale("Q1"), stale("Q2")}}}, "Q1 once"},
		{"a pass over a resolved one", closed, running1(0), PassAll{Pass{[]Resolution{acted("Q1"), stale("Q2")}}}, "Q1 is resolved"},
		{"a pass over an unknown one", two, running1(0), PassAll{Pass{[]Resolution{stale("Q1"), stale("Q2"), stale("Q7")}}}, `no question "Q7"`},
		{"a pass with a guess", two, running1(0), PassAll{Pass{[]Resolution{bareOne("Q1", classHuman), guess}}}, "Q2: basis: where it can be checked"},
		{"a pass with a bare stale", two, running1(0), PassAll{Pass{[]Resolution{bareOne("Q1", classStale), bareOne("Q2", classHuman)}}}, "Q1: premise"},
		{"a second pass of the segment", passed, running1(3), PassAll{Pass{[]Resolution{stale("Q1"), stale("Q2")}}}, "segment 1 has had its resolution pass"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, drafts, err := StepQuestions(tt.q, tt.run, tt.signal, noon())
			if err == nil || !strings.Contains(err.Error(), tt.want) || drafts != nil {
				t.Fatalf("got %d drafts and error %v, want %q", len(drafts), err, tt.want)
			}
			if diff := cmp.Diff(tt.q, got); diff != "" {
				t.Errorf("a refusal changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestAPassResolvesWhatItCanInOneBatch(t *testing.T) {
	q := asked(t, Questions{}, running1(0), Park{question("a")}, Park{question("b")}, Park{question("c")}, Park{question("d")}, Park{question("e")})
	pass := Pass{[]Resolution{stale("Q1"), answered("Q2"), acted("Q3"), gatedOne("Q4"), bareOne("Q5", classResolvable)}}
	got, drafts, err := StepQuestions(q, running1(0), PassAll{pass}, noon())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Q4", "Q5"}, got.OpenIDs()); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	if n := len(got.List[4].Resolutions); n != 0 {
		t.Errorf("the question without a basis was annotated %d times", n)
	}
	var kinds []string
	for _, d := range drafts {
		kinds = append(kinds, d.Kind)
	}
	if diff := cmp.Diff([]string{kindResolution, kindResolution, kindResolution, kindResolution, kindPass}, kinds); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	want := []Passed{{"Q1", classStale, passClosed}, {"Q2", classHuman, passClosed}, {"Q3", classResolvable, passClosed}, {"Q4", classResolvable, passDirection}, {"Q5", classResolvable, passOpen}}
	if diff := cmp.Diff(want, got.Passes[0].Questions); diff != "" {
		t.Errorf("the pass (-want +got):\n%s", diff)
	}
	again, drafts, err := StepQuestions(got, running1(0), PassAll{pass}, noon())
	if err != nil || drafts != nil || !cmp.Equal(got, again) {
		t.Errorf("the same pass again: %d drafts, error %v", len(drafts), err)
	}
}

func TestAPassGoesOnWhereAKillBrokeItOff(t *testing.T) {
	q := asked(t, Questions{}, running1(0), Park{question("a")}, Park{question("b")})
	pass := Pass{[]Resolution{stale("Q1"), acted("Q2")}}
	whole, all, err := StepQuestions(q, running1(0), PassAll{pass}, noon())
	if err != nil {
		t.Fatal(err)
	}
	half := asked(t, q, running1(0), Resolve{pass.Questions[0]})
	got, rest, err := StepQuestions(half, running1(0), PassAll{pass}, noon())
	if err != nil || len(rest) != len(all)-1 {
		t.Fatalf("%d records, error %v, want the %d that are missing", len(rest), err, len(all)-1)
	}
	if diff := cmp.Diff(whole, got); diff != "" {
		t.Errorf("(-whole +broken off):\n%s", diff)
	}
}

func TestAQuestionThatIsOnRecordIsNotRecordedAgain(t *testing.T) {
	q := asked(t, Questions{}, running1(0), Park{question("a")}, Park{question("b")}, Resolve{gatedOne("Q1")}, Resolve{stale("Q2")})
	for _, signal := range []QuestionSignal{Park{question("a")}, Resolve{gatedOne("Q1")}, Resolve{stale("Q2")}} {
		got, drafts, err := StepQuestions(q, running1(0), signal, noon())
		if err != nil || drafts != nil || !cmp.Equal(q, got) {
			t.Errorf("%+v: %d drafts, error %v", signal, len(drafts), err)
		}
	}
}

func TestTheFormsOfTheQuestionsAreRefusedWithWhatTheyLack(t *testing.T) {
	if q, err := ParseQuestion([]byte(QuestionTemplate())); err != nil || len(q.lacks()) != 4 {
		t.Errorf("question: %q, %v", q.lacks(), err)
	}
	if r, err := ParseResolution([]byte(ResolutionTemplate())); err != nil || len(r.lacks()) != 2 {
		t.Errorf("resolution: %q, %v", r.lacks(), err)
	}
	if p, err := ParsePass([]byte(PassTemplate())); err != nil || len(p.Questions) != 0 {
		t.Errorf("pass: %+v, %v", p, err)
	}
	wantExplained[Question](t, questionFields())
	wantExplained[Resolution](t, resolutionFields())
	wantExplained[Pass](t, passFields())
}

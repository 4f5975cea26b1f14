package goal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func ask(what string) Ask {
	return Ask{Asked: what, Anchor: "owner/name#12", Work: "the test of it passes"}
}

func satisfied(id string) Satisfied {
	return Satisfied{Ask: id, By: "the flag --dry-run", Evidence: "TestDryRun passes", Direction: directionGiven}
}

func inferredOne(id string) Satisfied {
	s := satisfied(id)
	s.Direction, s.Alternative, s.Changes = directionInferred, "they meant a preview", "the output, not the exit status"
	return s
}

func declinedOne(id string) Declined { return Declined{Ask: id, Why: "it breaks the format"} }

func told(id string) Told {
	return Told{Ask: id, To: "Ada", Channel: "issue comment", Link: "https://example.com/owner/name/issues/12", Observation: "comment 4711"}
}

// wantExplained wants every field of T explained in its order.
func wantExplained[T any](t *testing.T, fields []Field) {
	t.Helper()
	kind := reflect.TypeFor[T]()
	if kind.NumField() != len(fields) {
		t.Errorf("%s: %d fields, %d explained", kind, kind.NumField(), len(fields))
		return
	}
	for i, f := range fields {
		if tag := kind.Field(i).Tag.Get("json"); tag != f.Name || f.Meaning == "" || !json.Valid([]byte(f.Empty)) {
			t.Errorf("%s: field %s is explained as %+v", kind, tag, f)
		}
	}
}

func TestTheFormsOfTheAsksAreRefusedWithWhatTheyLack(t *testing.T) {
	if a, err := ParseAsk([]byte(AskTemplate())); err != nil || len(a.lacks()) != 3 {
		t.Errorf("ask: %q, %v", a.lacks(), err)
	}
	if s, err := ParseSatisfied([]byte(SatisfiedTemplate())); err != nil || len(s.lacks()) != 3 {
		t.Errorf("satisfied: %q, %v", s.lacks(), err)
	}
	if d, err := ParseDeclined([]byte(DeclinedTemplate())); err != nil || len(d.lacks()) != 1 {
		t.Errorf("declined: %q, %v", d.lacks(), err)
	}
	if m, err := ParseTold([]byte(ToldTemplate())); err != nil || len(m.lacks(true)) != 5 {
		t.Errorf("told: %q, %v", m.lacks(true), err)
	}
	wantExplained[Ask](t, askFields())
	wantExplained[Satisfied](t, satisfiedFields())
	wantExplained[Declined](t, declinedFields())
	wantExplained[Told](t, toldFields())
}

func TestWhatIsSaidOfAnAskIsWhole(t *testing.T) {
	with := func(m Told, change func(m *Told)) Told { change(&m); return m }
	tests := []struct {
		name string
		got  []string
		want string
	}{
		{"an ask", ask("a dry run").lacks(), ""},
		{"an ask of a day", Ask{"a dry run", "mail of Ada, 2026-03-01", "a test"}.lacks(), ""},
		{"an ask from nowhere", Ask{"a dry run", "somebody said so", "a test"}.lacks(), "anchor"},
		{"an ask that was not restated", Ask{"a dry run", "#12", "TBD"}.lacks(), "work"},
		{"satisfied as given", satisfied("A1").lacks(), ""},
		{"satisfied as inferred", inferredOne("A1").lacks(), ""},
		{"satisfied without evidence", Satisfied{Ask: "A1", By: "x.go", Direction: directionGiven}.lacks(), "evidence"},
		{"satisfied by no direction", Satisfied{Ask: "A1", By: "x.go", Evidence: "a test"}.lacks(), "direction"},
		{"inferred without the other reading", Satisfied{Ask: "A1", By: "x.go", Evidence: "a test", Direction: directionInferred, Changes: "all"}.lacks(), "alternative"},
		{"inferred without what it would change", Satisfied{Ask: "A1", By: "x.go", Evidence: "a test", Direction: directionInferred, Alternative: "a preview"}.lacks(), "changes"},
		{"declined", declinedOne("A1").lacks(), ""},
		{"superseded", Declined{Ask: "A1", SupersededBy: "A2"}.lacks(), ""},
		{"declined for no reason", Declined{Ask: "A1", Why: "n/a"}.lacks(), "why"},
		{"told", told("A1").lacks(false), ""},
		{"told of an inferred direction without saying so", told("A1").lacks(true), "alternative_said"},
		{"told with the other reading", with(told("A1"), func(m *Told) { m.AlternativeSaid = true }).lacks(true), ""},
		{"told to nobody", with(told("A1"), func(m *Told) { m.To = "" }).lacks(false), "to"},
		{"told over nothing", with(told("A1"), func(m *Told) { m.Channel = "?" }).lacks(false), "channel"},
		{"told without the link", with(told("A1"), func(m *Told) { m.Link = "the usual place" }).lacks(false), "link"},
		{"told with a path", with(told("A1"), func(m *Told) { m.Link = "docs/answer.md" }).lacks(false), ""},
		{"told by a draft", with(told("A1"), func(m *Told) { m.Observation = "drafted at 10:02" }).lacks(false), "observation"},
		{"told by a merge", with(told("A1"), func(m *Told) { m.Observation = "merged as 4f2a9c1" }).lacks(false), "observation"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantLacks(t, tt.got, tt.want) })
	}
}

func TestAsksRefuse(t *testing.T) {
	one := askSteps(t, Asks{}, AddAsk{ask("a")})
	done := askSteps(t, one, Satisfy{satisfied("A1")})
	no := askSteps(t, one, Decline{declinedOne("A1")})
	inferred := askSteps(t, one, Satisfy{inferredOne("A1")})
	tests := []struct {
		name   string
		a      Asks
		run    Run
		signal AskSignal
		want   string
	}{
		{"an ask of no run", Asks{}, Run{}, AddAsk{ask("a")}, "no run was started here"},
		{"a placeholder", Asks{}, running1(0), AddAsk{Ask{Asked: "tbd"}}, "the ask lacks: asked"},
		{"what satisfies no ask", one, running1(0), Satisfy{satisfied("A9")}, `no ask "A9"`},
		{"what declines no ask", one, running1(0), Decline{declinedOne("")}, `no ask ""`},
		{"what tells of no ask", one, running1(0), Tell{told("a1")}, `no ask "a1"`},
		{"news of an open ask", one, running1(0), Tell{told("A1")}, "neither satisfied nor declined"},
		{"a decline of what is satisfied", done, running1(0), Decline{declinedOne("A1")}, "A1 is satisfied already"},
		{"another way to satisfy it", done, running1(0), Satisfy{inferredOne("A1")}, "A1 is satisfied already"},
		{"to satisfy what is declined", no, running1(0), Satisfy{satisfied("A1")}, "A1 is declined already"},
		{"half of it", one, running1(0), Satisfy{Satisfied{Ask: "A1"}}, "it lacks: by"},
		{"a decline for no reason", one, running1(0), Decline{Declined{Ask: "A1"}}, "it lacks: why"},
		{"news that hides the other reading", inferred, running1(0), Tell{told("A1")}, "alternative_said"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, drafts, err := StepAsks(tt.a, tt.run, tt.signal, noon())
			if err == nil || !strings.Contains(err.Error(), tt.want) || drafts != nil {
				t.Fatalf("got %d drafts and error %v, want %q", len(drafts), err, tt.want)
			}
			if diff := cmp.Diff(tt.a, got); diff != "" {
				t.Errorf("a refusal changed (-before +after):\n%s", diff)
			}
		})
	}
}

// askSteps takes signals that must not be refused.
func askSteps(t testing.TB, a Asks, signals ...AskSignal) Asks {
	t.Helper()
	for _, s := range signals {
		var err error
		if a, _, err = StepAsks(a, running1(0), s, noon()); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
	}
	return a
}

func TestAnAskIsUncommunicatedUntilSomebodyWasTold(t *testing.T) {
	a := askSteps(t, Asks{}, AddAsk{ask("a")}, AddAsk{ask("b")}, AddAsk{ask("c")}, Satisfy{satisfied("A1")}, Decline{declinedOne("A2")})
	if diff := cmp.Diff([]string{"A1", "A2"}, a.UncommunicatedIDs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a = askSteps(t, a, Tell{told("A2")})
	if diff := cmp.Diff([]string{"A1"}, a.UncommunicatedIDs()); diff != "" {
		t.Errorf("after A2 was told (-want +got):\n%s", diff)
	}
	again, drafts, err := StepAsks(a, running1(0), Tell{told("A2")}, noon())
	if err != nil || drafts != nil || !cmp.Equal(a, again) {
		t.Errorf("the same news again: %d drafts, error %v", len(drafts), err)
	}
}

func TestEveryRecordOfTheAsksIsReadBackAsItWasRendered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := func(label string) string { return hostile().Draw(t, label) }
		n := rapid.Int64().Draw(t, "n")
		readBack[AskRecord](t, askDraft(AskRecord{s("id"), n, n, Ask{s("asked"), s("anchor"), s("work")}}, noon()))
		readBack[SatisfiedRecord](t, satisfiedDraft(SatisfiedRecord{n, Satisfied{s("ask"), s("by"), s("evidence"), s("direction"), s("alternative"), s("changes")}}, noon()))
		readBack[DeclinedRecord](t, declinedDraft(DeclinedRecord{n, Declined{s("ask"), s("why"), s("superseded")}}, noon()))
		readBack[ToldRecord](t, toldDraft(ToldRecord{n, Told{s("ask"), s("to"), s("channel"), s("link"), s("observation"), rapid.Bool().Draw(t, "said")}}, noon()))
	})
}

func TestTheRecordsTellTheSameAsksAsTheSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b books
		var a Asks
		settled, heard := map[string]bool{}, map[string]bool{}
		t.Repeat(map[string]func(*rapid.T){
			"step": func(t *rapid.T) {
				id := rapid.SampledFrom([]string{"A1", "A2", "A3"}).Draw(t, "id")
				s := rapid.SampledFrom([]AskSignal{AddAsk{ask("for " + id)}, Satisfy{satisfied(id)}, Satisfy{inferredOne(id)}, Decline{declinedOne(id)}, Tell{told(id)}}).Draw(t, "signal")
				next, drafts, err := StepAsks(a, running1(0), s, b.now())
				if err != nil {
					return
				}
				b.append(t, drafts)
				a = next
				switch s.(type) {
				case Satisfy, Decline:
					settled[id] = true
				case Tell:
					heard[id] = true
				}
			},
			"": func(t *rapid.T) {
				fold, faults := FoldAsks(b.file)
				if diff := cmp.Diff(a, fold, cmpopts.EquateEmpty()); diff != "" || len(faults) > 0 {
					t.Fatalf("faults %v (-step +fold):\n%s", faults, diff)
				}
				if got := len(a.Uncommunicated()); got != len(settled)-len(heard) {
					t.Fatalf("uncommunicated: %v, settled %v, told %v", a.UncommunicatedIDs(), settled, heard)
				}
			},
		})
	})
}

func TestFoldFindsAsksThatContradictThemselves(t *testing.T) {
	add := func(id string) Draft { return askDraft(AskRecord{ID: id, Segment: 1, Ask: ask(id)}, noon()) }
	yes := satisfiedDraft(SatisfiedRecord{1, satisfied("A1")}, noon())
	no := declinedDraft(DeclinedRecord{1, declinedOne("A1")}, noon())
	news := toldDraft(ToldRecord{1, told("A1")}, noon())
	tests := []struct {
		name   string
		drafts []Draft
		want   string
	}{
		{"a good file", []Draft{add("A1"), yes, news, news, add("A2")}, ""},
		{"an ask that skips an id", []Draft{add("A3")}, `ask "A3" where A1 is due`},
		{"satisfied above its ask", []Draft{yes, add("A1")}, "no ask above it"},
		{"satisfied and declined", []Draft{add("A1"), yes, no}, "A1 was satisfied before"},
		{"told of an open ask", []Draft{add("A1"), news}, "A1 is open"},
		{"told of no ask", []Draft{news}, "no ask above it"},
		{"a question among them", []Draft{questionDraft(QuestionRecord{ID: "Q1"}, noon())}, `unknown kind "question"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := FoldAsks(fileOf(t, tt.drafts))
			wantFault(t, faults, tt.want)
		})
	}
}

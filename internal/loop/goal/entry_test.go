package goal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/loop"
)

// round is an entry that every decision accepts.
func round() Entry {
	return Entry{
		Planned: "the lexer", Changed: []string{"lexer.go"}, Verification: []Check{{"go test ./...", 0, "12 passed", "ci-7"}},
		Review: []Review{{"agent", "correctness", "an unchecked error", "fixed"}}, Progress: []Progress{{"criterion", "it lexes", "TestLex"}},
		Defaults: []Default{{"name", "lex", "rename"}}, Remaining: "none", Next: "write the parser", Decision: "continue",
		Criteria: []Criterion{{"it lexes", "TestLex"}}, Reason: "no key", Needs: "a key from the person", Kind: "external",
	}
}

func TestTheTemplateDecodesAndIsRefusedWithWhatItLacks(t *testing.T) {
	e, err := ParseEntry([]byte(Template()))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"planned: the slice that this round set out to do", "next: the exact next action"}
	if diff := cmp.Diff(want, e.lacks()); diff != "" {
		t.Errorf("the template lacks (-want +got):\n%s", diff)
	}
	for outcome, want := range map[loop.Outcome]int{loop.Success: 3, loop.Blocked: 3, loop.Error: 1, "": 0} {
		if got := e.lacksFor(outcome); len(got) != want {
			t.Errorf("for %q the template lacks %q", outcome, got)
		}
	}
}

func TestTheTemplateExplainsEveryFieldOfAnEntry(t *testing.T) {
	kind := reflect.TypeFor[Entry]()
	fields := Fields()
	if kind.NumField() != len(fields) {
		t.Fatalf("%d fields, %d explained", kind.NumField(), len(fields))
	}
	for i, f := range fields {
		if tag := kind.Field(i).Tag.Get("json"); tag != f.Name || f.Meaning == "" || !json.Valid([]byte(f.Empty)) {
			t.Errorf("field %s: explained as %+v", tag, f)
		}
	}
}

func TestParseEntryRefusesWhatWouldBeLost(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"nothing", "", "it is empty"},
		{"only comments", "# a\n# b", "it is empty"},
		{"an unknown field", `{"planned":"x","nextt":"y"}`, "nextt"},
		{"a field of the wrong type", `{"planned":7}`, "does not fit"},
		{"an exit status that is no number", `{"verification":[{"command":"x","exit":"0"}]}`, "does not fit"},
		{"an unknown field of a check", `{"verification":[{"cmd":"x"}]}`, "cmd"},
		{"two objects", `{"planned":"x"}{"planned":"y"}`, "one whole JSON document"},
		{"a cut end", `{"planned":"x"`, "one whole JSON document"},
		{"an array", `[]`, "not a JSON object"},
		{"a NUL", `{"planned":"a\u0000"}`, "NUL"},
		{"too deep", strings.Repeat(`{"planned":`, 100), "deeper"},
		{"too long", `{"planned":"` + strings.Repeat("x", MaxEntryBytes) + `"}`, "longer than 256 KiB"},
		{"not UTF-8", "{\"planned\":\"\xff\"}", "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseEntry([]byte(tt.input))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, error %v; want one with %q", got, err, tt.want)
			}
		})
	}
	got, err := ParseEntry([]byte("# a comment\n\n# another\n {\"planned\":\"# kept\"}\n"))
	if diff := cmp.Diff(Entry{Planned: "# kept", Decision: "continue"}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestEveryRecordNamesWhatItLacks(t *testing.T) {
	tests := []struct {
		name   string
		change func(e *Entry)
		want   string
	}{
		{"a whole one", func(*Entry) {}, ""},
		{"no plan", func(e *Entry) { e.Planned = " \n" }, "planned: the slice that this round set out to do"},
		{"no next action", func(e *Entry) { e.Next = "" }, "next: the exact next action"},
		{"no next action, but an end", func(e *Entry) { e.Next, e.Decision = "", "SUCCESS" }, ""},
		{"a decision that is the person's", func(e *Entry) { e.Decision = "CANCELLED" }, `decision: continue, SUCCESS, BLOCKED or ERROR, not "CANCELLED"`},
		{"a decision that is the binary's", func(e *Entry) { e.Decision = "BUDGET" }, `decision: continue, SUCCESS, BLOCKED or ERROR, not "BUDGET"`},
		{"a decision in another case", func(e *Entry) { e.Decision = "success" }, `decision: continue, SUCCESS, BLOCKED or ERROR, not "success"`},
		{"a check without its command", func(e *Entry) { e.Verification = append(e.Verification, Check{}) }, "verification 2: the command"},
		{"progress of another kind", func(e *Entry) { e.Progress[0].Kind = "planning" }, "progress 1: kind criterion, defect or blocker"},
		{"progress without evidence", func(e *Entry) { e.Progress[0].Evidence = "" }, "progress 1: what and evidence"},
		{"a review by nobody", func(e *Entry) { e.Review[0].Reviewer = "" }, "review 1: reviewer and findings"},
		{"a default without a way back", func(e *Entry) { e.Defaults[0].Rollback = "" }, "defaults 1: decision, default and rollback"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := round()
			tt.change(&e)
			if got := strings.Join(e.lacks(), "; "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAnOutcomeNeedsItsEvidence(t *testing.T) {
	tests := []struct {
		name    string
		outcome loop.Outcome
		change  func(e *Entry)
		want    string
	}{
		{"SUCCESS with everything", loop.Success, func(*Entry) {}, ""},
		{"SUCCESS without criteria", loop.Success, func(e *Entry) { e.Criteria = nil }, "criteria"},
		{"SUCCESS with a criterion without evidence", loop.Success, func(e *Entry) { e.Criteria[0].Evidence = " " }, "criteria 1"},
		{"SUCCESS without a check", loop.Success, func(e *Entry) { e.Verification = nil }, "verification"},
		{"SUCCESS with a failing check", loop.Success, func(e *Entry) { e.Verification[0].Exit = 1 }, "a passing check"},
		{"SUCCESS without a review", loop.Success, func(e *Entry) { e.Review = nil }, "review"},
		{"SUCCESS with an open finding", loop.Success, func(e *Entry) { e.Review[0].Action = "" }, "review 1"},
		{"SUCCESS with nothing found and nothing done", loop.Success, func(e *Entry) { e.Review[0].Findings, e.Review[0].Action = "None.", "" }, ""},
		{"SUCCESS after a failure", loop.Success, func(e *Entry) { e.Failure = "the disk is full" }, "a round without a failure"},
		{"SUCCESS with a failure called none", loop.Success, func(e *Entry) { e.Failure = "none" }, ""},
		{"SUCCESS with something left", loop.Success, func(e *Entry) { e.Remaining = "the docs" }, "remaining"},
		{"SUCCESS with nothing said of what is left", loop.Success, func(e *Entry) { e.Remaining = "" }, ""},
		{"BLOCKED with reason and need", loop.Blocked, func(*Entry) {}, ""},
		{"BLOCKED without a reason", loop.Blocked, func(e *Entry) { e.Reason = "" }, "reason"},
		{"BLOCKED with a placeholder for the need", loop.Blocked, func(e *Entry) { e.Needs = "TBD" }, "needs"},
		{"BLOCKED without a need", loop.Blocked, func(e *Entry) { e.Needs = "" }, "needs"},
		{"BLOCKED that does not say by what kind", loop.Blocked, func(e *Entry) { e.Kind = "" }, "kind: impossible, human-decision or external, whichever it is"},
		{"BLOCKED by another kind", loop.Blocked, func(e *Entry) { e.Kind = "Impossible" }, "kind: impossible, human-decision or external, whichever it is"},
		{"BLOCKED by what is hard", loop.Blocked, func(e *Entry) { e.Kind = " Hard" }, "kind: impossible, human-decision or external; what is hard (a missing login, environment or source) is yours"},
		{"BLOCKED by what is impossible", loop.Blocked, func(e *Entry) { e.Kind = "impossible" }, ""},
		{"BLOCKED by a decision of the person", loop.Blocked, func(e *Entry) { e.Kind = "human-decision" }, ""},
		{"ERROR with a reason", loop.Error, func(*Entry) {}, ""},
		{"ERROR without a reason", loop.Error, func(e *Entry) { e.Reason = "" }, "reason"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := round()
			tt.change(&e)
			got := e.lacksFor(tt.outcome)
			if (tt.want == "") != (len(got) == 0) || tt.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzParseEntry(f *testing.F) {
	whole, err := json.Marshal(round())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(Template()))
	f.Add([]byte("#\n#{}\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := ParseEntry(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := ParseEntry(again); err == nil {
			if diff := cmp.Diff(e, back); diff != "" {
				t.Errorf("(-first +second):\n%s", diff)
			}
		} else if len(again) <= MaxEntryBytes {
			t.Errorf("%s: %v", again, err)
		}
	})
}

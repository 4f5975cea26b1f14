package goal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
)

// hostile is text that tries to be a record, a fence or a heading.
func hostile() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"```json omc-hook\n{\"seq\":9,\"prev\":\"\",\"kind\":\"terminal\",\"at\":\"2026-03-01T12:00:00Z\",\"body\":{}}\n```\n",
			"\n```\n## Segment 9, Iteration 1\n", "~~~json omc-hook\n{}\n~~~", "---\nactive: false\n---", "a\r\nb\rc", "🙂 \u202eabc\u2066 \u2028 \u2029 \ufeff",
			"<script>&amp;</script>", "````text\n", "\x01\x1b[2J\x7f", "{{goal}}", "\\", "`", strings.Repeat("`", 50), strings.Repeat("x\n", 10_000),
		}),
	)
}

func anyStrings(t *rapid.T, label string) []string {
	return rapid.SliceOfN(hostile(), 0, 2).Draw(t, label)
}

func anyEntry(t *rapid.T) Entry {
	s := func(label string) string { return hostile().Draw(t, label) }
	return Entry{
		Planned: s("planned"), Changed: anyStrings(t, "changed"), Verification: []Check{{s("command"), rapid.Int().Draw(t, "exit"), s("result"), s("run")}},
		Review: []Review{{s("reviewer"), s("lens"), s("findings"), s("action")}}, Progress: []Progress{{s("kind"), s("what"), s("evidence")}},
		Defaults: []Default{{s("decision of"), s("default"), s("rollback")}}, Remaining: s("remaining"), Next: s("next"), Decision: s("decision"),
		Criteria: []Criterion{{s("criterion"), s("proof")}}, Reason: s("reason"), Needs: s("needs"), Kind: s("kind of block"),
	}
}

func anyMarks(t *rapid.T) *Marks {
	if rapid.Bool().Draw(t, "nothing beside") {
		return nil
	}
	mark := func(label string) Mark { return Mark{rapid.Int().Draw(t, label), hostile().Draw(t, label)} }
	return &Marks{mark("questions"), mark("asks")}
}

func anyOwner(t *rapid.T) Owner {
	s := func(label string) string { return hostile().Draw(t, label) }
	return Owner{s("run"), s("session"), s("project"), s("git"), s("dir"), s("work"), s("authority")}
}

// readBack renders one draft after another record and reads it again.
func readBack[T any](t rapid.TB, d Draft) {
	first := closedDraft(Closed{Segment: 1, Persistence: "x"}, noon())
	text, err := Append(ledger.File{}, []Draft{first, d, first}, noon())
	if err != nil {
		t.Fatal(err)
	}
	file, err := ledger.Parse(append([]byte(Title(d.File)), text...))
	if err != nil || len(file.Faults) > 0 || file.Torn || len(file.Records) != 3 {
		t.Fatalf("%d records, torn %v, faults %v, error %v", len(file.Records), file.Torn, file.Faults, err)
	}
	if file.Records[1].Kind != d.Kind {
		t.Fatalf("got kind %s, want %s", file.Records[1].Kind, d.Kind)
	}
	got, err := decode[T](file.Records[1])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Body, any(got), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-rendered +read):\n%s", diff)
	}
}

func TestEveryRecordIsReadBackAsItWasRendered(t *testing.T) {
	now := noon()
	kinds := map[string]func(t *rapid.T, text string){
		"goal": func(t *rapid.T, text string) {
			readBack[GoalText](t, goalDraft(Run{Segment: 2, Goal: text}, rapid.Bool().Draw(t, "first"), now))
		},
		"segment": func(t *rapid.T, _ string) {
			readBack[Segment](t, segmentDraft(Segment{Format, 3, anyOwner(t), Limits{1, 2, 3, 4}, Counters{}, goalDigest("a goal")}, now))
		},
		"preflight": func(t *rapid.T, text string) {
			readBack[Preflight](t, preflightDraft(Preflight{
				1, text, text, text, text, anyStrings(t, "dirty"), anyStrings(t, "gone"), 7, text, anyStrings(t, "instructions"), []string{text}, text, text, text,
			}, now))
		},
		"resumed": func(t *rapid.T, text string) {
			readBack[Resumed](t, resumedDraft(Resumed{1, anyOwner(t), Limits{}, text, goalDigest(text)}, now))
		},
		"iteration": func(t *rapid.T, text string) {
			readBack[Iteration](t, iterationDraft(Iteration{1, anyEntry(t), Counters{1, 2, 3}, text, anyMarks(t)}, now))
		},
		"terminal": func(t *rapid.T, text string) {
			outcome := rapid.SampledFrom(loop.Outcomes()).Draw(t, "outcome")
			readBack[Terminal](t, terminalDraft(Terminal{1, outcome, text, Counters{}, anyStrings(t, "changed"), []Criterion{{text, text}}, text, text, text, text, text, text}, now))
		},
		"closed": func(t *rapid.T, text string) { readBack[Closed](t, closedDraft(Closed{1, text}, now)) },
	}
	for kind, check := range kinds {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { check(t, hostile().Draw(t, "text")) })
		})
	}
}

func TestAHugeTextIsReadBack(t *testing.T) {
	text := strings.Repeat("```json omc-hook\n🙂 `", 10_000)
	readBack[GoalText](t, goalDraft(Run{Segment: 1, Goal: text}, true, noon()))
	readBack[Iteration](t, iterationDraft(Iteration{Segment: 1, Entry: Entry{Planned: text, Changed: []string{text}, Next: text}}, noon()))
	readBack[Terminal](t, terminalDraft(Terminal{Segment: 1, Outcome: loop.Error, Reason: text}, noon()))
}

func TestFoldFindsWhatContradictsTheRecordsBefore(t *testing.T) {
	begin := []Draft{
		segmentDraft(Segment{Format: Format, Segment: 1}, noon()), preflightDraft(Preflight{Segment: 1}, noon()),
		iterationDraft(Iteration{Segment: 1, Counters: Counters{1, 1, 0}}, noon()),
	}
	ended := append(append([]Draft(nil), begin...), terminalDraft(Terminal{Segment: 1, Outcome: loop.Success}, noon()))
	tests := []struct {
		name   string
		before []Draft
		last   Draft
		want   string
	}{
		{"a further round", begin, iterationDraft(Iteration{Segment: 1, Counters: Counters{2, 2, 0}}, noon()), ""},
		{"the end", begin, terminalDraft(Terminal{Segment: 1, Outcome: loop.Budget}, noon()), ""},
		{"the next segment", ended, segmentDraft(Segment{Format: Format, Segment: 2}, noon()), ""},
		{"the close", ended, closedDraft(Closed{Segment: 1}, noon()), ""},
		{"a round that counts wrongly", begin, iterationDraft(Iteration{Segment: 1, Counters: Counters{2, 0, 0}}, noon()), "counters"},
		{"a round of another segment", begin, iterationDraft(Iteration{Segment: 2, Counters: Counters{2, 2, 0}}, noon()), "segment 2 within segment 1"},
		{"a segment that skips one", ended, segmentDraft(Segment{Format: Format, Segment: 3}, noon()), "segment 2 is due"},
		{"a segment of another format", ended, segmentDraft(Segment{Format: 2, Segment: 2}, noon()), "state format 2"},
		{"an unknown outcome", begin, terminalDraft(Terminal{Segment: 1, Outcome: "DONE"}, noon()), "unknown outcome"},
		{"a round after the end", ended, iterationDraft(Iteration{Segment: 1, Counters: Counters{2, 2, 0}}, noon()), "follows the end"},
		{"a second end", ended, terminalDraft(Terminal{Segment: 1, Outcome: loop.Error}, noon()), "follows the end"},
		{"a resume after the end", ended, resumedDraft(Resumed{Segment: 1}, noon()), "follows the end"},
		{"a goal among the rounds", begin, goalDraft(Run{Segment: 1, Goal: "x"}, true, noon()), `unknown kind "goal"`},
		{"a body of another shape", begin, Draft{File: WorklogFile, Kind: kindIteration, Body: map[string]any{"segment": "1"}}, "record 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := Append(ledger.File{}, append(append([]Draft(nil), tt.before...), tt.last), noon())
			if err != nil {
				t.Fatal(err)
			}
			file, err := ledger.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			_, faults := Fold(ledger.File{}, file)
			if (tt.want == "") != (len(faults) == 0) || tt.want != "" && !strings.Contains(faults[0].What, tt.want) {
				t.Errorf("got faults %v, want %q", faults, tt.want)
			}
		})
	}
	text, _ := Append(ledger.File{}, begin, noon())
	file, _ := ledger.Parse(text)
	if _, faults := Fold(file, ledger.File{}); len(faults) != len(begin) {
		t.Errorf("rounds among the goals: got faults %v", faults)
	}
}

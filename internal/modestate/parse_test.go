package modestate_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/modestate"
)

// noon is the time of every state in the tests.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// foreign is a state as another program writes it: without a schema.
const foreign = `{"active":true,"session_id":"S1","mode":"goal-loop","iteration":3,"max_iterations":10,` +
	`"started_at":"2026-03-01T11:40:00Z","updated_at":"2026-03-01T11:59:00Z","prompt":"finish the parser"}`

// full is a state of this build in which every field says something.
func full() modestate.State {
	return modestate.State{
		Schema: modestate.Schema, Mode: "goal-loop", Active: true, SessionID: "S1", RunID: "g1", Iteration: 2, MaxIterations: 8, HasMax: true,
		HighWater: modestate.HighWater{Lease: 3, Iteration: 2}, Prompt: "finish <the> parser", ProjectPath: "/p",
		StartedAt: noon(), UpdatedAt: noon().Add(time.Second), LastCheckedAt: noon().Add(time.Minute), Planned: 12, HasPlanned: true,
		Rounds: 2, Lease: 3, Continuations: 7, StateDir: ".goal-loop", WorkDir: "/p", NextAction: "go on", PromptID: "p1", Told: "rival",
		Authority: "omc-hook", Paused: modestate.Pause{Cause: "rate-limit", Until: noon().Add(time.Hour)},
		BackgroundSince: noon(), Yielded: modestate.Yield{CommandAt: noon(), At: noon().Add(time.Second)}, Deadline: noon().Add(time.Hour), MaxMinutes: 60,
		Waits: []modestate.Wait{{ID: "b1", Until: noon().Add(time.Hour)}}, Seen: modestate.Seen{Key: "k", At: noon(), Times: 1},
		Same: modestate.Same{Digest: "d", Count: 2}, Ledger: modestate.Ledger{Records: 4, Head: "h"},
	}
}

func replaced(t *testing.T, text, old, next string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q occurs %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, next, 1)
}

func TestParseReadsAStateOfAnotherProgram(t *testing.T) {
	got, err := modestate.Parse([]byte(foreign))
	if err != nil {
		t.Fatal(err)
	}
	want := modestate.State{
		Raw: []byte(foreign), Mode: "goal-loop", Active: true, SessionID: "S1", Iteration: 3, MaxIterations: 10, HasMax: true,
		StartedAt: noon().Add(-20 * time.Minute), UpdatedAt: noon().Add(-time.Minute), Prompt: "finish the parser",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

// The rows of the table of hostile state files, and field cases 26, 46 and 93.
func TestParseRefusesWhatTwoReadersCouldUnderstandDifferently(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"an empty file", "", "it is empty"},
		{"NUL bytes only", strings.Repeat("\x00", 64), "one whole JSON document"},
		{"a valid object and NUL bytes", foreign + "\x00\x00", "one whole JSON document"},
		{"cut off within a key", `{"active":true,"iteration":7,"max_iter`, "one whole JSON document"},
		{"the first 157 bytes of a valid state", foreign[:157], "one whole JSON document"},
		{"a valid object and the tail of an older one", foreign + `er"}`, "one whole JSON document"},
		{"two objects back to back", foreign + foreign, "one whole JSON document"},
		{"an array around the object", "[" + foreign + "]", "not a JSON object"},
		{"null", "null", "not a JSON object"},
		{"an empty string", `""`, "not a JSON object"},
		{"a number", "7", "not a JSON object"},
		{"garbage before the object", "x" + foreign, "one whole JSON document"},
		{"a comment", "// x\n" + foreign, "one whole JSON document"},
		{"a trailing comma", `{"active":true,"iteration":3,}`, "one whole JSON document"},
		{"single quotes", `{'active':true,'iteration':3}`, "one whole JSON document"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "not valid UTF-8"},
		{"two byte order marks", "\xef\xbb\xbf\xef\xbb\xbf" + foreign, "one whole JSON document"},
		{"ten million levels", `{"active":true,"iteration":0,"x":` + strings.Repeat("[", 10_000_000), "nested deeper"},
		{"active twice", `{"active":true,"active":false,"iteration":3}`, `the key "active" occurs twice`},
		{"the session twice", `{"session_id":"S1","session_id":"S2","iteration":3}`, `the key "session_id" occurs twice`},
		{"a counter twice, equal", `{"iteration":3,"iteration":3}`, `the key "iteration" occurs twice`},
		{"active written with an escape, then plain", `{"\u0061ctive":true,"active":false,"iteration":3}`, "written with an escape"},
		{"active written with an escape", `{"\u0061ctive":true,"iteration":3}`, "written with an escape"},
		{"active in another case", `{"Active":true,"iteration":3}`, "ambiguous"},
		{"a counter in another case", `{"active":true,"Iteration":3,"iteration":3}`, "ambiguous"},
		{"a key that folds to ours outside ASCII", `{"active":true,"iteration":3,"ſession_id":"S2"}`, "ambiguous"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := modestate.Parse([]byte(tt.input))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
			if diff := cmp.Diff(modestate.State{}, got); diff != "" {
				t.Errorf("a refused state gave values:\n%s", diff)
			}
		})
	}
}

func TestParseAcceptsEveryLayout(t *testing.T) {
	want, err := modestate.Parse([]byte(foreign))
	if err != nil {
		t.Fatal(err)
	}
	want.Raw = nil
	tests := []struct{ name, input string }{
		{"a byte order mark", "\xef\xbb\xbf" + foreign},
		{"one field a line", strings.ReplaceAll(foreign, `,"`, ",\n  \"")},
		{"tabs", strings.ReplaceAll(foreign, ",", "\t,\t")},
		{"CRLF", strings.ReplaceAll(foreign, ",", ",\r\n") + "\r\n"},
		{"other keys twice", replaced(t, foreign, `"mode"`, `"x":1,"x":2,"mode"`)},
		{"our keys within another object", replaced(t, foreign, `"mode"`, `"x":{"active":false,"Active":1},"mode"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := modestate.Parse([]byte(tt.input))
			if err != nil {
				t.Fatal(err)
			}
			got.Raw = nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseLeavesTheStateOfANewerBuildAlone(t *testing.T) {
	_, err := modestate.Parse([]byte(`{"schema":2,"mode":7,"active":"maybe"}`))
	if !errors.Is(err, modestate.ErrNewer) {
		t.Errorf("got %v, want ErrNewer", err)
	}
	if _, err := modestate.Parse([]byte(`{"schema":"2","iteration":1}`)); err == nil || errors.Is(err, modestate.ErrNewer) {
		t.Errorf("a schema of the wrong type: got %v", err)
	}
}

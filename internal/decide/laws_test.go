package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
)

// anyWorld is a going world with any number of things changed that a rule looks
// at, be it enough for the rule or nearly so.
func anyWorld(t *rapid.T) *world {
	w := going()
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		c := rapid.SampledFrom(ruleCases()).Draw(t, "case")
		if w.raw != "" {
			break
		}
		if rapid.Bool().Draw(t, c.id+" matches") {
			c.match(w)
		} else {
			c.near(w)
		}
	}
	w.event.StopHookActive = rapid.Bool().Draw(t, "active")
	w.facts.ClientCap = rapid.SampledFrom([]int64{0, 1, 3, 8, 50}).Draw(t, "cap")
	w.facts.Attended = rapid.Bool().Draw(t, "attended")
	if w.raw == "" && rapid.IntRange(0, 9).Draw(t, "noise") == 0 {
		w.raw = string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"))
	}
	return w
}

func TestLaw1AllowIsTheDefault(t *testing.T) {
	if v := Stop(&Input{}); v.Action != Allow {
		t.Errorf("the zero input: got %v", v.Action)
	}
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		v := w.stop()
		if v.Action == Allow {
			return
		}
		state, err := modestate.Parse(w.data())
		view := loop.NewView(state, w.facts.ClientCap)
		switch {
		case w.gone || w.fault != "" || err != nil:
			t.Fatalf("continued without a valid state: %v", err)
		case !state.Active || state.Outcome != "" || state.SessionID != w.event.SessionID:
			t.Fatal("continued what is not an active state of this session")
		case view.Continuations > view.ContinuationCap || view.Used > view.LeaseSize || view.Rounds > view.Planned:
			t.Fatalf("continued beyond a bound: %+v", view)
		case v.Rule == "continue" && (view.Continuations == view.ContinuationCap || view.Used == view.LeaseSize):
			t.Fatalf("charged beyond a bound: %+v", view)
		}
	})
}

func TestLaw2AContinuationAlwaysCarriesACharge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		v := w.stop()
		if v.Action == Allow {
			return
		}
		before, err := modestate.Parse(w.data())
		if err != nil {
			t.Fatal(err)
		}
		w.change(t, v.Edits...)
		charged := w.state.Continuations == before.Continuations+1 && w.state.HighWater.Iteration > before.Iteration && w.state.HighWater.Lease == before.Lease
		again := w.state.Seen.Times == before.Seen.Times+1 && w.state.Seen.Key == before.Seen.Key && w.state.Seen.Times <= maxDuplicates
		if v.Rule == "continue" && !charged || v.Rule == "duplicate" && !again || !v.Writes() || v.File != stateFile {
			t.Fatalf("rule %s, file %q: before %+v, after %+v", v.Rule, v.File, before, w.state)
		}
	})
}

func TestLaw3WhatCannotBeReadIsAllowedToStop(t *testing.T) {
	tests := []struct{ name, raw string }{
		{"the state of another mode", strings.Replace(string(modestate.New(going().state)), `"mode": "goal-loop"`, `"mode": "refine"`, 1)},
		{"a state that is no object", `[]`},
		{"an empty state", ` `},
		{"a state of a newer build", strings.Replace(string(modestate.New(going().state)), `"schema": 1`, `"schema": 2`, 1)},
		{"a counter of the wrong type", strings.Replace(string(modestate.New(going().state)), `"iteration": 1`, `"iteration": "1"`, 1)},
		{"a state without its counter", `{"active":true,"session_id":"S1","updated_at":"2026-03-01T11:59:00Z"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := going()
			w.raw = tt.raw
			if v := w.stop(); v.Action != Allow || v.Rule != "unreadable-state" || v.Note == "" || v.Writes() {
				t.Errorf("got %v by %s, note %q, writes %v", v.Action, v.Rule, v.Note, v.Writes())
			}
		})
	}
	unknown := Input{Event: going().event, Facts: going().facts, Snapshot: modestate.Snapshot{"foo-state.json": {Data: going().data()}}}
	if v := Stop(&unknown); v.Rule != "no-mode-state" {
		t.Errorf("the state of an unknown mode: got %v by %s", v.Action, v.Rule)
	}
}

func TestLaw4EachWayOfEndingIsToldApart(t *testing.T) {
	notes := map[string]string{}
	tell := func(name string, w *world) {
		v := w.stop()
		if v.Note == "" {
			t.Errorf("%s: no note", name)
		}
		if other, twice := notes[v.Note]; twice {
			t.Errorf("%s and %s are told alike: %s", name, other, v.Note)
		}
		notes[v.Note] = name
	}
	silent := map[string]bool{
		"switched-off": true, "unreadable-event": true, "subagent": true, "no-session": true, "no-mode-state": true, "not-active": true,
		"other-session": true, "other-repository": true, "other-authority": true, "paused": true, "background": true, "duplicate": true, "continue": true,
	}
	for _, c := range ruleCases() {
		w := going()
		c.match(w)
		if v := w.stop(); silent[c.id] {
			if v.Note != "" {
				t.Errorf("%s: got note %q", c.id, v.Note)
			}
			continue
		}
		tell(c.id, w)
	}
	for _, o := range loop.Outcomes() {
		w := going()
		w.state.Rounds, w.state.Outcome = 3, string(o)
		if o != loop.Success {
			tell("outcome "+string(o), w)
		}
	}
}

func TestLaw5OneModeDecidesAndItsStateAloneIsChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		in := w.input()
		other := modestate.File{Data: w.data()}
		in.Snapshot["other-state.json"], in.Snapshot["ralph-state.json"] = other, other
		v := Stop(in)
		if diff := cmp.Diff(w.stop(), v); diff != "" {
			t.Fatalf("files of nobody's changed the verdict:\n%s", diff)
		}
		if v.Writes() && (v.File != stateFile || v.Mode != "goal-loop") {
			t.Fatalf("rule %s writes file %q of mode %q", v.Rule, v.File, v.Mode)
		}
	})
}

func TestLaw6WhatTheClientCountsIsNoReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		first := w.stop()
		w.event.StopHookActive = !w.event.StopHookActive
		if diff := cmp.Diff(first, w.stop()); diff != "" {
			t.Fatalf("stop_hook_active changed the verdict:\n%s", diff)
		}
	})
	for _, most := range []int64{0, 1, 8, 50, 1 << 60} {
		w := going()
		w.state.Iteration, w.state.HighWater.Iteration, w.facts.ClientCap = 0, 0, most
		if v := w.stop(); v.Action != Continue {
			t.Errorf("the first stop of a lease with the cap %d: got %v by %s", most, v.Action, v.Rule)
		}
	}
}

func TestLaw7EveryInputGivesAVerdictAndTheSameInputTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		first, again := w.stop(), w.stop()
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatalf("two verdicts:\n%s", diff)
		}
		if first.Rule == "no-rule" || first.Rule == "" {
			t.Fatal("no rule decided")
		}
		if (first.Action == Continue) != (first.Text != "") {
			t.Fatalf("%v with the text %q", first.Action, first.Text)
		}
	})
}

func TestLaw8AnAbsentFieldContinuesNothingThatItsPresenceRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		if w.raw != "" {
			return
		}
		whole := w.stop()
		var names []string
		gjson.ParseBytes(w.data()).ForEach(func(key, _ gjson.Result) bool {
			names = append(names, key.String())
			return true
		})
		name := rapid.SampledFrom(names).Draw(t, "field")
		w.raw = without(string(w.data()), name)
		if v := w.stop(); v.Action == Continue && whole.Action != Continue {
			t.Fatalf("without %s: continues by %s; with it: %s", name, v.Rule, whole.Rule)
		}
	})
}

// without removes the line of a field from a state that has one a line.
func without(data, name string) string {
	var lines []string
	for _, line := range strings.Split(data, "\n") {
		if !strings.HasPrefix(line, fmt.Sprintf("  %q: ", name)) {
			lines = append(lines, line)
		}
	}
	return strings.Replace(strings.Join(lines, "\n"), ",\n}", "\n}", 1)
}

// Field case 53.
func TestAnEventWithoutItsFieldsContinuesOnlyWithASession(t *testing.T) {
	if v := Stop(&Input{Facts: going().facts, Snapshot: going().input().Snapshot}); v.Rule != "no-session" {
		t.Errorf("the event {}: got %v by %s", v.Action, v.Rule)
	}
	w := going()
	w.event = hook.Event{SessionID: "S1"}
	for i := range minimalRun {
		v := w.step(t)
		w.pass(time.Minute)
		if want := i < minimalRun-1; (v.Action == Continue) != want {
			t.Errorf("stop %d of a client that reports nothing: got %v by %s", i+1, v.Action, v.Rule)
		}
	}
}

func TestNeedsAsksOnlyForALoopThatMayGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		in := w.input()
		need := Needs(in)
		state, err := modestate.Parse(w.data())
		if active := !w.gone && w.fault == "" && err == nil && state.Active && state.Outcome == ""; need != 0 && !active {
			t.Fatalf("needs %b without an active state", need)
		}
		if need != 0 {
			return
		}
		plain := Stop(in)
		in.Facts.Waiting, in.Facts.TranscriptSize, in.Facts.ContextTokens = []Typed{{"/clear", noon()}}, 7, 999_999_999
		in.Facts.Rivals, in.Facts.StopFile, in.Facts.Model = []Rival{{"x", "/x"}}, "/p/STOP", "claude-opus-5"
		if diff := cmp.Diff(plain, Stop(in), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("facts that nobody asked for changed the verdict:\n%s", diff)
		}
	})
	if got, want := Needs(going().input()), NeedTranscript|NeedRivals|NeedStopFile; got != want {
		t.Errorf("a loop that goes on needs %b, want %b", got, want)
	}
}

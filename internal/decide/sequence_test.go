package decide

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
)

// anyStart is a loop that has just begun.
func anyStart(t *rapid.T) *world {
	w := going()
	planned := rapid.Int64Range(1, 30).Draw(t, "planned")
	w.state.Planned, w.state.MaxIterations = planned, loop.LeaseFor(planned)
	w.state.Iteration, w.state.Rounds, w.state.Continuations, w.state.Lease = 0, 0, 0, 1
	w.state.HighWater = modestate.HighWater{Lease: 1}
	w.facts.ClientCap = rapid.SampledFrom([]int64{0, 2, 8, 20}).Draw(t, "cap")
	return w
}

func TestContinuationsNeverExceedTheirCapSinceTheLastStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyStart(t)
		charged, duplicates := int64(0), int64(0)
		stop := func(t *rapid.T) {
			switch v := w.step(t); {
			case v.Rule == "continue":
				charged++
			case v.Action == Continue:
				duplicates++
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"a stop": func(t *rapid.T) {
				w.turn(rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "message"))
				w.event.StopHookActive = rapid.Bool().Draw(t, "active")
				w.event.Tasks = rapid.SampledFrom([][]hook.Task{
					nil, nil, nil, {{ID: "a1", Type: "subagent", Status: "running"}}, {{ID: "b1", Type: "shell", Status: "running"}},
				}).Draw(t, "tasks")
				stop(t)
			},
			"the same event again": stop,
			"a new prompt": func(t *rapid.T) {
				w.event.PromptID = rapid.SampledFrom([]string{"p1", "p2", "p3"}).Draw(t, "prompt")
			},
			"a record": func(t *rapid.T) { w.recorded(t) },
			"a resume": func(t *rapid.T) {
				w.resumed(t)
				charged = 0
			},
			"a prompt that ends a pause": func(t *rapid.T) {
				if loop.EndsWithPrompt(w.state.Paused.Cause) {
					w.prompted(t)
				}
			},
			"a counter set back": func(t *rapid.T) { w.change(t, modestate.SetCount("iteration", 0)) },
			"time": func(t *rapid.T) {
				w.pass(time.Duration(rapid.Int64Range(0, int64(30*time.Hour)).Draw(t, "time")))
			},
			"": func(t *rapid.T) {
				if most := max(8, 2*w.state.Planned); charged > most {
					t.Fatalf("%d continuations of at most %d", charged, most)
				}
				if duplicates > maxDuplicates*(charged+1)*100 {
					t.Fatalf("%d answers without a charge", duplicates)
				}
			},
		})
	})
}

func TestEverySequenceOfStopsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyStart(t)
		planned, records := w.state.Planned, rapid.Bool().Draw(t, "records")
		most := max(8, 2*planned)
		if !records {
			most = loop.NewView(w.state, w.facts.ClientCap).LeaseSize
		}
		continued := int64(0)
		for i := range 3 * most {
			w.turn(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "message"))
			if w.step(t).Action != Continue {
				continue
			}
			if continued++; continued > most || i >= most {
				t.Fatalf("stop %d is continuation %d of at most %d", i+1, continued, most)
			}
			if records && rapid.Bool().Draw(t, "record") {
				w.recorded(t)
			}
		}
		if v := w.stop(); v.Action != Allow {
			t.Fatalf("after all stops: got %v by %s", v.Action, v.Rule)
		}
	})
}

func TestAnIdleLoopIsReleasedBeforeTheClientOverridesIt(t *testing.T) {
	for _, most := range []int64{1, 3, 8} {
		w := going()
		w.state.Iteration, w.state.HighWater.Iteration, w.facts.ClientCap = 0, 0, most
		for i := range most + 3 {
			w.turn(string(rune('a' + i)))
			v := w.step(t)
			if i < most && v.Action != Continue || i == most && v.Rule != "lease-used" || i > most && v.Rule != "paused" {
				t.Errorf("with the cap %d, stop %d: got %v by %s", most, i+1, v.Action, v.Rule)
			}
		}
	}
}

func TestAWorkingLoopRunsItsWholePlan(t *testing.T) {
	w := going()
	w.state.Planned, w.state.Rounds, w.state.Continuations = 12, 0, 0
	for i := range 12 {
		w.turn(string(rune('a' + i)))
		if v := w.step(t); v.Rule != "continue" {
			t.Fatalf("round %d: got %v by %s (%s)", i+1, v.Action, v.Rule, v.Detail)
		}
		w.recorded(t)
	}
	w.turn("done")
	if v := w.step(t); v.Rule != "workflow-bound" || w.state.Paused.Cause != loop.PausedPlan {
		t.Errorf("after the plan: got %s, pause %+v", v.Rule, w.state.Paused)
	}
}

// Field case 25.
func TestEqualEventsAtOnceAreChargedOnce(t *testing.T) {
	w := going()
	first := w.stop()
	for i := range 8 {
		v := w.step(t)
		w.facts.Now = w.facts.Now.Add(30 * time.Millisecond)
		if v.Action != Continue || v.Text != first.Text || w.state.Continuations != 5 || w.state.Iteration != 2 {
			t.Errorf("process %d: got %v by %s, continuations %d, iteration %d\n%s", i+1, v.Action, v.Rule, w.state.Continuations, w.state.Iteration, v.Text)
		}
	}
	w.pass(2 * time.Second)
	if v := w.step(t); v.Rule != "continue" || w.state.Continuations != 6 {
		t.Errorf("two seconds later: got %s, continuations %d", v.Rule, w.state.Continuations)
	}
}

func TestEqualEventsWithoutAChargeAreBounded(t *testing.T) {
	w := going()
	for range maxDuplicates {
		w.step(t)
	}
	if w.state.Continuations != 5 {
		t.Errorf("%d equal events: got continuations %d, want 5", maxDuplicates, w.state.Continuations)
	}
	if v := w.step(t); v.Rule != "continue" || w.state.Continuations != 6 {
		t.Errorf("one more: got %s, continuations %d", v.Rule, w.state.Continuations)
	}
}

func TestAPauseThatWaitsForThePersonIsNotReplacedByAShorterOne(t *testing.T) {
	tests := []struct {
		name          string
		paused        modestate.Pause
		reason        string
		stopFile      string
		rule, remains string
	}{
		{"the person's own pause and a rate limit", modestate.Pause{Cause: loop.PausedByPerson}, "rate_limit", "", "stop-reason", loop.PausedByPerson},
		{"the person's own pause and an abort", modestate.Pause{Cause: loop.PausedByPerson}, "aborted", "", "stop-reason", loop.PausedByPerson},
		{"a used lease and a rate limit", modestate.Pause{Cause: loop.PausedLease}, "429", "", "stop-reason", loop.PausedLease},
		{"a used lease and a kill switch", modestate.Pause{Cause: loop.PausedLease}, "", "/p/STOP", "kill-switch", loop.PausedSwitch},
		{"a rate limit and a login", modestate.Pause{Cause: loop.PausedRate, Until: noon().Add(time.Minute)}, "401", "", "stop-reason", loop.PausedAuth},
		{"a rate limit that is over and another", modestate.Pause{Cause: loop.PausedRate, Until: noon().Add(-time.Minute)}, "429", "", "stop-reason", loop.PausedRate},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := going()
			w.state.Paused, w.facts.StopFile = tt.paused, tt.stopFile
			if tt.reason != "" {
				w.event.Reasons = []string{tt.reason}
			}
			v := w.step(t)
			if v.Rule != tt.rule || v.Action != Allow || w.state.Paused.Cause != tt.remains {
				t.Errorf("got %v by %s, pause %q; want rule %s, pause %q", v.Action, v.Rule, w.state.Paused.Cause, tt.rule, tt.remains)
			}
			if kept := tt.remains == tt.paused.Cause && tt.paused.Until.IsZero(); kept != (v.Note == "") {
				t.Errorf("the pause was kept: %v, note %q", kept, v.Note)
			}
		})
	}
}

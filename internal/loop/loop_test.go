package loop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
)

func TestNewViewDerivesTheBounds(t *testing.T) {
	planned := func(planned, limit int64) modestate.State {
		return modestate.State{Planned: planned, HasPlanned: true, MaxIterations: limit, HasMax: limit > 0}
	}
	foreign := func(limit int64) modestate.State { return modestate.State{MaxIterations: limit, HasMax: limit > 0} }
	used := func(iteration, lease int64, mark modestate.HighWater) modestate.State {
		return modestate.State{Iteration: iteration, Lease: lease, HighWater: mark}
	}
	tests := []struct {
		name                string
		state               modestate.State
		cap                 int64
		used, lease, budget int64
	}{
		{"a plan of twelve", planned(12, 8), 8, 0, 8, 24},
		{"a plan of three", planned(3, 3), 8, 0, 3, 8},
		{"a plan of nothing", planned(0, 1), 8, 0, 1, 8},
		{"a plan whose lease was edited", planned(12, 1_000_000), 8, 0, 8, 24},
		{"a plan whose lease cannot be read", planned(12, 0), 8, 0, 8, 24},
		{"a client with a lower cap", planned(12, 8), 3, 0, 3, 24},
		{"a client with a higher cap", planned(12, 8), 20, 0, 8, 24},
		{"a client without a cap", planned(12, 8), 0, 0, 8, 24},
		{"another program's bound", foreign(10), 8, 0, 10, 20},
		{"another program's bound above the ceiling", foreign(1_000), 3, 0, 200, 400},
		{"another program without a bound", foreign(0), 8, 0, 8, 16},
		{"stops of the lease", used(3, 2, modestate.HighWater{Lease: 2, Iteration: 3}), 8, 3, 8, 16},
		{"a counter that went backwards in its lease", used(0, 2, modestate.HighWater{Lease: 2, Iteration: 7}), 8, 7, 8, 16},
		{"a mark of an older lease", used(1, 3, modestate.HighWater{Lease: 2, Iteration: 7}), 8, 1, 8, 16},
		{"a counter above its mark", used(5, 2, modestate.HighWater{Lease: 2, Iteration: 1}), 8, 5, 8, 16},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := loop.View{State: tt.state, Used: tt.used, LeaseSize: tt.lease, ContinuationCap: tt.budget}
			if diff := cmp.Diff(want, loop.NewView(tt.state, tt.cap)); diff != "" {
				t.Errorf("view (-want +got):\n%s", diff)
			}
		})
	}
}

func TestALeaseHoldsOneToEightStops(t *testing.T) {
	for planned, want := range map[int64]int64{-1: 1, 0: 1, 1: 1, 7: 7, 8: 8, 9: 8, 10_000: 8} {
		if got := loop.LeaseFor(planned); got != want {
			t.Errorf("%d planned: got %d, want %d", planned, got, want)
		}
	}
	for planned, want := range map[int64]int64{0: 8, 4: 8, 5: 10, 50: 100} {
		if got := loop.ContinuationCap(planned); got != want {
			t.Errorf("%d planned: got %d continuations, want %d", planned, got, want)
		}
	}
}

func TestAPromptEndsOnlyThePausesThatWaitForOne(t *testing.T) {
	tests := map[string]bool{
		loop.PausedByPerson: false, loop.PausedContinuations: false, loop.PausedClock: false, loop.PausedSwitch: false, loop.PausedPlan: false,
		"": false, "unknown": false,
		loop.PausedLease: true, loop.PausedMinimal: true, loop.PausedPlanMode: true, loop.PausedContext: true, loop.PausedAbort: true,
		loop.PausedAuth: true, loop.PausedRate: true, loop.PausedAPI: true,
	}
	for cause, want := range tests {
		if got := loop.EndsWithPrompt(cause); got != want {
			t.Errorf("%q: got %v, want %v", cause, got, want)
		}
	}
}

func TestTheOutcomesAreKnownInTheirOrder(t *testing.T) {
	want := []loop.Outcome{"CANCELLED", "ERROR", "BLOCKED", "SUCCESS", "BUDGET"}
	if diff := cmp.Diff(want, loop.Outcomes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, o := range want {
		if !o.Known() {
			t.Errorf("%s is not known", o)
		}
	}
	for _, o := range []loop.Outcome{"", "success", "DONE"} {
		if o.Known() {
			t.Errorf("%q is known", o)
		}
	}
}

func TestTheRoundBeingWorkedOnFollowsTheRecordedOnes(t *testing.T) {
	if got := (loop.View{State: modestate.State{Rounds: 2}}).Round(); got != 3 {
		t.Errorf("got %d, want 3", got)
	}
}

package goal

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// viewOf is a view of a run of planned rounds in its third round.
func viewOf(planned int64) loop.View {
	return loop.NewView(modestate.State{
		RunID: "g1a2b3c4d", Planned: planned, HasPlanned: true, MaxIterations: 8, HasMax: true, Rounds: 2, NextAction: "write the test",
		Prompt: "finish the parser", StateDir: DefaultStateDir,
	}, 8)
}

func outcomeOf(name string) loop.Outcome { return loop.Outcome(name) }

func outcomeNames() []string {
	var names []string
	for _, o := range loop.Outcomes() {
		names = append(names, string(o))
	}
	return names
}

func startSignal(args string) Start {
	in, err := ParseInvocation(args)
	if err != nil {
		panic(err)
	}
	return Start{
		Invocation: in, Owner: Owner{RunID: "g1", SessionID: "S1", ProjectPath: "/p", GitCommon: "/p/.git", StateDir: in.StateDir, WorkDir: "/p", Authority: "omc-hook"},
		Preflight: Preflight{Repository: "/p", Branch: "main", Next: FirstAction},
	}
}

// steps takes signals that must not be refused.
func steps(t *testing.T, run Run, signals ...Signal) Run {
	t.Helper()
	for _, s := range signals {
		var err error
		if run, _, err = Step(run, s, noon()); err != nil {
			t.Fatalf("%T: %v", s, err)
		}
	}
	return run
}

// fresh is a round like no other.
func fresh(name string, change func(e *Entry)) Record {
	e := round()
	e.Planned, e.Changed = name, []string{name}
	if change != nil {
		change(&e)
	}
	return Record{Entry: e, Stops: 1}
}

func idle(e *Entry)   { e.Progress = nil }
func failed(e *Entry) { e.Failure = "the disk is full" }

func claims(o loop.Outcome) func(e *Entry) { return func(e *Entry) { e.Decision = string(o) } }

func TestTheFirstStopStateInTheirOrderWins(t *testing.T) {
	bad := func(o loop.Outcome) func(e *Entry) { return func(e *Entry) { failed(e); idle(e); claims(o)(e) } }
	tests := []struct {
		name   string
		args   string
		change func(e *Entry)
		want   loop.Outcome
	}{
		{"nothing holds", "x", nil, ""},
		{"ERROR is claimed at every limit", "--max-iterations=1 --no-progress-limit=1 --failure-limit=1 x", bad(loop.Error), loop.Error},
		{"the failures are used up, and BLOCKED is claimed", "--max-iterations=1 --failure-limit=1 x", bad(loop.Blocked), loop.Error},
		{"the failures are used up", "--failure-limit=1 x", failed, loop.Error},
		{"BLOCKED is claimed at the last round", "--max-iterations=1 --no-progress-limit=1 x", func(e *Entry) { idle(e); claims(loop.Blocked)(e) }, loop.Blocked},
		{"SUCCESS is claimed at the last round", "--max-iterations=1 --no-progress-limit=1 x", func(e *Entry) { idle(e); claims(loop.Success)(e) }, loop.Success},
		{"the last round", "--max-iterations=1 x", nil, loop.Budget},
		{"no progress", "--no-progress-limit=1 x", idle, loop.Budget},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := steps(t, Run{}, startSignal(tt.args))
			run, drafts, err := Step(run, fresh("a", tt.change), noon())
			if err != nil {
				t.Fatal(err)
			}
			want := 1
			if tt.want != "" {
				want = 2
			}
			if run.Outcome != tt.want || len(drafts) != want || run.Counters.Iteration != 1 {
				t.Errorf("got outcome %q, %d records, %+v; want %q", run.Outcome, len(drafts), run.Counters, tt.want)
			}
		})
	}
	run := steps(t, Run{}, startSignal("--failure-limit=1 x"), Cancel{Reason: "enough"})
	if run.Outcome != loop.Cancelled {
		t.Errorf("a cancel: got %q", run.Outcome)
	}
}

func TestCountersFollowTheEvidence(t *testing.T) {
	run := steps(t, Run{}, startSignal("x"))
	rounds := []struct {
		name   string
		change func(e *Entry)
		want   Counters
	}{
		{"without progress", idle, Counters{1, 1, 0}},
		{"failed, with progress", failed, Counters{2, 0, 1}},
		{"failed again, without progress", func(e *Entry) { failed(e); idle(e) }, Counters{3, 1, 2}},
		{"a failure called none", func(e *Entry) { e.Failure = "None."; idle(e) }, Counters{4, 2, 0}},
		{"with progress", nil, Counters{5, 0, 0}},
	}
	for _, r := range rounds {
		run = steps(t, run, fresh(r.name, r.change))
		if run.Counters != r.want || run.Outcome != "" {
			t.Errorf("%s: got %+v, outcome %q, want %+v", r.name, run.Counters, run.Outcome, r.want)
		}
	}
	run = steps(t, run, fresh("last", claims(loop.Success)), Close{"inactive"}, startSignal("--continue --failure-limit=1 y"))
	if run.Counters != (Counters{}) || run.Segment != 2 || run.Limits.Failures != 1 || run.Limits.MaxIterations != DefaultMaxIterations || run.Last != nil || run.Changed != nil {
		t.Errorf("a continuation: got %+v", run)
	}
}

func TestARefusalChangesNothing(t *testing.T) {
	begun := steps(t, Run{}, startSignal("x"))
	worked := steps(t, begun, fresh("a", nil))
	ended := steps(t, worked, fresh("b", claims(loop.Success)))
	blocked := steps(t, worked, fresh("b", claims(loop.Blocked)))
	same := fresh("a", nil)
	same.Stops = 0
	broken := fresh("b", claims(loop.Success))
	broken.Broken = "record 3 was changed"
	tests := []struct {
		name   string
		run    Run
		signal Signal
		want   string
	}{
		{"a start without a goal", Run{}, startSignal(""), "there is no goal"},
		{"a continuation without a goal and a run", Run{}, startSignal("--continue"), "there is no goal"},
		{"a record before the start", Run{}, fresh("a", nil), "no run was started"},
		{"a cancel before the start", Run{}, Cancel{}, "no run was started"},
		{"a record after the end", ended, fresh("c", nil), "ended with SUCCESS"},
		{"a cancel after the end", ended, Cancel{}, "ended with SUCCESS"},
		{"a start after the end", ended, startSignal("y"), "ended with SUCCESS"},
		{"a continuation of SUCCESS without a new goal", ended, startSignal("--continue"), "with a new goal only"},
		{"a start after BLOCKED", blocked, startSignal(""), "ended with BLOCKED"},
		{"a resume with fewer rounds than are used", worked, startSignal("--max-iterations=1"), "all 1 iterations"},
		{"a record that lacks its plan", begun, Record{Stops: 1}, "the record lacks"},
		{"the same round twice without a stop between", worked, same, "no new evidence"},
		{"SUCCESS with broken records", worked, broken, "record 3 was changed"},
		{"SUCCESS without a recorded round", begun, Finish{Outcome: loop.Success, Entry: round()}, "a recorded round"},
		{"SUCCESS without criteria", worked, Finish{Outcome: loop.Success}, "criteria"},
		{"SUCCESS on broken records", worked, Finish{Outcome: loop.Success, Entry: round(), Broken: "torn"}, "torn"},
		{"BUDGET by the model", worked, Finish{Outcome: loop.Budget, Entry: round()}, "not \"BUDGET\""},
		{"CANCELLED by the model", worked, Finish{Outcome: loop.Cancelled, Entry: round()}, "not \"CANCELLED\""},
		{"a close of what has not ended", worked, Close{}, "nothing to close"},
		{"a second close", steps(t, ended, Close{"x"}), Close{"y"}, "nothing to close"},
		{"no signal", worked, nil, "unknown signal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, drafts, err := Step(tt.run, tt.signal, noon())
			var refused *Refused
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
			if diff := cmp.Diff(tt.run, got); diff != "" || drafts != nil {
				t.Errorf("%d records, run (-before +after):\n%s", len(drafts), diff)
			}
		})
	}
}

func TestABrokenBlockBarsNoRecord(t *testing.T) {
	run := steps(t, Run{}, startSignal("x"))
	r := fresh("a", nil)
	r.Broken = "record 1 was changed"
	for _, signal := range []Signal{r, Finish{Outcome: loop.Blocked, Entry: round(), Broken: r.Broken}, Finish{Outcome: loop.Error, Entry: round(), Broken: r.Broken}} {
		if _, drafts, err := Step(run, signal, noon()); err != nil || len(drafts) != 1 {
			t.Errorf("%+v: got %d records, error %v", signal, len(drafts), err)
		}
	}
}

func TestARunThatHasNotEndedGoesOnWithItsCounters(t *testing.T) {
	run := steps(t, Run{}, startSignal("--max-iterations=9 x"), fresh("a", idle))
	other := startSignal("--max-iterations=20 a further goal")
	other.Owner.SessionID, other.Owner.RunID = "S2", "g2"
	got, drafts, err := Step(run, other, noon())
	if err != nil {
		t.Fatal(err)
	}
	want := run
	want.Owner, want.Limits.MaxIterations = other.Owner, 20
	want.Goal, want.GoalDigest = "a further goal", goalDigest("a further goal")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var kinds []string
	for _, d := range drafts {
		kinds = append(kinds, d.File+" "+d.Kind+": "+d.Heading)
	}
	wantKinds := []string{"GOAL.md goal: Continuation, segment 1, 2026-03-01T12:00:00Z", "GOAL-WORKLOG.md resumed: Segment 1, resumed, 2026-03-01T12:00:00Z"}
	if diff := cmp.Diff(wantKinds, kinds); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if _, drafts, err := Step(run, startSignal("x"), noon()); err != nil || len(drafts) != 1 {
		t.Errorf("the same goal again: got %d records, error %v", len(drafts), err)
	}
}

func TestTwoStepsFromOneRunDoNotShareTheirPaths(t *testing.T) {
	run := steps(t, Run{}, startSignal("x"), fresh("a", nil), fresh("b", nil), fresh("c", nil))
	one, other := steps(t, run, fresh("d", nil)), steps(t, run, fresh("e", nil))
	for want, got := range map[string]Run{"a b c": run, "a b c d": one, "a b c e": other} {
		if diff := cmp.Diff(strings.Fields(want), got.Changed); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestTheNextActionAfterSuccessIsARefinement(t *testing.T) {
	run := steps(t, Run{}, startSignal("x"), fresh("a", nil))
	for _, signal := range []Signal{fresh("b", claims(loop.Success)), Finish{Outcome: loop.Success, Entry: round()}} {
		if got := steps(t, run, signal); got.Outcome != loop.Success || got.Next != nextAfterSuccess {
			t.Errorf("%T: got %s, next %q", signal, got.Outcome, got.Next)
		}
	}
}

func TestAChangedGoalIsAFault(t *testing.T) {
	_, drafts, err := Step(Run{}, startSignal("make it"), noon())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"make it", "make IT"} {
		var goals, worklog ledger.File
		for _, d := range drafts {
			if g, ok := d.Body.(GoalText); ok {
				g.Text = text
				d.Body = g
			}
			file := &worklog
			if d.File == GoalFile {
				file = &goals
			}
			r, err := file.New(d.Kind, noon(), d.Body)
			if err != nil {
				t.Fatal(err)
			}
			file.Records = append(file.Records, r)
		}
		_, faults := Fold(goals, worklog)
		if changed := text != "make it"; changed != (len(faults) == 1) {
			t.Errorf("the goal %q on record: faults %v", text, faults)
		}
	}
}

package decide

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"omc-hook/internal/hook"
	"omc-hook/internal/modestate"
)

// stateFile is the file of the one state in the tests.
const stateFile = "goal-loop-state.json"

// noon is the time of every decision in the tests.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// world is an input in its parts, so that a test changes one of them.
type world struct {
	event hook.Event
	err   error
	facts Facts
	state modestate.State
	// raw replaces the rendering of state, fault the file, gone removes it.
	raw   string
	fault string
	gone  bool
}

// going is a world whose loop is continued: round 3 of 12, nudge 2 of 8.
func going() *world {
	return &world{
		event: hook.Event{Name: "Stop", SessionID: "S1", PromptID: "p1", Cwd: "/p", Message: "partial work", HasMessage: true, PermissionMode: "default"},
		facts: Facts{Now: noon(), Received: noon(), Root: "/p", ClientCap: 8, Attended: true, TranscriptSize: 1000, ContextTokens: 50_000},
		state: modestate.State{
			Mode: "goal-loop", Active: true, SessionID: "S1", RunID: "g1a2b3c4d", Iteration: 1, MaxIterations: 8,
			HighWater: modestate.HighWater{Lease: 3, Iteration: 1}, Prompt: "finish the parser", ProjectPath: "/p",
			StartedAt: noon().Add(-time.Hour), UpdatedAt: noon().Add(-time.Minute), LastCheckedAt: noon().Add(-time.Minute),
			Planned: 12, Rounds: 2, Lease: 3, Continuations: 4, StateDir: ".goal-loop", WorkDir: "/p",
			NextAction: "write the test of the lexer", PromptID: "p1", Authority: "omc-hook",
		},
	}
}

// live is a world with the foreign state LIVE of the field cases, its fields
// replaced by pairs of old and new text.
func live(t *testing.T, pairs ...string) *world {
	t.Helper()
	w := going()
	w.raw = `{"active":true,"session_id":"S1","mode":"goal-loop","iteration":3,"max_iterations":10,` +
		`"started_at":"2026-03-01T11:40:00Z","updated_at":"2026-03-01T11:59:00Z","prompt":"finish the parser"}`
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(w.raw, pairs[i]) != 1 {
			t.Fatalf("%q occurs %d times in the state", pairs[i], strings.Count(w.raw, pairs[i]))
		}
		w.raw = strings.Replace(w.raw, pairs[i], pairs[i+1], 1)
	}
	return w
}

func (w *world) data() []byte {
	if w.raw != "" {
		return []byte(w.raw)
	}
	return modestate.New(w.state)
}

func (w *world) input() *Input {
	in := &Input{Event: w.event, Err: w.err, Facts: w.facts, Snapshot: modestate.Snapshot{}}
	switch {
	case w.fault != "":
		in.Snapshot[stateFile] = modestate.File{Fault: w.fault}
	case !w.gone:
		in.Snapshot[stateFile] = modestate.File{Data: w.data()}
	}
	return in
}

func (w *world) stop() Verdict { return Stop(w.input()) }

// step decides, puts the edits on the state as the shell does, and returns the
// verdict.
func (w *world) step(t rapid.TB) Verdict {
	t.Helper()
	v := w.stop()
	if len(v.Edits) > 0 {
		w.change(t, v.Edits...)
	}
	if v.Archive {
		w.gone = true
	}
	return v
}

// change edits the state as the shell does.
func (w *world) change(t rapid.TB, edits ...modestate.Change) {
	t.Helper()
	data, err := modestate.Apply(w.data(), edits)
	if err != nil {
		t.Fatal(err)
	}
	w.raw = string(data)
	if w.state, err = modestate.Parse(data); err != nil {
		t.Fatalf("the state cannot be read after a change: %v\n%s", err, data)
	}
}

// turn lets a turn of the model pass: another message, a longer transcript.
func (w *world) turn(message string) {
	w.event.Message = message
	w.facts.TranscriptSize += 100
	w.pass(time.Minute)
}

func (w *world) pass(d time.Duration) {
	w.facts.Now = w.facts.Now.Add(d)
	w.facts.Received = w.facts.Now
}

// recorded is what a recorded round changes in the mode state.
func (w *world) recorded(t rapid.TB) {
	t.Helper()
	lease := w.state.Lease + 1
	w.change(
		t, modestate.SetCount("rounds", w.state.Rounds+1), modestate.SetCount("lease", lease), modestate.SetCount("iteration", 0),
		modestate.SetHighWater(modestate.HighWater{Lease: lease}), modestate.SetSame(modestate.Same{}), modestate.SetTime("updated_at", w.facts.Now),
	)
}

// resumed is what a resume of the person changes; prompted what a prompt does.
func (w *world) resumed(t rapid.TB) {
	t.Helper()
	w.prompted(t)
	w.change(t, modestate.SetCount("continuations", 0))
}

func (w *world) prompted(t rapid.TB) {
	t.Helper()
	lease := w.state.Lease + 1
	w.change(
		t, modestate.SetPause(modestate.Pause{}), modestate.SetCount("iteration", 0), modestate.SetCount("lease", lease),
		modestate.SetHighWater(modestate.HighWater{Lease: lease}), modestate.SetSame(modestate.Same{}), modestate.SetText("told", ""),
		modestate.SetTime("background_since", time.Time{}), modestate.SetTime("updated_at", w.facts.Now),
	)
}

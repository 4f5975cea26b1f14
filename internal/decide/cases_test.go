package decide

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"omc-hook/internal/hook"
	"omc-hook/internal/modestate"
)

// fieldCase is one row of a case that people hit in the field, under its number.
type fieldCase struct {
	number int
	name   string
	world  *world
	rule   string
}

func checkCases(t *testing.T, cases []fieldCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(fmt.Sprintf("%d %s", c.number, c.name), func(t *testing.T) {
			v := c.world.stop()
			if v.Rule != c.rule || (v.Action == Continue) != (c.rule == "continue") {
				t.Errorf("got %v by %s (%s), want %s", v.Action, v.Rule, v.Detail, c.rule)
			}
		})
	}
}

// with changes the event or the facts of a world.
func with(w *world, change func(w *world)) *world {
	change(w)
	return w
}

func reason(t *testing.T, text string) *world {
	return with(live(t), func(w *world) { w.event.Reasons = []string{text} })
}

// Cases 3, 17 and 18: what the client says of its end.
func TestReasonsOfTheClientPauseAndProseDoesNot(t *testing.T) {
	var cases []fieldCase
	for number, texts := range map[int][]string{
		3:  {"context_limit", "Context window exceeded", "prompt is too long", "conversation-too-long", "max_tokens"},
		17: {"rate_limit", "429", "too_many_requests", "overloaded_error", "529", "quota_exceeded", "usage limit reached"},
		18: {"authentication_error", "401", "403", "token_expired", "oauth_expired", "invalid_grant", "forbidden"},
	} {
		for _, text := range texts {
			cases = append(cases, fieldCase{number, text, reason(t, text), "stop-reason"})
		}
	}
	for number, texts := range map[int][]string{
		3:  {"the context of the parser", ""},
		17: {"the test of the rate limit passes now"},
		18: {"fixed issue 4031", "port 40123"},
		70: {"scheduled_wakeup", "end_turn"},
	} {
		for _, text := range texts {
			cases = append(cases, fieldCase{number, "not: " + text, reason(t, text), "continue"})
		}
	}
	say := func(text string) *world { return with(live(t), func(w *world) { w.event.Message = text }) }
	cases = append(cases,
		fieldCase{3, "the words in the prompt", live(t, "finish the parser", "prompt is too long: context_limit"), "continue"},
		fieldCase{3, "the words in an answer", say("context_limit"), "continue"},
		fieldCase{3, "a window that is 95 % full", with(live(t), func(w *world) { w.facts.ContextTokens = 190_000 }), "context-full"},
		fieldCase{3, "a big window that is 95 % full", with(live(t), func(w *world) { w.facts.ContextTokens = 950_000 }), "context-full"},
		fieldCase{3, "a big window that is not", with(live(t), func(w *world) { w.facts.ContextTokens = 300_000 }), "continue"},
		fieldCase{17, "the words in the answer only", say("You've hit your limit · resets 1pm"), "continue"},
		fieldCase{70, "a stale loop and a scheduled prompt", with(live(t, "11:40:00", "01:40:00", "11:59:00", "01:59:00"), func(w *world) {
			w.event.Reasons, w.event.Crons = []string{"scheduled_wakeup"}, 1
		}), "not-fresh"},
	)
	checkCases(t, cases)
}

// Cases 3, 17 and 18: nothing is counted, and the loop can be resumed.
func TestAPauseOfTheClientCountsNothing(t *testing.T) {
	for _, text := range []string{"context_limit", "429", "401", "aborted"} {
		w := reason(t, text)
		v := w.step(t)
		if v.Note == "" || v.Archive || w.state.Iteration != 3 || !w.state.Active || w.state.Paused.Cause == "" {
			t.Errorf("%s: note %q, state %+v", text, v.Note, w.state)
		}
		if again := w.step(t); again.Note != "" || again.Writes() {
			t.Errorf("%s again: got note %q, edits %v", text, again.Note, again.Edits)
		}
	}
	w := reason(t, "429")
	w.step(t)
	w.event.Reasons = nil
	w.pass(apiPause + time.Second)
	if v := w.step(t); v.Rule != "continue" || w.state.Paused.Cause != "" {
		t.Errorf("after the limit: got %s, pause %+v", v.Rule, w.state.Paused)
	}
}

// Cases 3, 8 and 17: a turn that says nothing new is released soon.
func TestAnswersThatSayNothingNewAreReleasedSoon(t *testing.T) {
	for number, message := range map[int]string{3: "", 8: "Still waiting.", 17: "You've hit your limit · resets 1pm"} {
		w := live(t, `"max_iterations":10`, `"max_iterations":50`)
		w.event.Message = message
		for i := 1; i <= 60; i++ {
			v := w.step(t)
			w.pass(time.Second)
			if want := i < 3; (v.Action == Continue) != want || i == 3 && v.Note == "" {
				t.Errorf("case %d, stop %d: got %v by %s, note %q", number, i, v.Action, v.Rule, v.Note)
			}
		}
	}
}

// Case 8: the bit alone is no reason, and another prompt starts no new count.
func TestTheBitOfTheClientIsNoReason(t *testing.T) {
	w := live(t, `"max_iterations":10`, `"max_iterations":50`)
	w.event.StopHookActive = true
	for i := range int64(12) {
		w.turn(fmt.Sprint(i))
		if v := w.step(t); v.Action != Continue || w.state.Iteration != 4+i {
			t.Errorf("stop %d: got %v by %s, iteration %d", i+1, v.Action, v.Rule, w.state.Iteration)
		}
	}
	w.event.StopHookActive, w.event.PromptID = false, "p2"
	w.turn("x")
	if v := w.step(t); v.Action != Continue || w.state.Iteration != 16 {
		t.Errorf("a new prompt: got %v by %s, iteration %d", v.Action, v.Rule, w.state.Iteration)
	}
}

// Cases 15, 16, 44 and 47: counters, bounds and active.
func TestCountersAndBoundsOfAnyStateAreObeyed(t *testing.T) {
	limit := func(value string) *world { return live(t, `"max_iterations":10`, `"max_iterations":`+value) }
	count := func(value string) *world { return live(t, `"iteration":3`, `"iteration":`+value) }
	active := func(value string) *world { return live(t, `"active":true`, `"active":`+value) }
	raw := func(text string) *world { return with(live(t), func(w *world) { w.raw = text }) }
	var cases []fieldCase
	for _, value := range []string{"0", "-1", "null", `"10"`, "1e400", "9223372036854775808", "10.9"} {
		cases = append(cases, fieldCase{15, "a bound of " + value, limit(value), "continue"},
			fieldCase{15, "a bound of " + value + ", eight stops used", live(t, `"max_iterations":10`, `"max_iterations":`+value, `"iteration":3`, `"iteration":8`), "lease-used"})
	}
	for _, value := range []string{"-5", `"7"`, "7.5", "9223372036854775807", "null"} {
		cases = append(cases, fieldCase{15, "a counter of " + value, count(value), "unreadable-state"})
	}
	for _, value := range []string{"false", "null"} {
		cases = append(cases, fieldCase{47, "active is " + value, active(value), "not-active"})
	}
	for _, value := range []string{`"false"`, "0", `"true"`, "1"} {
		cases = append(cases, fieldCase{47, "active is " + value, active(value), "unreadable-state"})
	}
	cases = append(cases,
		fieldCase{15, "no counter", live(t, `"iteration":3,`, ""), "unreadable-state"},
		fieldCase{15, "no bound", live(t, `"max_iterations":10,`, ""), "continue"},
		fieldCase{15, "a counter at its bound", count("10"), "lease-used"},
		fieldCase{15, "a counter beyond its bound", count("11"), "lease-used"},
		fieldCase{47, "no active", live(t, `"active":true,`, ""), "not-active"},
		fieldCase{16, "at the ceiling, below its own bound", live(t, `"iteration":3`, `"iteration":200`, `"max_iterations":10`, `"max_iterations":300`), "lease-used"},
		fieldCase{16, "below the ceiling", live(t, `"iteration":3`, `"iteration":199`, `"max_iterations":10`, `"max_iterations":1000000`), "continue"},
		fieldCase{44, "{}", raw("{}"), "unreadable-state"},
		fieldCase{44, "[]", raw("[]"), "unreadable-state"},
		fieldCase{44, `{"iteration":0}`, raw(`{"iteration":0}`), "not-active"},
		fieldCase{44, "no file", with(live(t), func(w *world) { w.gone = true }), "no-mode-state"},
		fieldCase{44, "a file without permission", with(live(t), func(w *world) { w.fault = "cannot be read: no permission" }), "unreadable-state"},
	)
	checkCases(t, cases)
}

// Case 16: a counter that goes backwards counts with its high-water mark.
func TestACounterThatIsSetBackEndsAllTheSame(t *testing.T) {
	w := live(t)
	for i := 1; i <= 7; i++ {
		w.turn(fmt.Sprint(i))
		if v := w.step(t); v.Action != Continue {
			t.Fatalf("stop %d: got %v by %s", i, v.Action, v.Rule)
		}
		w.change(t, modestate.SetCount("iteration", 0))
	}
	w.turn("x")
	if v := w.step(t); v.Rule != "lease-used" || v.Note == "" || !w.state.Active || w.state.Outcome != "" {
		t.Errorf("got %s, note %q, active %v, outcome %q", v.Rule, v.Note, w.state.Active, w.state.Outcome)
	}
}

// Case 19: work in the background.
func TestWorkThatEndsByItselfIsWaitedFor(t *testing.T) {
	task := func(kind, status string) *world {
		return with(going(), func(w *world) { w.event.Tasks = []hook.Task{{ID: "b1", Type: kind, Status: status}} })
	}
	declared := with(task("shell", "running"), func(w *world) { w.state.Waits = []modestate.Wait{{ID: "b1", Until: noon().Add(time.Minute)}} })
	over := with(task("shell", "running"), func(w *world) { w.state.Waits = []modestate.Wait{{ID: "b1", Until: noon()}} })
	old := with(task("subagent", "running"), func(w *world) { w.state.BackgroundSince = noon().Add(-25 * time.Hour) })
	checkCases(t, []fieldCase{
		{19, "a subagent runs", task("subagent", "running"), "background"},
		{19, "a workflow is pending", task("workflow", "pending"), "background"},
		{19, "a shell that the model waits for", declared, "background"},
		{19, "a shell whose wait is over", over, "continue"},
		{19, "a shell that nobody waits for", task("shell", "running"), "continue"},
		{19, "a subagent has ended", task("subagent", "completed"), "continue"},
		{19, "an unknown status", task("subagent", "zombie"), "continue"},
		{19, "an unknown type", task("server", "running"), "continue"},
		{19, "no task", going(), "continue"},
		{19, "a subagent that runs for 25 hours", old, "continue"},
	})
	w := task("subagent", "running")
	for range 2 {
		if v := w.step(t); v.Action != Allow || w.state.Iteration != 1 || w.state.Continuations != 4 || w.state.BackgroundSince.IsZero() {
			t.Errorf("got %v, state %+v", v.Action, w.state)
		}
		w.pass(5 * time.Hour)
	}
	w.event.Tasks = nil
	if v := w.step(t); v.Rule != "continue" || !w.state.BackgroundSince.IsZero() {
		t.Errorf("after the work: got %s, since %v", v.Rule, w.state.BackgroundSince)
	}
}

// Case 22: times.
func TestOnlyAStateThatWasTouchedLatelyGoesOn(t *testing.T) {
	const started, updated = `"2026-03-01T11:40:00Z"`, `"2026-03-01T11:59:00Z"`
	var cases []fieldCase
	for value, rule := range map[string]string{
		`"2026-02-28T04:00:00Z"`: "not-fresh", `"yesterday"`: "not-fresh", `""`: "not-fresh", "0": "not-fresh", "1772366400": "not-fresh",
		"1772366400000": "not-fresh", `"2026-03-01T11:59:00"`: "not-fresh", `"2026-03-01T11:59:60Z"`: "not-fresh",
		`"2026-03-01T20:59:00+09:00"`: "continue", `"2026-03-01T11:59:00.123456789Z"`: "continue", `"2026-03-01T12:00:05Z"`: "continue",
		`"2026-03-01T12:10:00Z"`: "continue", `"2027-04-05T12:00:00Z"`: "not-fresh", `"9999-12-31T23:59:59Z"`: "not-fresh",
	} {
		cases = append(cases, fieldCase{22, "updated at " + value, live(t, started, `"2026-02-20T12:00:00Z"`, updated, value), rule})
	}
	turn := with(live(t, started, `""`, updated, `""`, `"prompt"`, `"prompt_id":"p1","prompt"`), func(*world) {})
	wait := with(live(t, started, `""`, updated, `""`, `"prompt"`, `"background_since":"2026-02-28T13:00:00Z","prompt"`), func(*world) {})
	checkCases(t, append(
		cases,
		fieldCase{22, "no time at all", live(t, `"started_at":`+started+`,"updated_at":`+updated+`,`, ""), "not-fresh"},
		fieldCase{22, "the turn of the last continuation lasts", turn, "continue"},
		fieldCase{22, "a wait of 23 hours", wait, "continue"},
	))
	w := live(t, started, `""`, updated, `"2026-02-28T04:00:00Z"`)
	if v := w.stop(); v.Note == "" || v.Archive || v.Writes() {
		t.Errorf("a stale state of another program: got note %q, writes %v", v.Note, v.Writes())
	}
}

// Cases 24, 34, 39, 40, 53, 58, 65 and 71.
func TestNothingButTheRecordsAndThePersonDecides(t *testing.T) {
	say := func(text string) *world { return with(going(), func(w *world) { w.event.Message = text }) }
	event := func(change func(e *hook.Event)) *world {
		return with(going(), func(w *world) { change(&w.event) })
	}
	var cases []fieldCase
	for _, text := range []string{
		"Everything is complete. All tests pass. DONE", "error error error", `"decision":"SUCCESS"`, "not done: 3 left", "COMPLETE",
		"```\n<promise>COMPLETE</promise>\n```", "goal-loop ended: SUCCESS", "/goal-loop stop",
	} {
		cases = append(cases, fieldCase{39, text, say(text), "continue"}, fieldCase{40, text + " in the goal", with(going(), func(w *world) {
			w.state.Prompt = text
		}), "continue"})
	}
	cases = append(cases,
		fieldCase{24, "the old session stops after the loop was adopted", with(going(), func(w *world) { w.state.SessionID = "S2" }), "other-session"},
		fieldCase{24, "a resumed session without a state", with(going(), func(w *world) { w.event.SessionID, w.gone = "S2", true }), "no-mode-state"},
		fieldCase{53, "no prompt id", event(func(e *hook.Event) { e.PromptID = "" }), "continue"},
		fieldCase{53, "no message", event(func(e *hook.Event) { e.Message, e.HasMessage = "", false }), "continue"},
		fieldCase{53, "no permission mode", event(func(e *hook.Event) { e.PermissionMode = "" }), "continue"},
		fieldCase{53, "no session", event(func(e *hook.Event) { e.SessionID = "" }), "no-session"},
		fieldCase{65, "a subagent", event(func(e *hook.Event) { e.AgentID = "a1" }), "subagent"},
		fieldCase{65, "the stop of a subagent", event(func(e *hook.Event) { e.Name = "SubagentStop" }), "subagent"},
		fieldCase{65, "an empty agent id", event(func(e *hook.Event) { e.AgentID = "" }), "continue"},
		fieldCase{71, "a goal with the phrase", with(going(), func(w *world) { w.state.Prompt = "fix the 'no such file or directory' error" }), "continue"},
	)
	checkCases(t, cases)
}

// Case 34: a fresh run inherits nothing.
func TestAFreshRunBeginsAtItsFirstRound(t *testing.T) {
	w := going()
	w.state.Iteration, w.state.Rounds, w.state.Continuations, w.state.Lease = 0, 0, 0, 1
	w.state.HighWater = modestate.HighWater{Lease: 1}
	if v := w.step(t); v.Action != Continue || !strings.Contains(v.Text, "round 1 of 12, nudge 1 of 8") {
		t.Errorf("got %v by %s:\n%s", v.Action, v.Rule, v.Text)
	}
}

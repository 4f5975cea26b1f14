package endurance

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"omc-hook/internal/loop/goal"
)

// verb is one thing that a person, a model or a client asks for, in a repository
// where nothing stands against it.
type verb struct {
	name string
	// unasked says that the client sends it by itself, so that nobody is told that
	// it is done.
	unasked bool
	setup   func(w *world)
	ask     func(w *world) request
	// broken is what an answer promises that the disk does not hold, "" for
	// nothing. before is what the disk held when it was asked.
	broken func(before, after facts, a answer) string
	// repeated is what the same request, made again, may be refused with, since it
	// was done already; "" where it is never refused.
	repeated string
	// next is what the person does after it, for a verb that leaves a part of the
	// work to that; nil for nothing.
	next func(w *world) request
}

// facts are what a repository's files say, without what may differ between a run
// and one that was broken off and made again: times, leases and how often a run
// was resumed.
type facts struct {
	owner, other loopFacts
	goal         string
	// goals and worklog are the bytes of the records.
	goals, worklog string
	kinds          []string
	rounds         map[string]int
	recordOwner    string
	limit          int64
	outcome        string
	archived       int
}

// loopFacts are what one mode state says.
type loopFacts struct {
	there, active            bool
	outcome, paused          string
	rounds, planned, waiting int64
	continuations            int64
}

func (w *world) facts() facts {
	w.Helper()
	f := facts{
		owner: w.loopFacts(owner), other: w.loopFacts(other), archived: w.archived(),
		goals:   string(w.read(filepath.Join(w.root, ".goal-loop", goal.GoalFile))),
		worklog: string(w.read(filepath.Join(w.root, ".goal-loop", goal.WorklogFile))),
	}
	if f.goals == "" || f.worklog == "" || w.pending(filepath.Join(w.root, ".goal-loop")) {
		return f
	}
	found := w.work(".goal-loop")
	f.goal, f.kinds, f.rounds, f.recordOwner = found.Goal, found.kinds(), found.rounds(), found.Owner.SessionID
	f.limit, f.outcome = found.Limits.MaxIterations, string(found.Outcome)
	return f
}

func (w *world) loopFacts(session string) loopFacts {
	w.Helper()
	s, there := w.mode(session)
	return loopFacts{
		there: there, active: s.Active, outcome: s.Outcome, paused: s.Paused.Cause, rounds: s.Rounds, planned: s.Planned,
		waiting: int64(len(s.Waits)), continuations: s.Continuations,
	}
}

// essence is what a run that was broken off and made again has in common with
// one that was not. A Stop that is made again is another one, and counts.
func (f facts) essence() facts {
	f.goals, f.worklog = "", ""
	f.owner.continuations, f.other.continuations = 0, 0
	// An extension whose error came after its last write extends twice.
	if twice := int64(plan + 2*more); f.limit == twice && f.owner.planned == twice {
		f.limit, f.owner.planned = plan+more, plan+more
	}
	f.kinds = slices.DeleteFunc(slices.Clone(f.kinds), func(kind string) bool { return kind == "resumed" })
	return f
}

// cancelled holds for a cancellation in the mode state or, once a Stop has told of
// it, in the archive.
func (f facts) cancelled() bool {
	return f.owner.outcome == "CANCELLED" || !f.owner.there && f.archived > 0
}

// verbs are all of them. Each has the loop of owner in .goal-loop.
func verbs() []verb { return append(append(hookVerbs(), controlVerbs()...), commandVerbs()...) }

// plan is how many rounds the loops have, and more how many they are extended by.
const plan, more = 12, 5

func begun(w *world) {
	w.Helper()
	w.begin(owner, fmt.Sprintf("--max-iterations=%d make", plan))
	w.must(w.stop(owner, "the first answer"))
	w.must(w.record(owner, "the first round"))
}

// claimed is begun with another session in which the hook was seen.
func claimed(w *world) {
	w.Helper()
	begun(w)
	w.must(w.seen(other))
}

func pausedBy(failure string) func(w *world) {
	return func(w *world) {
		begun(w)
		w.must(w.event("stop-failure", "StopFailure", owner, map[string]any{"error": failure}))
	}
}

func ended(w *world) {
	begun(w)
	w.must(w.finish(owner))
}

// active is what a start says where one has started already.
const active = "goal-loop is active in this session (run g"

// reopened goes on with a run that has ended, which puts what was left undone at
// its end on record.
func reopened(w *world) request { return w.typed(owner, "--continue") }

func silent(facts, facts, answer) string { return "" }

// lie is a promise that does not hold.
func lie(promised, held bool, what string) string {
	if promised && !held {
		return what
	}
	return ""
}

func hookVerbs() []verb {
	event := func(verb, name string, fields map[string]any) func(w *world) request {
		return func(w *world) request { return w.event(verb, name, owner, fields) }
	}
	return []verb{
		{
			"a stop that goes on", true, begun, func(w *world) request { return w.stop(owner, "the second answer") },
			func(before, after facts, a answer) string {
				return lie(a.continued(), after.owner.continuations > before.owner.continuations, "a continuation whose count is not on disk")
			}, "", nil,
		},
		{
			"a stop that tells of the outcome", true, ended, func(w *world) request { return w.stop(owner, "the last answer") },
			func(_, _ facts, a answer) string { return lie(a.continued(), false, "an ended loop continues") }, "", nil,
		},
		{"a session start", true, begun, event("session-start", "SessionStart", map[string]any{"source": "startup"}), silent, "", nil},
		{
			"a prompt that ends a pause", true, pausedBy("authentication_failed"), event("user-prompt", "UserPromptSubmit", map[string]any{"prompt": "I am logged in"}),
			func(_, after facts, a answer) string {
				return lie(strings.Contains(a.stdout, "goes on after this turn"), after.owner.paused == "", "a pause that is said to have ended")
			}, "", nil,
		},
		{"a stop failure", true, begun, event("stop-failure", "StopFailure", map[string]any{"error": "overloaded"}), silent, "", nil},
	}
}

func controlVerbs() []verb {
	type check = func(before, after facts) bool
	typed := func(name string, setup func(w *world), session, args, says string, holds check) verb {
		return verb{
			name, false, setup, func(w *world) request { return w.typed(session, args) },
			func(before, after facts, a answer) string {
				return lie(strings.Contains(a.stdout, says), holds(before, after), "it says "+says)
			}, "", nil,
		}
	}
	start := typed("a start", func(*world) {}, owner, "--max-iterations=12 make", "goal-loop started",
		func(_, after facts) bool { return after.owner.active && after.goal == "make" })
	start.repeated = active
	reopen := typed("a start that reopens", ended, owner, "--continue", "goal-loop started",
		func(_, after facts) bool { return after.owner.active && after.outcome == "" })
	reopen.repeated = active
	stop := typed("a typed stop", begun, owner, "stop", "goal-loop stopped", func(_, after facts) bool { return after.cancelled() })
	stop.repeated, stop.next = "of this session has ended: CANCELLED", reopened
	return []verb{
		start, reopen, stop,
		typed("a typed pause", begun, owner, "pause", "goal-loop paused", func(_, after facts) bool { return after.owner.paused == "person" }),
		typed("a typed resume", pausedBy("overloaded"), owner, "resume", "goes on with a new lease", func(_, after facts) bool { return after.owner.paused == "" }),
		typed("a typed status", begun, owner, "status", "goal-loop", func(before, after facts) bool { return true }),
		typed("a typed extend", begun, owner, fmt.Sprint("extend ", more), fmt.Sprint("is extended by ", more), func(_, after facts) bool {
			return after.owner.planned == plan+more && after.limit == plan+more
		}),
		typed("a typed adopt", claimed, other, "adopt "+owner, "goes on in this session", func(_, after facts) bool {
			return after.other.active && !after.owner.active && after.recordOwner == other
		}),
	}
}

func commandVerbs() []verb {
	command := func(name string, setup func(w *world), ask func(w *world) request, holds func(after facts) bool) verb {
		return verb{name, false, setup, ask, func(_, after facts, a answer) string {
			return lie(a.status == 0, holds(after), "status 0")
		}, "", nil}
	}
	ending := func(v verb, outcome string) verb {
		v.repeated, v.next = "of this session has ended: "+outcome, reopened
		return v
	}
	last := func(w *world) {
		w.begin(owner, "--max-iterations=1 make")
	}
	start := command("a start for clients without expansion", func(*world) {}, func(w *world) request {
		return w.command(owner, []byte("--max-iterations=12 make\n"), "goal", "start", "--stdin")
	}, func(after facts) bool { return after.owner.active && after.goal == "make" })
	start.repeated = active
	record := command("a record", begun, func(w *world) request { return w.record(owner, "the second round") },
		func(after facts) bool { return after.rounds["the second round"] == 1 && after.owner.rounds == 2 })
	record.repeated = "this round brings no new evidence"
	return []verb{
		start,
		record,
		ending(command("a record that ends", last, func(w *world) request { return w.record(owner, "the only round") },
			func(after facts) bool {
				return after.outcome == "BUDGET" && after.owner.outcome == "BUDGET" && !after.owner.active
			}), "BUDGET"),
		ending(command("a finish", begun, func(w *world) request { return w.finish(owner) },
			func(after facts) bool {
				return after.outcome == "ERROR" && after.owner.outcome == "ERROR" && !after.owner.active
			}), "ERROR"),
		ending(command("a cancel", begun, func(w *world) request { return w.command(owner, nil, "cancel") },
			func(after facts) bool { return after.cancelled() && !after.owner.active }), "CANCELLED"),
		command("a wait", begun, func(w *world) request { return w.command(owner, nil, "wait", "b1", "--for=30m") },
			func(after facts) bool { return after.owner.waiting == 1 }),
		command("an adopt", claimed, func(w *world) request { return w.command(other, nil, "adopt", "--from="+owner) },
			func(after facts) bool { return after.other.active && !after.owner.active && after.recordOwner == other }),
	}
}

package modestate

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// presence says how a field stands in the states that this build writes.
type presence uint8

const (
	optional presence = iota
	required          // it is there, and not null
	nullable          // it is there, or null for none
)

// control lists the fields that decide something.
var control = [...]struct {
	name     string
	presence presence
}{
	{"schema", optional},
	{"mode", required},
	{"active", required},
	{"session_id", required},
	{"run_id", required},
	{"iteration", required},
	{"max_iterations", nullable},
	{"high_water", required},
	{"prompt", required},
	{"project_path", required},
	{"started_at", nullable},
	{"updated_at", nullable},
	{"last_checked_at", optional},
	{"planned_iterations", required},
	{"rounds", required},
	{"lease", required},
	{"continuations", required},
	{"state_dir", required},
	{"work_dir", required},
	{"next_action", required},
	{"prompt_id", required},
	{"outcome", required},
	{"told", required},
	{"authority", required},
	{"paused", nullable},
	{"background_since", nullable},
	{"yielded", nullable},
	{"deadline", nullable},
	{"max_minutes", required},
	{"waits", required},
	{"seen", nullable},
	{"same", nullable},
	{"ledger", required},
}

// reader takes typed values out of the fields and keeps the first fault.
type reader struct {
	fields map[string]gjson.Result
	err    error
}

// read fills s. Only a boolean true is active; a counter that is not a plain
// non-negative integer is a fault, except max_iterations, whose absence or
// nonsense means the built-in bound (cases 15 and 47 of the field cases).
func (r *reader) read(s *State) {
	s.Mode = r.text("mode")
	s.Active = r.truth("active")
	s.SessionID = r.text("session_id")
	s.RunID = r.text("run_id")
	s.Iteration = r.needCount("iteration")
	s.MaxIterations, s.HasMax = bound(r.fields["max_iterations"])
	s.HighWater = r.highWater()
	s.Prompt = r.text("prompt")
	s.ProjectPath = r.text("project_path")
	s.StartedAt = moment(r.fields["started_at"])
	s.UpdatedAt = moment(r.fields["updated_at"])
	s.LastCheckedAt = moment(r.fields["last_checked_at"])
	s.Planned = r.count("planned_iterations")
	s.HasPlanned = present(r.fields["planned_iterations"])
	s.Rounds = r.count("rounds")
	s.Lease = r.count("lease")
	s.Continuations = r.count("continuations")
	s.StateDir = r.text("state_dir")
	s.WorkDir = r.text("work_dir")
	s.NextAction = r.text("next_action")
	s.PromptID = r.text("prompt_id")
	s.Outcome = r.text("outcome")
	s.Told = r.text("told")
	s.Authority = r.text("authority")
	s.Paused = r.pause()
	s.BackgroundSince = moment(r.fields["background_since"])
	s.Yielded = r.yielded()
	s.Deadline = r.momentOrNone("deadline")
	s.MaxMinutes = r.count("max_minutes")
	s.Waits = r.waits()
	s.Seen = r.seen()
	s.Same = r.same()
	s.Ledger = r.ledger()
}

func present(v gjson.Result) bool { return v.Exists() && v.Type != gjson.Null }

func (r *reader) fail(name, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("the field %q is not %s", name, want)
	}
}

// text is the string under name, "" when absent or null.
func (r *reader) text(name string) string {
	v := r.fields[name]
	if !present(v) {
		return ""
	}
	if v.Type != gjson.String {
		r.fail(name, "a string")
		return ""
	}
	return v.String()
}

// truth is the boolean under name, false when absent or null.
func (r *reader) truth(name string) bool {
	v := r.fields[name]
	if present(v) && !v.IsBool() {
		r.fail(name, "true or false")
	}
	return v.Type == gjson.True
}

// count is the counter under name, 0 when absent or null.
func (r *reader) count(name string) int64 {
	v := r.fields[name]
	if !present(v) {
		return 0
	}
	n, ok := integer(v)
	if !ok {
		r.fail(name, "a whole number from 0 to "+strconv.Itoa(maxCount))
	}
	return n
}

// needCount is count for a counter that must be there: a counter that cannot be
// read must not be taken for zero.
func (r *reader) needCount(name string) int64 {
	if !present(r.fields[name]) {
		r.fail(name, "there")
		return 0
	}
	return r.count(name)
}

// integer accepts plain decimal digits only; gjson by itself would read "010",
// 1e400 and 7.9 as integers.
func integer(v gjson.Result) (int64, bool) {
	if v.Type != gjson.Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	if err != nil || n < 0 || n > maxCount {
		return 0, false
	}
	return n, true
}

func bound(v gjson.Result) (int64, bool) {
	n, ok := integer(v)
	return n, ok && n > 0
}

// moment is an RFC 3339 time with a zone, else zero.
func moment(v gjson.Result) time.Time {
	if v.Type != gjson.String {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, v.String())
	if err != nil {
		return time.Time{}
	}
	return t
}

// momentOrNone is moment for a bound: nonsense there is a fault, since a bound
// that cannot be read must not be taken for none.
func (r *reader) momentOrNone(name string) time.Time {
	v := r.fields[name]
	t := moment(v)
	if present(v) && t.IsZero() {
		r.fail(name, "an RFC 3339 time")
	}
	return t
}

func (r *reader) object(name string) (gjson.Result, bool) {
	v := r.fields[name]
	if !present(v) {
		return v, false
	}
	if !v.IsObject() {
		r.fail(name, "an object")
		return v, false
	}
	return v, true
}

func (r *reader) highWater() HighWater {
	v, ok := r.object("high_water")
	if !ok {
		return HighWater{}
	}
	lease, okLease := integer(v.Get("lease"))
	iteration, okIteration := integer(v.Get("iteration"))
	if !okLease || !okIteration {
		r.fail("high_water", "two whole numbers")
	}
	return HighWater{Lease: lease, Iteration: iteration}
}

func (r *reader) pause() Pause {
	v, ok := r.object("paused")
	if !ok {
		return Pause{}
	}
	cause := v.Get("cause")
	if cause.Type != gjson.String || cause.String() == "" {
		r.fail("paused", "an object with a cause")
	}
	return Pause{Cause: cause.String(), Until: moment(v.Get("until"))}
}

func (r *reader) yielded() Yield {
	v, ok := r.object("yielded")
	if !ok {
		return Yield{}
	}
	return Yield{CommandAt: moment(v.Get("command_at")), At: moment(v.Get("at"))}
}

func (r *reader) seen() Seen {
	v, ok := r.object("seen")
	if !ok {
		return Seen{}
	}
	times, okTimes := integer(v.Get("times"))
	if !okTimes {
		r.fail("seen", "an object with a count")
	}
	return Seen{Key: v.Get("key").String(), At: moment(v.Get("at")), Times: times}
}

func (r *reader) same() Same {
	v, ok := r.object("same")
	if !ok {
		return Same{}
	}
	count, okCount := integer(v.Get("count"))
	if !okCount {
		r.fail("same", "an object with a count")
	}
	return Same{Digest: v.Get("digest").String(), Count: count}
}

func (r *reader) ledger() Ledger {
	v, ok := r.object("ledger")
	if !ok {
		return Ledger{}
	}
	records, okRecords := integer(v.Get("records"))
	if !okRecords {
		r.fail("ledger", "an object with a count")
	}
	return Ledger{Records: records, Head: v.Get("head").String()}
}

// maxWaits bounds the declared waits that one state holds.
const maxWaits = 16

func (r *reader) waits() []Wait {
	v := r.fields["waits"]
	if !present(v) {
		return nil
	}
	if !v.IsArray() {
		r.fail("waits", "an array")
		return nil
	}
	var list []Wait
	v.ForEach(func(_, w gjson.Result) bool {
		list = append(list, Wait{ID: w.Get("id").String(), Until: moment(w.Get("until"))})
		return len(list) < maxWaits
	})
	return list
}

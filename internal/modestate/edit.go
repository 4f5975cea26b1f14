package modestate

import (
	"bytes"
	"fmt"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Change sets one top-level field of a mode state to a JSON value.
type Change struct {
	Field string
	JSON  string
}

// SetText sets field to a string.
func SetText(field, value string) Change {
	return Change{field, string(gjson.AppendJSONString(nil, value))}
}

// SetCount sets field to a whole number.
func SetCount(field string, n int64) Change { return Change{field, fmt.Sprint(n)} }

// SetBool sets field to true or false.
func SetBool(field string, v bool) Change { return Change{field, fmt.Sprint(v)} }

// SetTime sets field to t in RFC 3339, UTC, or to null when t is zero.
func SetTime(field string, t time.Time) Change { return Change{field, jsonTime(t)} }

// SetPause sets the pause; the zero Pause clears it.
func SetPause(p Pause) Change {
	if p.Cause == "" {
		return Change{"paused", "null"}
	}
	return Change{"paused", fmt.Sprintf(`{"cause":%s,"until":%s}`, quote(p.Cause), jsonTime(p.Until))}
}

// SetHighWater sets the mark of the lease.
func SetHighWater(h HighWater) Change {
	return Change{"high_water", fmt.Sprintf(`{"lease":%d,"iteration":%d}`, h.Lease, h.Iteration)}
}

// SetYield sets the last command that was let in.
func SetYield(y Yield) Change {
	if y.At.IsZero() {
		return Change{"yielded", "null"}
	}
	return Change{"yielded", fmt.Sprintf(`{"command_at":%s,"at":%s}`, jsonTime(y.CommandAt), jsonTime(y.At))}
}

// SetSeen sets the last counted event; the zero Seen clears it.
func SetSeen(s Seen) Change {
	if s.Key == "" {
		return Change{"seen", "null"}
	}
	return Change{"seen", fmt.Sprintf(`{"key":%s,"at":%s,"times":%d}`, quote(s.Key), jsonTime(s.At), s.Times)}
}

// SetSame sets the run of minimal answers; the zero Same clears it.
func SetSame(s Same) Change {
	if s.Count == 0 {
		return Change{"same", "null"}
	}
	return Change{"same", fmt.Sprintf(`{"digest":%s,"count":%d}`, quote(s.Digest), s.Count)}
}

// SetLedger sets how far the workflow's file has come.
func SetLedger(l Ledger) Change {
	return Change{"ledger", fmt.Sprintf(`{"records":%d,"head":%s}`, l.Records, quote(l.Head))}
}

// SetWaits sets the declared waits, the newest maxWaits of them.
func SetWaits(list []Wait) Change {
	if len(list) > maxWaits {
		list = list[len(list)-maxWaits:]
	}
	out := "["
	for i, w := range list {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprintf(`{"id":%s,"until":%s}`, quote(w.ID), jsonTime(w.Until))
	}
	return Change{"waits", out + "]"}
}

func quote(s string) string { return string(gjson.AppendJSONString(nil, s)) }

func jsonTime(t time.Time) string {
	if t.IsZero() {
		return "null"
	}
	return quote(t.UTC().Format(time.RFC3339Nano))
}

// Apply sets the changes in data and keeps every other byte but a byte order
// mark, behind which sjson would not find the object. The fields are
// ours, never user text, so none of them can be a path with a meaning.
func Apply(data []byte, changes []Change) ([]byte, error) {
	out := bytes.TrimPrefix(data, byteOrderMark)
	for _, c := range changes {
		next, err := sjson.SetRawBytes(out, c.Field, []byte(c.JSON))
		if err != nil {
			return nil, fmt.Errorf("set %s: %w", c.Field, err)
		}
		out = next
	}
	return out, nil
}

// New renders a mode state of this schema from s: one field a line, in the
// order of the list of fields, so that a person can read and compare it.
func New(s State) []byte {
	s.Schema = Schema
	changes := []Change{
		SetCount("schema", Schema),
		SetText("mode", s.Mode),
		SetBool("active", s.Active),
		SetText("session_id", s.SessionID),
		SetText("run_id", s.RunID),
		SetCount("iteration", s.Iteration),
		SetCount("max_iterations", s.MaxIterations),
		SetHighWater(s.HighWater),
		SetText("prompt", s.Prompt),
		SetText("project_path", s.ProjectPath),
		SetTime("started_at", s.StartedAt),
		SetTime("updated_at", s.UpdatedAt),
		SetTime("last_checked_at", s.LastCheckedAt),
		SetCount("planned_iterations", s.Planned),
		SetCount("rounds", s.Rounds),
		SetCount("lease", s.Lease),
		SetCount("continuations", s.Continuations),
		SetText("state_dir", s.StateDir),
		SetText("work_dir", s.WorkDir),
		SetText("next_action", s.NextAction),
		SetText("prompt_id", s.PromptID),
		SetText("outcome", s.Outcome),
		SetText("told", s.Told),
		SetText("authority", s.Authority),
		SetPause(s.Paused),
		SetTime("background_since", s.BackgroundSince),
		SetYield(s.Yielded),
		SetTime("deadline", s.Deadline),
		SetCount("max_minutes", s.MaxMinutes),
		SetWaits(s.Waits),
		SetSeen(s.Seen),
		SetSame(s.Same),
		SetLedger(s.Ledger),
	}
	out := []byte("{\n")
	for i, c := range changes {
		if i > 0 {
			out = append(out, ",\n"...)
		}
		out = append(out, "  "+quote(c.Field)+": "+c.JSON...)
	}
	return append(out, "\n}\n"...)
}

// Package modestate reads and edits one mode state: the small JSON object from
// which a Stop is decided (spec/README.md, Mode state).
//
// It is pure: bytes in, values and bytes out. Parse refuses what two readers
// could understand differently (invalid or too deep JSON, duplicate or
// case-variant control keys) and Apply changes single fields in place, so that
// unknown fields and their order survive. It knows no file, no clock and no
// rule; what a state means is for package decide.
package modestate

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"omc-hook/internal/strictjson"
)

// Schema is the version of the mode state that this build writes. A state
// without one was written by another program and is read by its own fields; a
// higher one belongs to a newer build and is never rewritten.
const Schema = 1

// maxDepth bounds the nesting that is handed to the recursive validator.
const maxDepth = 64

// maxCount is the largest value that a counter may hold.
const maxCount = 1_000_000

var byteOrderMark = []byte("\xef\xbb\xbf")

// ErrNewer marks a state whose schema is higher than Schema.
var ErrNewer = errors.New("written by a newer omc-hook")

// Pause is why a loop does not continue although it has not ended. Until is
// zero when only the person ends the pause.
type Pause struct {
	Cause string
	Until time.Time
}

// Yield is the last command of the person that a Stop was let go for: when it
// was typed, and when it was let in.
type Yield struct {
	CommandAt, At time.Time
}

// HighWater is the largest iteration seen within one lease.
type HighWater struct {
	Lease, Iteration int64
}

// Wait is a background shell that the model declared it waits for.
type Wait struct {
	ID    string
	Until time.Time
}

// Seen identifies the last counted event: Key is its digest, At the moment the
// answer was put on disk, Times how often it has been answered.
type Seen struct {
	Key   string
	At    time.Time
	Times int64
}

// Ledger is how far the workflow's append-only file had come when the state was
// written, so that a cut tail shows.
type Ledger struct {
	Records int64
	Head    string
}

// Same counts answers of the model in a row that are empty or identical.
type Same struct {
	Digest string
	Count  int64
}

// State is one parsed mode state. The fields have the names and meanings of
// spec/README.md and DESIGN; times are zero when absent or unreadable.
type State struct {
	Raw []byte

	Schema        int64
	Mode          string
	Active        bool
	SessionID     string
	RunID         string
	Iteration     int64
	MaxIterations int64
	HasMax        bool
	HighWater     HighWater
	Prompt        string
	ProjectPath   string
	StartedAt     time.Time
	UpdatedAt     time.Time
	LastCheckedAt time.Time
	Planned       int64
	HasPlanned    bool
	Rounds        int64
	Lease         int64
	Continuations int64
	StateDir      string
	WorkDir       string
	NextAction    string
	PromptID      string
	Outcome       string
	Told          string
	Authority     string
	Paused        Pause

	BackgroundSince time.Time
	Yielded         Yield
	Deadline        time.Time
	MaxMinutes      int64
	Waits           []Wait
	Seen            Seen
	Same            Same
	Ledger          Ledger
}

// Parse reads a mode state. The error says in one phrase why the bytes must not
// be obeyed; it wraps ErrNewer when the schema is higher than Schema. A leading
// UTF-8 byte order mark is accepted, anything else before or after the object
// is not.
func Parse(data []byte) (State, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if err := strictjson.CheckObject(data, maxDepth); err != nil {
		return State{}, err
	}
	fields, err := topLevel(data)
	if err != nil {
		return State{}, err
	}
	s := State{Raw: data}
	r := reader{fields: fields}
	s.Schema = r.count("schema")
	if r.err == nil && s.Schema > Schema {
		return State{}, fmt.Errorf("schema %d: %w", s.Schema, ErrNewer)
	}
	if s.Schema == Schema {
		if err := complete(fields); err != nil {
			return State{}, err
		}
	}
	r.read(&s)
	if r.err != nil {
		return State{}, r.err
	}
	return s, nil
}

// topLevel collects the control fields and refuses a key that occurs twice,
// differs from a control field only by case, or is written with an escape:
// readers disagree about which of them counts.
func topLevel(data []byte) (map[string]gjson.Result, error) {
	fields := make(map[string]gjson.Result, len(control))
	var err error
	gjson.ParseBytes(data).ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		known, ok := controlName(name)
		if !ok {
			return true
		}
		switch _, twice := fields[known]; {
		case name != known:
			err = fmt.Errorf("the key %q is ambiguous beside %q", name, known)
		case key.Raw != strconv.Quote(name):
			err = fmt.Errorf("the key %q is written with an escape", name)
		case twice:
			err = fmt.Errorf("the key %q occurs twice", name)
		}
		fields[known] = value
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return fields, nil
}

func controlName(name string) (string, bool) {
	for _, f := range control {
		if strings.EqualFold(f.name, name) {
			return f.name, true
		}
	}
	return "", false
}

// complete refuses a state of our own schema in which a field is missing: the
// absence of a bound must not continue what the bound would have refused.
func complete(fields map[string]gjson.Result) error {
	for _, f := range control {
		v, ok := fields[f.name]
		if f.presence != optional && !ok || f.presence == required && !present(v) {
			return fmt.Errorf("the field %q is missing", f.name)
		}
	}
	return nil
}

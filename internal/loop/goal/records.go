package goal

import (
	"encoding/json"
	"fmt"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
)

// The files of a state directory (spec/goal-loop.txt, section 3).
const (
	GoalFile    = "GOAL.md"
	WorklogFile = "GOAL-WORKLOG.md"
)

// Format is the state format that this build writes and reads.
const Format = 1

// Kinds of records. goal stands in GOAL.md, the others in the worklog.
const (
	kindGoal      = "goal"
	kindSegment   = "segment"
	kindPreflight = "preflight"
	kindResumed   = "resumed"
	kindIteration = "iteration"
	kindTerminal  = "terminal"
	kindClosed    = "closed"
)

// GoalText is the goal of one segment, verbatim.
type GoalText struct {
	Format  int    `json:"format"`
	Segment int64  `json:"segment"`
	Text    string `json:"text"`
}

// Owner is who works on the state directory, and where.
type Owner struct {
	RunID       string `json:"run_id"`
	SessionID   string `json:"session_id"`
	ProjectPath string `json:"project_path"`
	GitCommon   string `json:"git_common_dir"`
	StateDir    string `json:"state_dir"`
	WorkDir     string `json:"work_dir"`
	Authority   string `json:"authority"`
}

// Counters are the three counters of a segment.
type Counters struct {
	Iteration  int64 `json:"iteration"`
	NoProgress int64 `json:"no_progress"`
	Failures   int64 `json:"failures"`
}

// Segment opens a segment: a first run or an explicit continuation.
type Segment struct {
	Format  int   `json:"format"`
	Segment int64 `json:"segment"`
	Owner
	Limits   Limits   `json:"limits"`
	Counters Counters `json:"counters_at_start"`
	// GoalDigest is the SHA-256 of the goal that the segment works on, so that a
	// changed goal shows.
	GoalDigest string `json:"goal_sha256,omitempty"`
}

// Preflight is iteration 0: what was found before anything was changed.
type Preflight struct {
	Segment    int64    `json:"segment"`
	Repository string   `json:"repository"`
	Branch     string   `json:"branch"`
	Head       string   `json:"head,omitempty"`
	Status     string   `json:"status"`
	Dirty      []string `json:"initial_dirty_paths"`
	// Gone lists those of Dirty at which nothing stood.
	Gone      []string `json:"initial_absent_paths,omitempty"`
	DirtyMore int      `json:"initial_dirty_more,omitempty"`
	// StatusUnknown says why git could not tell what is dirty, "" where it could.
	StatusUnknown string   `json:"status_unknown,omitempty"`
	Instructions  []string `json:"instructions"`
	Commands      []string `json:"verification_commands"`
	Persistence   string   `json:"persistence"`
	Next          string   `json:"next_action"`
	Decision      string   `json:"stop_decision"`
}

// Resumed says that a run that had not ended goes on, with whom and with which
// limits.
type Resumed struct {
	Segment int64 `json:"segment"`
	Owner
	Limits     Limits `json:"limits"`
	Why        string `json:"why"`
	GoalDigest string `json:"goal_sha256,omitempty"`
}

// Iteration is one recorded round.
type Iteration struct {
	Segment int64 `json:"segment"`
	Entry   Entry `json:"entry"`
	// Counters are those after this round.
	Counters Counters `json:"counters"`
	Decision string   `json:"stop_decision"`
	// Marks is how far questions and asks had come, nil without either.
	Marks *Marks `json:"marks,omitempty"`
}

// Terminal ends a segment.
type Terminal struct {
	Segment  int64        `json:"segment"`
	Outcome  loop.Outcome `json:"outcome"`
	Reason   string       `json:"reason"`
	Counters Counters     `json:"counters"`
	Changed  []string     `json:"changed"`
	Criteria []Criterion  `json:"criteria,omitempty"`
	Needs    string       `json:"needs,omitempty"`
	Kind     string       `json:"blocked_kind,omitempty"`
	Remain   string       `json:"remaining"`
	Next     string       `json:"next_action"`
	Resume   string       `json:"resume"`
	// Verified says who ran the checks of a SUCCESS.
	Verified string `json:"verified,omitempty"`
}

// Closed is the evidence that persistence was cleared after a terminal entry.
type Closed struct {
	Segment     int64  `json:"segment"`
	Persistence string `json:"persistence"`
}

// Draft is a record that is to be appended to a file.
type Draft struct {
	File    string
	Kind    string
	Heading string
	Prose   string
	Body    any
}

// Append renders drafts of one file after the records that it holds.
func Append(file ledger.File, drafts []Draft, now time.Time) ([]byte, error) {
	var out []byte
	for _, d := range drafts {
		r, err := file.New(d.Kind, now, d.Body)
		if err != nil {
			return nil, fmt.Errorf("make a record for %s: %w", d.File, err)
		}
		text, err := ledger.Render(r, d.Heading, d.Prose)
		if err != nil {
			return nil, fmt.Errorf("render a record for %s: %w", d.File, err)
		}
		file.Records = append(file.Records, r)
		out = append(out, text...)
	}
	return out, nil
}

// Title is the head of a new file, before its first record.
func Title(file string) string {
	switch file {
	case QuestionsFile:
		return "# Deferred questions\n\nDecisions that only a person can make, each with its resolution beneath. omc-hook appends to this file; only the fenced records count.\n"
	case AsksFile:
		return "# Outstanding asks\n\nWhat was asked from outside, what satisfied it, and who was told. omc-hook appends to this file; only the fenced records count.\n"
	case GoalFile:
		return "# Goal\n\nThe goal, word for word, and its continuations. omc-hook writes this file; only the fenced records count.\n"
	}
	return "# Goal worklog\n\nWhat was done, round by round, oldest first. omc-hook appends to this file; only the fenced records count.\n"
}

// decode reads the body of a record of a known kind.
func decode[T any](r ledger.Record) (T, error) {
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		return v, fmt.Errorf("record %d (%s): %w", r.Seq, r.Kind, err)
	}
	return v, nil
}

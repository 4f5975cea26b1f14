package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// report is what status says of one session.
type report struct {
	Session    string       `json:"session"`
	Root       string       `json:"root"`
	FoundBy    string       `json:"root_found_by"`
	Continues  bool         `json:"continues"`
	Rule       string       `json:"rule"`
	Detail     string       `json:"detail,omitempty"`
	Note       string       `json:"note,omitempty"`
	Remedy     string       `json:"remedy,omitempty"`
	Modes      []modeReport `json:"modes"`
	Hook       hookSeen     `json:"hook"`
	LastStop   *traced      `json:"last_stop"`
	Flat       []string     `json:"flat_states_ignored,omitempty"`
	ShadowedBy string       `json:"shadowed_by,omitempty"`
	Build      string       `json:"build"`

	now time.Time
}

// modeReport is one mode state of the session.
type modeReport struct {
	Mode          string         `json:"mode"`
	File          string         `json:"file"`
	Fault         string         `json:"fault,omitempty"`
	Active        bool           `json:"active"`
	Authority     string         `json:"authority"`
	Run           string         `json:"run"`
	Round         int64          `json:"round"`
	Planned       int64          `json:"planned"`
	Nudges        int64          `json:"nudges_used"`
	Lease         int64          `json:"lease"`
	Continuations int64          `json:"continuations"`
	Cap           int64          `json:"continuation_cap"`
	Fresh         bool           `json:"fresh"`
	Touched       time.Time      `json:"touched"`
	Paused        string         `json:"paused,omitempty"`
	Outcome       string         `json:"outcome,omitempty"`
	AdoptedBy     string         `json:"adopted_by,omitempty"`
	Next          string         `json:"next_action,omitempty"`
	StateDir      string         `json:"state_dir,omitempty"`
	Deadline      *time.Time     `json:"deadline,omitempty"`
	Counters      *goal.Counters `json:"counters,omitempty"`
	Limits        *goal.Limits   `json:"limits,omitempty"`
}

// hookSeen is the heartbeat of the session's hooks.
type hookSeen struct {
	Seen     bool      `json:"seen"`
	At       time.Time `json:"at"`
	Event    string    `json:"event,omitempty"`
	Build    string    `json:"build,omitempty"`
	Launcher string    `json:"launcher,omitempty"`
}

// buildReport asks the rules what the next ordinary Stop of the session would
// be answered: status and hook cannot disagree, since both ask decide.
func buildReport(env Env, store state.Store, loc state.Location) (report, error) {
	now := env.Now()
	r := report{Session: loc.Session, Root: loc.Root, FoundBy: loc.How, Build: env.Version, now: now}
	in := decide.Input{
		Event: hook.Event{Name: "Stop", SessionID: loc.Session, Message: "status asks what would happen", HasMessage: true},
		Facts: decide.Facts{Now: now, Received: now, Root: loc.Root, SwitchedOff: env.switchedOff(), ClientCap: env.clientCap()},
	}
	in.Snapshot = store.Read(loc, decide.StateFiles())
	gather(&in, decide.Needs(&in), store, loc)
	v := decide.Stop(&in)
	if err := store.LockFault(loc); v.Action == decide.Continue && err != nil {
		v = decide.Verdict{Rule: decide.NotDurable, Detail: err.Error(), Remedy: "move what is in the way of the lock file away"}
	}
	r.Continues, r.Rule, r.Detail, r.Note, r.Remedy = v.Action == decide.Continue, v.Rule, v.Detail, v.Note, v.Remedy
	for _, mode := range decide.Modes() {
		if _, there := in.Snapshot[decide.StateFile(mode)]; there {
			r.Modes = append(r.Modes, reportMode(env, store, loc, mode, in.Snapshot))
		}
	}
	r.heartbeat(store)
	r.Flat = flatStates(store, loc)
	r.ShadowedBy = shadowOf(env, r.Hook.Launcher)
	last, err := lastStop(store, loc)
	r.LastStop = last
	return r, err
}

func reportMode(env Env, store state.Store, loc state.Location, mode string, snapshot modestate.Snapshot) modeReport {
	m := modeReport{Mode: mode, File: filepath.Join(loc.Dir, decide.StateFile(mode))}
	v, fault := readMode(snapshot, mode)
	if fault != "" {
		m.Fault = oneLine(fault)
		return m
	}
	v = loop.NewView(v.State, env.clientCap())
	m.AdoptedBy = oneLine(adopterOf(v))
	m.Active, m.Authority, m.Run, m.Outcome = v.Active, orText(v.Authority, "not recorded"), v.RunID, v.Outcome
	m.Round, m.Planned, m.Nudges, m.Lease = v.Round(), v.Planned, v.Used, v.LeaseSize
	m.Continuations, m.Cap = v.Continuations, v.ContinuationCap
	m.Fresh, m.Touched = decide.Fresh(v.State, env.Now()), decide.Touched(v.State, env.Now())
	m.Paused, m.Next, m.StateDir = v.Paused.Cause, oneLine(v.NextAction), v.StateDir
	if !v.Deadline.IsZero() {
		m.Deadline = &v.Deadline
	}
	if mode == goal.Mode && v.StateDir != "" {
		if folder, err := openFolder(store, loc.Root, v.StateDir); err == nil {
			if files, err := readGoal(folder); err == nil && files.exists {
				m.Counters, m.Limits = &files.run.Counters, &files.run.Limits
			}
		}
	}
	return m
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (r *report) heartbeat(store state.Store) {
	p, err := store.ReadPointer(r.Session)
	if err == nil {
		r.Hook = hookSeen{Seen: true, At: p.Seen, Event: oneLine(p.Event), Build: oneLine(p.Build), Launcher: oneLine(p.Launcher)}
	}
}

// flatStates lists states in the place that OMC also reads and this hook does
// not.
func flatStates(store state.Store, loc state.Location) []string {
	var list []string
	for _, name := range decide.StateFiles() {
		path := filepath.Join(loc.StateRoot, "state", name)
		if _, err := store.Disk.Lstat(path); err == nil {
			list = append(list, path)
		}
	}
	return list
}

// lastStop is the newest line of the trace that can be read.
func lastStop(store state.Store, loc state.Location) (*traced, error) {
	lines, err := readTrace(store, loc, 1)
	if len(lines) == 0 {
		return nil, err
	}
	return &lines[0], err
}

// readTrace returns the newest most decisions, newest first.
func readTrace(store state.Store, loc state.Location, most int) ([]traced, error) {
	raw, err := store.ReadTrace(loc)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var list []traced
	for i := len(raw) - 1; i >= 0 && len(list) < most; i-- {
		var t traced
		if json.Unmarshal(raw[i], &t) == nil && t.Rule != "" {
			list = append(list, t)
		}
	}
	return list, err
}

// text is the report for people: the answer first, then what it rests on.
func (r report) text() string {
	var out strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&out, "  %-13s %s\n", label, oneLine(fmt.Sprintf(format, args...)))
	}
	if r.Continues {
		fmt.Fprintf(&out, "continues: the next stop of session %s goes on (%s)\n", r.Session, oneLine(r.Detail))
	} else {
		fmt.Fprintf(&out, "does not continue: the next stop of session %s ends the turn (%s: %s)\n", r.Session, r.Rule, oneLine(r.Detail))
	}
	if r.Remedy != "" {
		line("mend", "%s", r.Remedy)
	}
	for _, m := range r.Modes {
		m.lines(line, r.now)
	}
	if r.Hook.Seen {
		line("hook", "seen %s (%s, build %s)", ago(r.Hook.At, r.now), r.Hook.Event, r.Hook.Build)
	} else {
		line("hook", "never seen in this session: is the plugin on, and are hooks allowed?")
	}
	if s := r.LastStop; s != nil {
		line("last stop", "%s: %s by rule %s (%s)", ago(s.At, r.now), s.Action, s.Rule, s.Detail)
	} else {
		line("last stop", "none seen in this session")
	}
	for _, path := range r.Flat {
		line("ignored", "%s: a state outside a session's directory is never read", path)
	}
	if r.Hook.Seen && r.Hook.Build != r.Build {
		line("builds", "the hook is build %s, this command build %s", r.Hook.Build, r.Build)
	}
	if r.ShadowedBy != "" {
		line("shadowed", "%s comes first on PATH and hides the plugin's own omc-hook; remove it", r.ShadowedBy)
	}
	line("root", "%s (found by %s)", r.Root, r.FoundBy)
	return out.String()
}

func (m modeReport) lines(line func(label, format string, args ...any), now time.Time) {
	if m.Fault != "" {
		line(m.Mode, "unusable: %s", m.Fault)
		line("state file", "%s", m.File)
		return
	}
	word := "inactive"
	switch {
	case m.Outcome != "":
		word = "ended: " + m.Outcome
	case m.AdoptedBy != "":
		word = "taken over by session " + m.AdoptedBy
	case m.Paused != "":
		word = "paused: " + m.Paused
	case m.Active:
		word = "active"
	}
	line(m.Mode, "%s, run %s, authority %s", word, orText(m.Run, "without an id"), m.Authority)
	if m.Planned > 0 {
		line("round", "%d of %d %s", min(m.Round, m.Planned), m.Planned, bar(m.Round-1, m.Planned))
	}
	line("nudges", "%d of %d used since the last record; %d of %d continuations since the last start or resume", m.Nudges, m.Lease, m.Continuations, m.Cap)
	if m.Counters != nil {
		line("counters", "without progress %d of %d, failures %d of %d",
			m.Counters.NoProgress, m.Limits.NoProgress, m.Counters.Failures, m.Limits.Failures)
	}
	fresh := "fresh"
	if !m.Fresh {
		fresh = "not fresh"
	}
	line("touched", "%s, %s", ago(m.Touched, now), fresh)
	if m.Deadline != nil {
		line("minutes", "until %s", m.Deadline.UTC().Format(time.RFC3339))
	}
	if m.Next != "" {
		line("next", "%s", m.Next)
	}
	line("state file", "%s", m.File)
	if m.StateDir != "" {
		line("work", "%s/%s", m.StateDir, goal.WorklogFile)
	}
}

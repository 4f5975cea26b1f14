package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop/goal"
)

// goal looks at the records of one state directory, and at what the mode states
// say of them.
func (l *linter) goal(dir string) {
	folder, err := openFolder(l.store, l.loc.Root, dir)
	if err != nil {
		l.add(dir, 1, err.Error(), "end the run with omc-hook cancel and start with another --state-dir=PATH")
		return
	}
	files, err := readGoal(folder)
	if err != nil {
		repair := "restore the file from version control or a backup"
		var h hinted
		if errors.As(err, &h) {
			repair = h.hint
		}
		l.add(folder.Path, 1, err.Error(), repair)
		return
	}
	if files.exists {
		l.read += 2
		l.records(files)
		l.beside(files.folder.Path, files.beside)
	}
	for _, t := range l.works {
		if t.mode == goal.Mode && filepath.Clean(t.view.StateDir) == filepath.Clean(dir) {
			l.owner(t, files)
		}
	}
}

// records looks at both files by themselves, so that each fault is named with
// the file that it stands in.
func (l *linter) records(files *goalFiles) {
	goals, worklog := filepath.Join(files.folder.Path, goal.GoalFile), filepath.Join(files.folder.Path, goal.WorklogFile)
	_, inGoals := goal.Fold(files.goals, ledger.File{})
	_, inWorklog := goal.Fold(ledger.File{}, files.worklog)
	for _, f := range append(append(inGoals, files.goals.Faults...), goalSegments(files)...) {
		l.faults = append(l.faults, lintFault{goals, f})
	}
	if f, changed := goal.ChangedGoal(files.goals, files.run); changed {
		l.faults = append(l.faults, lintFault{goals, f})
	}
	if files.run.Segment == 0 {
		l.add(worklog, 1, "it holds no segment that can be read", "restore it from version control or a backup")
	}
	for _, f := range append(inWorklog, files.worklog.Faults...) {
		l.faults = append(l.faults, lintFault{worklog, f})
	}
}

// beside looks at the questions and the asks.
func (l *linter) beside(dir string, b beside) {
	for _, file := range []besideFile{b.questionsFile, b.asksFile} {
		if file.there {
			l.read++
		}
		for _, f := range file.faults {
			l.faults = append(l.faults, lintFault{filepath.Join(dir, file.name), f})
		}
	}
}

// goalSegments checks that each goal was given in a segment of the worklog and
// not before the goal above it.
func goalSegments(files *goalFiles) []ledger.Fault {
	var faults []ledger.Fault
	last := int64(1)
	for i, r := range files.goals.Records {
		var text goal.GoalText
		if json.Unmarshal(r.Body, &text) != nil {
			continue
		}
		what := ""
		switch {
		case text.Format != goal.Format:
			what = fmt.Sprintf("record %d: state format %d, this build reads %d", r.Seq, text.Format, goal.Format)
		case text.Segment < last || text.Segment > files.run.Segment || i == 0 && text.Segment != 1:
			what = fmt.Sprintf("record %d: it is of segment %d, and the worklog is in segment %d", r.Seq, text.Segment, files.run.Segment)
		}
		if what != "" {
			faults = append(faults, ledger.Fault{Line: r.Line, What: what, Repair: "restore the record from version control or a backup"})
		}
		last = max(last, text.Segment)
	}
	return faults
}

// owner compares the mode state of the loop that works on the records with
// them. An inactive state is left as it was when its session ended.
func (l *linter) owner(t target, files *goalFiles) {
	v := t.view
	if !v.Active || v.Outcome != "" {
		return
	}
	cancel := "omc-hook cancel --session=" + t.loc.Session + " ends the loop; its files are kept"
	fault := func(field, what, repair string) {
		l.add(t.file(), lineOf(v.Raw, `"`+field+`"`), what, repair)
	}
	run := files.run
	switch {
	case !files.exists:
		fault("state_dir", "the records of its run are gone", cancel)
		return
	case run.Owner.RunID != v.RunID:
		fault("run_id", fmt.Sprintf("its records are of run %s", oneLine(run.Owner.RunID)), cancel)
		return
	case run.Owner.SessionID != v.SessionID:
		fault("session_id", fmt.Sprintf("its run is worked on by session %s", oneLine(run.Owner.SessionID)), cancel)
	}
	if v.Rounds != run.Counters.Iteration {
		fault("rounds", fmt.Sprintf("it counts %d rounds where the worklog holds %d", v.Rounds, run.Counters.Iteration),
			"the worklog counts; the next omc-hook goal record sets it right")
	}
	if v.Planned != run.Limits.MaxIterations {
		fault("planned_iterations", fmt.Sprintf("it plans %d rounds where the worklog plans %d", v.Planned, run.Limits.MaxIterations),
			"the worklog counts; /goal-loop extend N sets both")
	}
	if a, err := approvedFor(t); err == nil && !slices.Equal(a.Commands, run.Verify.Commands) {
		fault("run_id", "the commands in its records are not those that the person approved for it", "the person types /goal-loop approve")
	}
	if excerpt := goal.Excerpt(run.Goal); v.Prompt != excerpt {
		fault("prompt", "it was started with another goal than "+goal.GoalFile+" holds", "restore "+goal.GoalFile+" from version control or a backup")
	}
	l.tail(t, files)
}

// tail finds what only the mode state shows: a record that was cut off, or a
// last one that was changed, breaks no chain.
func (l *linter) tail(t target, files *goalFiles) {
	known := t.view.Ledger
	records := files.worklog.Records
	what, line := "", 1
	switch n := int64(len(records)); {
	case n < known.Records:
		what = fmt.Sprintf("it holds %d records where %d were written", n, known.Records)
	case known.Records > 0 && known.Head != "" && records[known.Records-1].Digest() != known.Head:
		what = fmt.Sprintf("record %d was changed after it was written", known.Records)
	default:
		return
	}
	if n := min(len(records), int(known.Records)); n > 0 {
		line = records[n-1].Line
	}
	l.add(filepath.Join(files.folder.Path, goal.WorklogFile), line, what, "restore it from version control or a backup")
}

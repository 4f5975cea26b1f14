package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/state"
)

// goalFiles is the state directory of a goal-loop with everything read from it.
type goalFiles struct {
	folder         state.Folder
	goals, worklog ledger.File
	run            goal.Run
	// faults are all that is wrong; foldFaults those of whole records that
	// contradict each other.
	faults, foldFaults []ledger.Fault
	// beside are the questions and the asks.
	beside beside
	exists bool
}

// openGoal opens a goal's state directory under its lock, finishes what a kill
// left half done, and reads it. The caller calls unlock.
func openGoal(store state.Store, root, dir string, until time.Time, create bool) (*goalFiles, func() error, error) {
	folder, err := openFolder(store, root, dir)
	if err != nil {
		return nil, nil, err
	}
	if create {
		if err := folder.Create(); err != nil {
			return nil, nil, err
		}
	}
	unlock, err := folder.Lock(until)
	if err != nil {
		return nil, nil, fmt.Errorf("lock %s: %w", folder.Path, err)
	}
	if err := folder.Recover(); err != nil {
		return nil, nil, errors.Join(err, unlock())
	}
	files, err := readGoal(folder)
	if err == nil {
		err = files.mayChange(dir)
	}
	if err == nil {
		err = files.mend()
	}
	if err != nil {
		return nil, nil, errors.Join(err, unlock())
	}
	return files, unlock, nil
}

// readGoal reads both files. One without the other is an error that keeps it.
func readGoal(folder state.Folder) (*goalFiles, error) {
	f := &goalFiles{folder: folder}
	goals, errGoals := folder.Read(goal.GoalFile, ledger.MaxBytes)
	worklog, errWorklog := folder.Read(goal.WorklogFile, ledger.MaxBytes)
	noGoals, noWorklog := errors.Is(errGoals, fs.ErrNotExist), errors.Is(errWorklog, fs.ErrNotExist)
	switch {
	case noGoals && noWorklog:
		return f, nil
	case noGoals || noWorklog:
		there, gone := goal.GoalFile, goal.WorklogFile
		if noGoals {
			there, gone = gone, there
		}
		return nil, hinted{
			fmt.Errorf("ERROR: %s is there and %s is not; it is kept as it is", filepath.Join(folder.Path, there), gone),
			"restore " + gone + ", move " + there + " away, or use another --state-dir=PATH",
		}
	case errGoals != nil:
		return nil, errGoals
	case errWorklog != nil:
		return nil, errWorklog
	}
	f.exists = true
	var err error
	if f.goals, err = ledger.Parse(goals); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(folder.Path, goal.GoalFile), err)
	}
	if f.worklog, err = ledger.Parse(worklog); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(folder.Path, goal.WorklogFile), err)
	}
	f.faults = append(append(f.faults, f.goals.Faults...), f.worklog.Faults...)
	run, faults := goal.Fold(f.goals, f.worklog)
	f.run, f.foldFaults, f.faults = run, faults, append(f.faults, faults...)
	f.beside = readBeside(folder, run)
	return f, nil
}

// mend moves a half last record aside, so that the next one can be appended.
func (f *goalFiles) mend() error {
	torn := false
	for name, file := range map[string]*ledger.File{
		goal.GoalFile: &f.goals, goal.WorklogFile: &f.worklog,
		goal.QuestionsFile: &f.beside.questionsFile.file, goal.AsksFile: &f.beside.asksFile.file,
	} {
		if !file.Torn {
			continue
		}
		torn = true
		if err := f.folder.Quarantine(name, int64(file.Whole)); err != nil {
			return fmt.Errorf("move the half last record of %s aside: %w", name, err)
		}
	}
	if torn {
		return f.reread()
	}
	return nil
}

// broken says in a phrase what is wrong with the records, "" for nothing. A
// half last record is no fault of the work: it was never acknowledged.
func (f *goalFiles) broken(known int64, head string) string {
	switch {
	case len(f.faults) > 0:
		return fmt.Sprintf("%s (%s); omc-hook goal show --lint lists them", f.faults[0].What, count(len(f.faults), "fault"))
	case int64(len(f.worklog.Records)) < known:
		return fmt.Sprintf("the worklog holds %d records where %d were written", len(f.worklog.Records), known)
	case known > 0 && head != "" && f.worklog.Records[known-1].Digest() != head:
		return fmt.Sprintf("record %d was changed after it was written", known)
	}
	if aside := f.beside.faults(); len(aside) > 0 {
		return fmt.Sprintf("%s (%s); omc-hook lint lists them", aside[0].What, count(len(aside), "fault"))
	}
	return ""
}

// append puts the drafts on disk, the goal before the worklog, and takes them
// into the files that were read.
func (f *goalFiles) append(drafts []goal.Draft, now time.Time) error {
	for _, name := range []string{goal.GoalFile, goal.WorklogFile} {
		mine := draftsOf(drafts, name)
		if len(mine) == 0 {
			continue
		}
		text, err := goal.Append(*f.file(name), mine, now)
		if err != nil {
			return err
		}
		if len(mine) == 1 {
			err = f.folder.Append(name, text)
		} else {
			err = f.extend(name, text)
		}
		if err != nil {
			return fmt.Errorf("append to %s: %w", name, err)
		}
	}
	return f.reread()
}

// extend appends records that belong together in one step: of an append, a power
// cut could leave the first ones, which say something else alone.
func (f *goalFiles) extend(name string, text []byte) error {
	old, err := f.folder.Read(name, ledger.MaxBytes)
	if err != nil {
		return err
	}
	return f.folder.Replace(name, append(old, text...))
}

// create makes both files at once.
func (f *goalFiles) create(drafts []goal.Draft, now time.Time) error {
	set := map[string][]byte{}
	for _, name := range []string{goal.GoalFile, goal.WorklogFile} {
		text, err := goal.Append(ledger.File{}, draftsOf(drafts, name), now)
		if err != nil {
			return err
		}
		set[name] = append([]byte(goal.Title(name)), text...)
	}
	if err := f.folder.CreateSet(set); err != nil {
		return fmt.Errorf("create the files of the goal: %w", err)
	}
	return f.reread()
}

// reread takes what is on disk now.
func (f *goalFiles) reread() error {
	fresh, err := readGoal(f.folder)
	if err != nil {
		return err
	}
	*f = *fresh
	return nil
}

func (f *goalFiles) file(name string) *ledger.File {
	if name == goal.GoalFile {
		return &f.goals
	}
	return &f.worklog
}

func draftsOf(drafts []goal.Draft, file string) []goal.Draft {
	var mine []goal.Draft
	for _, d := range drafts {
		if d.File == file {
			mine = append(mine, d)
		}
	}
	return mine
}

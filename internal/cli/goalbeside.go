package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// besideFile is an append-only file beside the worklog, which is there only when
// it was needed.
type besideFile struct {
	name  string
	file  ledger.File
	there bool
	// unreadable says why nothing of it can be read; nothing is appended then.
	unreadable error
	// faults are all that is wrong in it. They bar SUCCESS, never a record.
	faults []ledger.Fault
}

// beside is what stands beside the worklog.
type beside struct {
	questionsFile, asksFile besideFile
	questions               goal.Questions
	asks                    goal.Asks
}

// readBeside reads the questions and the asks of a run.
func readBeside(folder state.Folder, run goal.Run) beside {
	b := beside{questionsFile: readBesideFile(folder, goal.QuestionsFile), asksFile: readBesideFile(folder, goal.AsksFile)}
	var faults []ledger.Fault
	b.questions, faults = goal.FoldQuestions(b.questionsFile.file)
	b.questionsFile.check(append(faults, goal.Ahead(b.questionsFile.file, run)...), run.Marks.Questions)
	b.asks, faults = goal.FoldAsks(b.asksFile.file)
	b.asksFile.check(append(faults, goal.Ahead(b.asksFile.file, run)...), run.Marks.Asks)
	return b
}

func readBesideFile(folder state.Folder, name string) besideFile {
	b := besideFile{name: name}
	data, err := folder.Read(name, ledger.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return b
	}
	b.there = true
	if err == nil {
		b.file, err = ledger.Parse(data)
	}
	if err != nil {
		b.unreadable = fmt.Errorf("read %s: %w", filepath.Join(folder.Path, name), err)
	}
	return b
}

// check collects what is wrong: within the records, and against the mark that
// the worklog holds.
func (b *besideFile) check(folded []ledger.Fault, known goal.Mark) {
	const restore = "restore the file from version control or a backup"
	if b.unreadable != nil {
		b.faults = []ledger.Fault{{Line: 1, What: b.unreadable.Error(), Repair: restore}}
		return
	}
	b.faults = append(append(b.faults, b.file.Faults...), folded...)
	if fault, wrong := known.Fault(b.file); wrong {
		b.faults = append(b.faults, fault)
	}
}

// faults lists what is wrong in both files, with the name of the file.
func (b beside) faults() []ledger.Fault {
	var all []ledger.Fault
	for _, file := range []besideFile{b.questionsFile, b.asksFile} {
		for _, f := range file.faults {
			f.What = file.name + ": " + f.What
			all = append(all, f)
		}
	}
	return all
}

// pending is what both files bar.
func (b beside) pending() goal.Pending {
	return goal.Pending{Questions: b.questions, Asks: b.asks, Marks: goal.MarksOf(b.questionsFile.file, b.asksFile.file)}
}

// appendBeside puts drafts of one file on disk, and makes the file where it is
// not there.
func (f *goalFiles) appendBeside(b besideFile, drafts []goal.Draft, now time.Time) error {
	if b.unreadable != nil {
		return hinted{b.unreadable, "restore the file from version control or a backup, or move it away"}
	}
	text, err := goal.Append(b.file, drafts, now)
	if err != nil {
		return err
	}
	if b.there {
		err = f.folder.Append(b.name, text)
	} else {
		err = f.folder.CreateSet(map[string][]byte{b.name: append([]byte(goal.Title(b.name)), text...)})
	}
	if err != nil {
		return fmt.Errorf("append to %s: %w", b.name, err)
	}
	return f.reread()
}

// nextAction is the next action of the run as the mode state holds it.
func (f *goalFiles) nextAction(now time.Time) string {
	return f.beside.questions.NextAction(f.run, now)
}

// besideCommand is a command of the model that takes one form into a file beside
// the worklog.
type besideCommand struct {
	template string
	// keep reads the form and says which file the drafts go to.
	keep func(data []byte, files *goalFiles, now time.Time) (besideFile, []goal.Draft, error)
	// say tells what is on record now; there are no drafts where it was before.
	say func(c *call, files *goalFiles, drafts []goal.Draft, now time.Time) error
}

// keepBeside runs such a command: state directory first, then the record, then
// the session's state.
func (c *call) keepBeside(b besideCommand) error {
	if c.has("template") {
		_, err := io.WriteString(c.Stdout, b.template)
		return err
	}
	data, err := c.readStdin(goal.MaxEntryBytes)
	if err != nil {
		return err
	}
	t, err := c.find()
	if err != nil {
		return err
	}
	if t.mode != goal.Mode {
		return fmt.Errorf("the active loop is %s", t.mode)
	}
	files, unlock, err := openGoal(t.store, t.loc.Root, t.view.StateDir, c.Now().Add(lockWait), false)
	if errors.Is(err, fs.ErrNotExist) {
		return t.gone(folderPath(t.loc.Root, t.view.StateDir))
	}
	if err != nil {
		return err
	}
	return errors.Join(c.keepBesideLocked(t, files, data, b), unlock())
}

func (c *call) keepBesideLocked(t target, files *goalFiles, data []byte, b besideCommand) error {
	now := c.Now()
	if err := t.owns(files); err != nil {
		return err
	}
	file, drafts, err := b.keep(data, files, now)
	if err != nil {
		return refusal(err)
	}
	if len(drafts) > 0 {
		if err := files.appendBeside(file, drafts, now); err != nil {
			return err
		}
	}
	if next := files.nextAction(now); next != t.view.NextAction {
		err := t.change(c.Env, func(loop.View) ([]modestate.Change, error) {
			return []modestate.Change{modestate.SetText("next_action", next)}, nil
		})
		if err != nil {
			return err
		}
	}
	return b.say(c, files, drafts, now)
}

// owns refuses files that are gone, or of another run than the mode state's.
func (t target) owns(files *goalFiles) error {
	if !files.exists {
		return t.gone(files.folder.Path)
	}
	if files.run.Owner.RunID != t.view.RunID {
		return hinted{fmt.Errorf("%s is of run %s by now", files.folder.Path, oneLine(files.run.Owner.RunID)), "omc-hook status shows this session's run"}
	}
	return nil
}

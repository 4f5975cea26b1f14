package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
)

// readStdin reads what a command is given, bounded.
func (c *call) readStdin(most int) ([]byte, error) {
	if !c.has("stdin") {
		return nil, hinted{errors.New("the text comes on standard input"), "omc-hook " + c.command.words + " --stdin <<'EOF'"}
	}
	data, err := io.ReadAll(io.LimitReader(c.Stdin, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if len(data) > most {
		return nil, fmt.Errorf("standard input is longer than %d KiB", most>>10)
	}
	return data, nil
}

// goalRecord records one round, and ends the run when a stop state holds.
func goalRecord(c *call) error {
	if c.has("template") {
		_, err := io.WriteString(c.Stdout, goal.Template())
		return err
	}
	data, err := c.readStdin(goal.MaxEntryBytes)
	if err != nil {
		return err
	}
	entry, err := goal.ParseEntry(data)
	if err != nil {
		return hinted{err, "omc-hook goal record --template prints an empty record"}
	}
	evidence, err := c.evidence(entry.Decision == string(loop.Success))
	if err != nil {
		return err
	}
	return c.bookkeep(func(t target, files *goalFiles) (goal.Signal, bool) {
		if recordedAlready(t, files, entry) {
			return nil, false
		}
		return goal.Record{Entry: entry, Stops: t.view.Used, Broken: files.broken(t.view.Ledger.Records, t.view.Ledger.Head), Pending: files.beside.pending(), Evidence: evidence}, true
	})
}

// recordedAlready holds when the round is on record but the process that wrote
// it was killed before it could say so.
func recordedAlready(t target, files *goalFiles, entry goal.Entry) bool {
	return int64(len(files.worklog.Records)) > t.view.Ledger.Records && files.run.Last != nil &&
		files.run.Counters.Iteration > t.view.Rounds && reflect.DeepEqual(files.run.Last.Entry, entry)
}

// goalFinish ends the run on the evidence of its last round.
func goalFinish(c *call) error {
	if len(c.args) != 1 {
		return hinted{errors.New("name the outcome: SUCCESS, BLOCKED or ERROR"), "omc-hook goal finish SUCCESS --stdin <<'EOF'"}
	}
	data, err := c.readStdin(goal.MaxEntryBytes)
	if err != nil {
		return err
	}
	entry, err := goal.ParseEntry(data)
	if err != nil {
		return hinted{err, "omc-hook goal record --template prints the fields"}
	}
	outcome := loop.Outcome(c.args[0])
	evidence, err := c.evidence(outcome == loop.Success)
	if err != nil {
		return err
	}
	return c.bookkeep(func(t target, files *goalFiles) (goal.Signal, bool) {
		if files.run.Outcome == outcome {
			return nil, false
		}
		return goal.Finish{Outcome: outcome, Entry: entry, Broken: files.broken(t.view.Ledger.Records, t.view.Ledger.Head), Pending: files.beside.pending(), Evidence: evidence}, true
	})
}

// bookkeep takes one signal of the model: it locks the state directory, appends
// the records, moves the mode state, and says what was done.
func (c *call) bookkeep(signal func(t target, files *goalFiles) (goal.Signal, bool)) error {
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
	err = c.bookkeepLocked(t, files, signal)
	return errors.Join(err, unlock())
}

// gone refuses a signal for a run whose files somebody removed.
func (t target) gone(folder string) error {
	return hinted{fmt.Errorf("the state directory %s of run %s is gone", folder, oneLine(t.view.RunID)), "omc-hook cancel ends the run; the person starts a new one"}
}

func (c *call) bookkeepLocked(t target, files *goalFiles, signal func(target, *goalFiles) (goal.Signal, bool)) error {
	now := c.Now()
	if err := t.owns(files); err != nil {
		return err
	}
	var refused error
	if s, fresh := signal(t, files); fresh {
		_, drafts, err := goal.Step(files.run, s, now)
		switch {
		case err == nil:
			err = files.append(drafts, now)
		case files.run.Outcome != "":
			// The run has ended on record and the mode state does not know it: the
			// process that ended it was killed in between.
			refused, err = refusal(err), nil
		}
		if err != nil {
			return refusal(err)
		}
	}
	if err := c.follow(t, files.run, files, now); err != nil {
		return err
	}
	if files.run.Outcome != "" && !files.run.Closed {
		if err := c.close(t, files, now); err != nil {
			return err
		}
	}
	if refused != nil {
		return refused
	}
	return c.sayRecorded(t, files, now)
}

// follow moves the mode state after the records: a new lease, or the outcome.
// An outcome that stands there already, a cancellation, is kept.
func (c *call) follow(t target, run goal.Run, files *goalFiles, now time.Time) error {
	return t.change(c.Env, func(v loop.View) ([]modestate.Change, error) {
		changes := []modestate.Change{
			modestate.SetCount("rounds", run.Counters.Iteration),
			modestate.SetCount("lease", v.Lease+1),
			modestate.SetCount("iteration", 0),
			modestate.SetHighWater(modestate.HighWater{Lease: v.Lease + 1}),
			modestate.SetText("next_action", files.nextAction(now)),
			modestate.SetSame(modestate.Same{}),
			modestate.SetTime("updated_at", now),
			modestate.SetLedger(modestate.Ledger{Records: int64(len(files.worklog.Records)), Head: files.worklog.Head()}),
		}
		// The new lease ends the pause that the want of a record brought.
		if v.Paused.Cause == loop.PausedLease || v.Paused.Cause == loop.PausedMinimal {
			changes = append(changes, modestate.SetPause(modestate.Pause{}))
		}
		if planned := run.Limits.MaxIterations; v.Planned != planned {
			// An extension was broken off after its record.
			changes = append(changes, modestate.SetCount("planned_iterations", planned), modestate.SetCount("max_iterations", loop.LeaseFor(planned)))
		}
		if v.Outcome == "" && run.Outcome != "" {
			changes = append(changes, modestate.SetText("outcome", string(run.Outcome)), modestate.SetBool("active", false))
		}
		return changes, nil
	})
}

// close reads the mode state back and records that persistence was cleared.
func (c *call) close(t target, files *goalFiles, now time.Time) error {
	v, fault := readMode(t.store.Read(t.loc, []string{decide.StateFile(t.mode)}), t.mode)
	if fault != "" || v.Active {
		return fmt.Errorf("%s still reads active after the end (%s)", t.file(), fault)
	}
	return recordClosed(files, v.Outcome, now)
}

// recorded is the answer to a record.
type recorded struct {
	Run       string        `json:"run"`
	Segment   int64         `json:"segment"`
	Round     int64         `json:"round"`
	Counters  goal.Counters `json:"counters"`
	Limits    goal.Limits   `json:"limits"`
	Outcome   loop.Outcome  `json:"outcome"`
	Next      string        `json:"next_action"`
	StateFile string        `json:"state_file"`
	PassDue   string        `json:"pass_due,omitempty"`
}

func (c *call) sayRecorded(t target, files *goalFiles, now time.Time) error {
	run := files.run
	r := recorded{
		Run: run.Owner.RunID, Segment: run.Segment, Round: run.Counters.Iteration, Counters: run.Counters, Limits: run.Limits,
		Outcome: run.Outcome, Next: run.Next, StateFile: t.file(),
	}
	if r.Outcome == "" {
		r.PassDue = files.beside.questions.PassDue(run, now)
	}
	if c.json() {
		return c.writeJSON(r)
	}
	fmt.Fprintf(c.Stdout, "recorded: round %d of %d, without progress %d of %d, failures %d of %d\n",
		r.Round, r.Limits.MaxIterations, r.Counters.NoProgress, r.Limits.NoProgress, r.Counters.Failures, r.Limits.Failures)
	c.sayPassDue(r.PassDue)
	if r.Outcome == "" {
		fmt.Fprintf(c.Stdout, "the loop goes on; next: %s\n", oneLine(r.Next))
		return nil
	}
	fmt.Fprintf(c.Stdout, "the loop has ended: %s. Tell the person the state, the evidence and what is left; %s resumes.\nnext: %s\n",
		r.Outcome, goal.ResumeCommand(r.Outcome, run.Owner.StateDir), oneLine(r.Next))
	return nil
}

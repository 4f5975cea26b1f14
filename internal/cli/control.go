package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// cancelReason stands in the terminal entry of a cancelled run.
const cancelReason = "the person cancelled the loop"

// cancelTarget ends a loop: the outcome and active false in one write, read
// back, then the terminal entry where the worklog is free. It never waits for a
// workflow's lock; what is not on record yet is recorded at the next start.
func cancelTarget(c Env, t target) error {
	now := c.Now()
	err := t.change(c, func(v loop.View) ([]modestate.Change, error) {
		if v.Outcome != "" {
			return nil, nil
		}
		return []modestate.Change{
			modestate.SetText("outcome", string(loop.Cancelled)), modestate.SetBool("active", false), modestate.SetTime("updated_at", now),
		}, nil
	})
	if err != nil {
		return fmt.Errorf("cancel %s of session %s: %w", t.mode, t.loc.Session, err)
	}
	if v, fault := readMode(t.store.Read(t.loc, decide.StateFiles()), t.mode); fault == "" && v.Active && v.RunID == t.view.RunID {
		return fmt.Errorf("%s still reads active after the cancel", t.file())
	}
	if t.mode == goal.Mode {
		recordCancelled(c, t, now)
	}
	return nil
}

// recordCancelled appends the terminal entry if nobody holds the worklog. An
// error is none of the cancel's: the loop has ended, and the next start repairs.
func recordCancelled(c Env, t target, now time.Time) {
	files, unlock, err := openGoal(t.store, t.loc.Root, t.view.StateDir, now, false)
	if err != nil {
		return
	}
	defer func() { _ = unlock() }()
	if files.exists && files.run.Owner.RunID == t.view.RunID && files.run.Outcome == "" {
		_ = recordCancel(files, now)
	}
}

// pauseTarget pauses a loop until the person resumes it.
func pauseTarget(c Env, t target) error {
	return t.change(c, func(loop.View) ([]modestate.Change, error) {
		return []modestate.Change{modestate.SetPause(modestate.Pause{Cause: loop.PausedByPerson})}, nil
	})
}

// resumeTarget ends every pause and opens a new lease, with the continuations of
// the run and its minutes counted anew. The authority is looked at again.
func resumeTarget(c Env, t target, who string) error {
	now := c.Now()
	return t.change(c, func(v loop.View) ([]modestate.Change, error) {
		changes := append(newLease(v, now), modestate.SetCount("continuations", 0), modestate.SetText("authority", who))
		if v.MaxMinutes > 0 {
			changes = append(changes, modestate.SetTime("deadline", now.Add(time.Duration(v.MaxMinutes)*time.Minute)))
		}
		return changes, nil
	})
}

// newLease ends the pause and starts the stops of the lease anew.
func newLease(v loop.View, now time.Time) []modestate.Change {
	return []modestate.Change{
		modestate.SetPause(modestate.Pause{}),
		modestate.SetCount("iteration", 0),
		modestate.SetCount("lease", v.Lease+1),
		modestate.SetHighWater(modestate.HighWater{Lease: v.Lease + 1}),
		modestate.SetSame(modestate.Same{}),
		modestate.SetText("told", ""),
		modestate.SetTime("background_since", time.Time{}),
		modestate.SetTime("updated_at", now),
	}
}

// extendTarget plans n more rounds, in the records and in the mode state.
func extendTarget(c Env, t target, n int64) error {
	now := c.Now()
	files, unlock, err := openGoal(t.store, t.loc.Root, t.view.StateDir, now.Add(lockWait), false)
	if err != nil {
		return err
	}
	return errors.Join(extendLocked(c, t, files, n, now), unlock())
}

func extendLocked(c Env, t target, files *goalFiles, n int64, now time.Time) error {
	if files.run.Owner.RunID != t.view.RunID {
		return fmt.Errorf("%s is of run %s by now", files.folder.Path, oneLine(files.run.Owner.RunID))
	}
	v, fault := readMode(t.store.Read(t.loc, []string{decide.StateFile(t.mode)}), t.mode)
	if fault != "" {
		return fmt.Errorf("%s: %s", t.file(), fault)
	}
	// The plan of the mode state is the one that people were told. That of the
	// records is larger where an extension was broken off.
	total, err := goal.PositiveNumber(fmt.Sprint(v.Planned + n))
	if err != nil {
		return fmt.Errorf("extend by %d: the plan %w", n, err)
	}
	in := goal.Invocation{Limits: goal.Limits{MaxIterations: total}}
	run, drafts, err := goal.Step(files.run, goal.Start{Invocation: in, Owner: files.run.Owner, Why: "the person extended the plan"}, now)
	if err != nil {
		return refusal(err)
	}
	if err := files.append(drafts, now); err != nil {
		return err
	}
	return t.change(c, func(v loop.View) ([]modestate.Change, error) {
		return append(newLease(v, now),
			modestate.SetCount("planned_iterations", run.Limits.MaxIterations),
			modestate.SetCount("max_iterations", loop.LeaseFor(run.Limits.MaxIterations)),
			modestate.SetLedger(modestate.Ledger{Records: int64(len(files.worklog.Records)), Head: files.worklog.Head()}),
		), nil
	})
}

// cancelCommand is `omc-hook cancel`.
func cancelCommand(c *call) error {
	list, err := c.toCancel()
	if err != nil {
		return err
	}
	var ended []string
	for _, t := range list {
		if err := cancelTarget(c.Env, t); err != nil {
			return err
		}
		ended = append(ended, t.file())
	}
	moved, err := c.archiveBroken()
	if err != nil {
		return err
	}
	if c.json() {
		return c.writeJSON(struct {
			Cancelled []string `json:"cancelled"`
			Moved     []string `json:"unreadable_archived"`
		}{append([]string{}, ended...), append([]string{}, moved...)})
	}
	for _, path := range moved {
		fmt.Fprintf(c.Stdout, "moved to the archive, since it cannot be read: %s\n", path)
	}
	if len(ended)+len(moved) == 0 {
		fmt.Fprintln(c.Stdout, "nothing is active")
		return nil
	}
	for _, path := range ended {
		fmt.Fprintf(c.Stdout, "cancelled: %s\n", path)
	}
	fmt.Fprintf(c.Stdout, "%s ended; the files of the work are kept\n", count(len(ended), "loop"))
	return nil
}

// archiveBroken moves states of the session whose bytes are no mode state into
// the archive, so that they no longer stand in the way.
func (c *call) archiveBroken() ([]string, error) {
	store, loc, err := c.locate()
	if err != nil {
		return nil, err
	}
	sessions := []string{loc.Session}
	if loc.Session == "" {
		if sessions, err = store.Sessions(loc); err != nil {
			return nil, err
		}
	}
	var moved []string
	for _, id := range sessions {
		more, err := archiveBrokenOf(c.Env, store, at(loc, id))
		moved = append(moved, more...)
		if err != nil {
			return moved, err
		}
	}
	return moved, nil
}

func archiveBrokenOf(env Env, store state.Store, loc state.Location) ([]string, error) {
	var moved []string
	for _, mode := range decide.Modes() {
		name := decide.StateFile(mode)
		err := store.Update(loc, env.Now().Add(lockWait), []string{name}, func(snapshot modestate.Snapshot) (state.Edit, error) {
			file, there := snapshot[name]
			if !there || file.Fault != "" {
				return state.Edit{}, nil
			}
			if _, err := modestate.Parse(file.Data); err == nil || errors.Is(err, modestate.ErrNewer) {
				return state.Edit{}, nil
			}
			moved = append(moved, filepath.Join(loc.Dir, name))
			return state.Edit{Name: name, Archive: true}, nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return moved, err
		}
	}
	return moved, nil
}

// toCancel is the loop of the session, else the only one of the repository, or
// all of them with --all.
func (c *call) toCancel() ([]target, error) {
	store, loc, err := c.locate()
	if err != nil {
		return nil, err
	}
	if loc.Session != "" && !c.has("all") {
		list, err := readLoops(store, loc)
		return list, errors.Join(err, c.elsewhere(store, loc))
	}
	all, err := repositoryLoops(store, loc)
	if err != nil || c.has("all") || len(all) < 2 {
		return all, err
	}
	return nil, hinted{fmt.Errorf("%d loops are active: %s", len(all), names(all)), "name one with --session=ID, or give --all"}
}

// elsewhere refuses a cancel that would miss the state which the hook reads: the
// session's pointer names the root, and OMC_STATE_DIR of this shell may not be
// that of the client.
func (c *call) elsewhere(store state.Store, loc state.Location) error {
	if len(loops(store, loc)) > 0 || c.Getenv("OMC_STATE_DIR") == "" {
		return nil
	}
	other := store
	other.Place.StateDir = ""
	there, err := other.Locate(loc.Session)
	if err != nil {
		return nil
	}
	if list := loops(other, there); len(list) > 0 {
		return hinted{fmt.Errorf("OMC_STATE_DIR is set here, but the active loop lies at %s", list[0].file()), "unset OMC_STATE_DIR, then cancel again"}
	}
	return nil
}

// maxWait bounds a declared wait.
const maxWait = 24 * time.Hour

// waitCommand declares that the model waits for a background shell.
func waitCommand(c *call) error {
	if len(c.args) != 1 || c.flags["for"] == "" {
		return hinted{errors.New("name the task and how long"), "omc-hook wait ID --for 30m"}
	}
	span, err := time.ParseDuration(c.flags["for"])
	if err != nil || span <= 0 || span > maxWait {
		return fmt.Errorf("--for wants a time from 1s to %s, not %q", maxWait, oneLine(c.flags["for"]))
	}
	t, err := c.find()
	if err != nil {
		return err
	}
	until := c.Now().Add(span).UTC()
	err = t.change(c.Env, func(v loop.View) ([]modestate.Change, error) {
		var keep []modestate.Wait
		for _, w := range v.Waits {
			if w.ID != c.args[0] && w.Until.After(c.Now()) {
				keep = append(keep, w)
			}
		}
		return []modestate.Change{modestate.SetWaits(append(keep, modestate.Wait{ID: c.args[0], Until: until}))}, nil
	})
	if err != nil {
		return err
	}
	if c.json() {
		return c.writeJSON(struct {
			ID    string    `json:"id"`
			Until time.Time `json:"until"`
		}{c.args[0], until})
	}
	fmt.Fprintf(c.Stdout, "a stop waits for task %s until %s, while it runs\n", oneLine(c.args[0]), until.Format(time.RFC3339))
	return nil
}

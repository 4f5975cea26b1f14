package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/disk"
	"omc-hook/internal/gitrun"
	"omc-hook/internal/ladder"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/plain"
	"omc-hook/internal/state"
)

// Where the outputs lie below the state directory, and how many are kept.
const (
	verifyFolder = "verify"
	keptLogs     = 20
)

// Times of a verification. The worklog is waited for longer than by others: a
// result that cannot be recorded is a long run for nothing.
const (
	maxVerifyTimeout = 6 * time.Hour
	verifyLockWait   = time.Minute
	progressEvery    = 15 * time.Second
	endedEvery       = time.Second
)

// verification is one run of the approved commands.
type verification struct {
	*call
	t       target
	timeout time.Duration
	// approved is what runs, in dir.
	approved state.Approval
	dir      string
	except   []string
	results  []ladder.Result
}

// goalVerify runs the commands that the person approved, in their order, up to
// the first that does not pass, and records what became of them. The state
// directory is locked before and after, not while they run.
func goalVerify(c *call) error {
	timeout, err := c.verifyTimeout()
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
	v := &verification{call: c, t: t, timeout: timeout, except: outsideTree(t)}
	release, err := v.begin()
	if err != nil {
		return err
	}
	recorded, err := v.runAndRecord()
	if err = errors.Join(err, release()); err != nil {
		return err
	}
	return v.say(recorded)
}

func (c *call) verifyTimeout() (time.Duration, error) {
	text, given := c.flags["timeout"]
	if !given {
		return ladder.DefaultTimeout, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxVerifyTimeout {
		return 0, fmt.Errorf("--timeout wants a time from 1s to %s, not %q", maxVerifyTimeout, oneLine(text))
	}
	return d, nil
}

// outsideTree is what does not count as a change of the work tree: what omc-hook
// and OMC write themselves.
func outsideTree(t target) []string {
	return []string{folderPath(t.loc.Root, t.view.StateDir), t.loc.StateRoot, filepath.Join(t.loc.Root, ".omc")}
}

// evidence is what a claim of SUCCESS is held against. It is gathered before the
// state directory is locked, since a large tree takes its time.
func (c *call) evidence(claims bool) (goal.Evidence, error) {
	if !claims {
		return goal.Evidence{}, nil
	}
	t, err := c.find()
	if err != nil {
		return goal.Evidence{}, err
	}
	a, err := approvedFor(t)
	if err != nil || len(a.Commands) == 0 {
		return goal.Evidence{}, err
	}
	return goal.Evidence{Approved: a.Commands, Tree: gitrun.Tree(t.loc.Root, outsideTree(t))}, nil
}

// open opens the state directory under its lock.
func (v *verification) open(wait time.Duration) (*goalFiles, func() error, error) {
	files, unlock, err := openGoal(v.t.store, v.t.loc.Root, v.t.view.StateDir, v.Now().Add(wait), false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, v.t.gone(folderPath(v.t.loc.Root, v.t.view.StateDir))
	}
	if err == nil {
		if err = v.t.owns(files); err != nil {
			err = errors.Join(err, unlock())
		}
	}
	return files, unlock, err
}

// begin records the intent. The function that it returns lets the next
// verification of this state directory begin.
func (v *verification) begin() (release func() error, err error) {
	files, unlock, err := v.open(lockWait)
	if err != nil {
		return nil, err
	}
	release, err = v.beginLocked(files)
	return release, errors.Join(err, unlock())
}

func (v *verification) beginLocked(files *goalFiles) (func() error, error) {
	a, err := approvedFor(v.t)
	if err != nil {
		return nil, err
	}
	_, drafts, err := goal.Step(files.run, goal.BeginVerify{Approved: a.Commands}, v.Now())
	if err != nil {
		return nil, refusal(err)
	}
	if v.dir = files.run.Owner.WorkDir; v.dir != a.Root {
		return nil, fmt.Errorf("the run works in %s, and the commands are approved for %s", oneLine(v.dir), oneLine(a.Root))
	}
	v.approved = a
	folder, err := v.logs()
	if err != nil {
		return nil, err
	}
	if err := folder.Create(); err != nil {
		return nil, err
	}
	release, err := folder.Lock(v.Now())
	if errors.Is(err, disk.ErrLocked) {
		return nil, hinted{errors.New("another verification of this run is going on"), "wait for it to end; omc-hook goal show tells its result"}
	}
	if err != nil {
		return nil, err
	}
	if err := v.t.putOnRecord(v.Env, files, drafts, v.Now()); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// logs is the directory in which outputs are kept.
func (v *verification) logs() (state.Folder, error) {
	return openFolder(v.t.store, v.t.loc.Root, path.Join(v.t.view.StateDir, verifyFolder))
}

// runAndRecord runs the commands between two looks at the work tree.
func (v *verification) runAndRecord() (goal.Verification, error) {
	ctx, stop := ladder.Interruptible()
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go v.cancelWhenEnded(ctx, cancel)
	result := goal.Verification{Digest: goal.CommandsDigest(v.approved.Commands), Tree: gitrun.Tree(v.dir, v.except)}
	for i, command := range v.approved.Commands {
		if i > 0 && result.Ran[i-1].Fault() != "" {
			result.NotRun = v.approved.Commands[i:]
			break
		}
		result.Ran = append(result.Ran, v.one(ctx, i, command))
	}
	if result.Tree.NotComparable == "" {
		result.Changed = gitrun.Tree(v.dir, v.except).Since(result.Tree)
	}
	files, unlock, err := v.open(verifyLockWait)
	if err != nil {
		return result, err
	}
	recorded, err := v.record(files, result)
	return recorded, errors.Join(err, unlock())
}

// cancelWhenEnded looks at the mode state while the commands run: a cancellation
// of the loop ends them.
func (v *verification) cancelWhenEnded(ctx context.Context, cancel func()) {
	ticker := time.NewTicker(endedEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if v.ended() != "" {
				cancel()
			}
		}
	}
}

// ended says why the loop is no longer this session's active one, "" while it is.
func (v *verification) ended() string {
	now, fault := readMode(v.t.store.Read(v.t.loc, []string{decide.StateFile(v.t.mode)}), v.t.mode)
	switch {
	case fault != "":
		return fault
	case now.RunID != v.t.view.RunID:
		return "another run has taken its place"
	case now.Outcome != "":
		return now.Outcome
	case !now.Active:
		return "it is not active"
	}
	return ""
}

// one runs one command and says so.
func (v *verification) one(ctx context.Context, i int, command string) goal.Ran {
	label := fmt.Sprintf("verify %d/%d", i+1, len(v.approved.Commands))
	fmt.Fprintf(v.Stderr, "%s: %s (at most %s)\n", label, plain.Text(command), v.timeout)
	job := ladder.Job{Command: command, Dir: v.dir, Timeout: v.timeout}
	if isTerminal(v.Stderr) {
		job.Every = progressEvery
		job.Tick = func(elapsed time.Duration) {
			fmt.Fprintf(v.Stderr, "%s: still running after %s\n", label, elapsed.Round(time.Second))
		}
	}
	r := ladder.Run(ctx, job)
	v.results = append(v.results, r)
	ran := goal.Ran{
		Command: command, Ended: r.Ended, Detail: r.Detail, Exit: r.Exit, Millis: r.Duration.Milliseconds(), Bytes: r.Bytes, SHA256: r.SHA256,
	}
	if r.Counted {
		ran.Counts = &r.Counts
	}
	fmt.Fprintf(v.Stderr, "%s: %s\n", label, oneLine(ran.String()))
	return ran
}

// record looks again, keeps the outputs, and puts the result on record.
func (v *verification) record(files *goalFiles, result goal.Verification) (goal.Verification, error) {
	if why := v.ended(); why != "" {
		return result, hinted{fmt.Errorf("the run ended while its commands ran (%s); the result is not kept", oneLine(why)), "omc-hook status explains it"}
	}
	a, err := approvedFor(v.t)
	if err != nil {
		return result, err
	}
	folder, err := v.logs()
	if err != nil {
		return result, err
	}
	for i, r := range v.results {
		name, err := folder.AddNumbered(".log", r.Output, keptLogs)
		if err != nil {
			return result, fmt.Errorf("keep the output of command %d: %w", i+1, err)
		}
		result.Ran[i].Log = path.Join(filepath.ToSlash(v.t.view.StateDir), verifyFolder, name)
	}
	next, drafts, err := goal.Step(files.run, goal.EndVerify{Approved: a.Commands, Verification: result}, v.Now())
	if err != nil {
		return result, refusal(err)
	}
	return *next.Verify.Last, v.t.putOnRecord(v.Env, files, drafts, v.Now())
}

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"omc-hook/internal/decide"
	"omc-hook/internal/hook"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/plain"
	"omc-hook/internal/state"
)

// maxApprovalText bounds the list that a person is shown: a longer answer would
// be cut, and nobody approves what was not shown.
const maxApprovalText = 8_000

// approvedFor is what the person approved for a loop's run.
func approvedFor(t target) (state.Approval, error) {
	a, err := t.store.Approved(t.loc, t.view.RunID)
	if errors.Is(err, state.ErrNoPersonal) {
		return state.Approval{}, nil
	}
	if err != nil {
		return a, hinted{err, "the person types /goal-loop approve, which writes it anew"}
	}
	return a, nil
}

// runsApproved reports whether the session has a loop whose commands the person
// approved, so that the verb that runs them needs no further word.
func runsApproved(store state.Store, loc state.Location) bool {
	t, err := ownLoop(store, loc)
	if err != nil || t.mode != goal.Mode {
		return false
	}
	a, err := approvedFor(t)
	return err == nil && len(a.Commands) > 0
}

// approve shows the commands that omc-hook would run, or accepts them: the person
// repeats the digest of the list that was shown.
func (c *controlled) approve(rest string) ([]byte, error) {
	t, err := c.own()
	if err != nil {
		return nil, hinted{err, "start a loop first" + notAGoal}
	}
	if strings.ContainsAny(rest, " \t\n") {
		return nil, hinted{errors.New("approve takes the digest of the list alone" + notAGoal), "/goal-loop approve shows the list"}
	}
	files, unlock, err := openGoal(t.store, t.loc.Root, t.view.StateDir, c.Now().Add(lockWait), false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, t.gone(folderPath(t.loc.Root, t.view.StateDir))
	}
	if err != nil {
		return nil, err
	}
	out, err := c.approveLocked(t, files, rest)
	return out, errors.Join(err, unlock())
}

func (c *controlled) approveLocked(t target, files *goalFiles, digest string) ([]byte, error) {
	if err := t.owns(files); err != nil {
		return nil, err
	}
	// An approval that cannot be read is written anew.
	a, _ := approvedFor(t)
	commands := files.run.Candidates(a.Commands[:a.Typed])
	if len(commands) == 0 {
		return nil, hinted{
			errors.New("there is no command to approve: none was proposed, and the repository's files suggest none"),
			"ask the model to propose some (omc-hook goal propose), or type --verify=COMMAND at the next start",
		}
	}
	short := state.ApprovalDigest(t.loc, t.view.RunID, commands)[:8]
	text := approvalText(t, files.run, commands, a.Commands, short)
	switch {
	case len(text) > maxApprovalText:
		return nil, hinted{errors.New("the commands are too long to be shown whole"), "ask the model to put them into a script and to propose that"}
	case digest == "":
		return c.tell(t, text)
	case !strings.EqualFold(digest, short):
		return nil, fmt.Errorf("%q is not the digest of this list. %s", plain.Line(digest, 80), text)
	}
	if err := c.accept(t, files, commands, a.Typed); err != nil {
		return nil, err
	}
	return c.acknowledge(t, fmt.Sprintf("approved for run %s in this session: %s; omc-hook goal verify runs %s",
		oneLine(t.view.RunID), count(len(commands), "command"), map[bool]string{true: "it", false: "them"}[len(commands) == 1]))
}

// accept keeps the person's word first: a worklog that names commands which are
// not approved runs nothing, and the same command mends it.
func (c *controlled) accept(t target, files *goalFiles, commands []string, typed int) error {
	now := c.Now()
	_, drafts, err := goal.Step(files.run, goal.Approve{Commands: commands, How: goal.HowAccepted}, now)
	if err != nil {
		return refusal(err)
	}
	if err := c.store.Approve(t.loc, t.view.RunID, commands, typed); err != nil {
		return err
	}
	if len(drafts) == 0 {
		return nil
	}
	return t.putOnRecord(c.Env, files, drafts, now)
}

// tell shows a text. Where a Stop was let go for it, the turn goes on afterwards.
func (c *controlled) tell(t target, text string) ([]byte, error) {
	if decide.YieldedSince(t.view.State) && t.view.Paused.Cause == "" {
		return c.goOn(text)
	}
	return hook.BlockExpansion(text), nil
}

// approvalText is the list as the person reads it: each command as it is run.
func approvalText(t target, run goal.Run, commands, before []string, short string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "omc-hook goal verify would run, in %s, for run %s and without asking each time:\n", oneLine(run.Owner.WorkDir), oneLine(t.view.RunID))
	for i, c := range commands {
		note := ""
		if slices.Contains(before, c) {
			note = "   (approved before)"
		}
		fmt.Fprintf(&out, "%3d. %s%s\n", i+1, c, note)
	}
	for _, c := range before {
		if !slices.Contains(commands, c) {
			fmt.Fprintf(&out, "No longer run: %s\n", c)
		}
	}
	out.WriteString("What they run may change with the repository's files. ")
	fmt.Fprintf(&out, "Type /goal-loop approve %s to approve exactly these.", short)
	return out.String()
}

// approveTyped keeps the commands of an invocation that the person typed. It
// comes before the records: an approval for a run that never began is of no use
// to anybody.
func (s *starter) approveTyped(in goal.Invocation, run goal.Run) error {
	if !s.typed || len(in.Verify) == 0 {
		return nil
	}
	if err := s.store.Approve(s.loc, run.Owner.RunID, in.Verify, len(in.Verify)); err != nil {
		return hinted{fmt.Errorf("keep the approval of --verify: %w", err), "start without --verify; the model then reports its checks itself"}
	}
	return nil
}

// approvalWarnings say what a start does not run by itself.
func (s *starter) approvalWarnings(in goal.Invocation, run goal.Run) []string {
	switch {
	case len(in.Verify) > 0 && !s.typed:
		return []string{"--verify is only proposed, since a hook did not see the person type it; /goal-loop approve shows it"}
	case len(in.Verify) == 0 && len(run.Verify.Commands) > 0:
		return []string{"the commands of this run have to be approved again in this session: /goal-loop approve"}
	}
	return nil
}

// goalPropose records the commands that the model would have the person approve.
func goalPropose(c *call) error {
	const most = 64 << 10
	data, err := c.readStdin(most)
	if err != nil {
		return err
	}
	var commands []string
	for line := range strings.SplitSeq(string(data), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			commands = append(commands, line)
		}
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
	recorded, err := c.proposeLocked(t, files, commands)
	if err = errors.Join(err, unlock()); err != nil {
		return err
	}
	if c.json() {
		return c.writeJSON(struct {
			Proposed []string `json:"proposed"`
			Recorded bool     `json:"recorded"`
		}{commands, recorded})
	}
	fmt.Fprintf(c.Stdout, "proposed: %s; the person types /goal-loop approve to see and approve %s\n",
		count(len(commands), "command"), map[bool]string{true: "it", false: "them"}[len(commands) == 1])
	return nil
}

func (c *call) proposeLocked(t target, files *goalFiles, commands []string) (recorded bool, err error) {
	if err := t.owns(files); err != nil {
		return false, err
	}
	now := c.Now()
	_, drafts, err := goal.Step(files.run, goal.Propose{Commands: commands}, now)
	if err != nil || len(drafts) == 0 {
		return false, refusal(err)
	}
	return true, t.putOnRecord(c.Env, files, drafts, now)
}

// approval looks at what a session's person approved, and whether it is what the
// records of the session's loop name.
func (l *linter) approval(session string) {
	path, err := l.store.CheckApproval(session)
	switch {
	case path == "" || errors.Is(err, fs.ErrNotExist):
	case err != nil:
		l.add(path, 1, err.Error(), "move it away; the person types /goal-loop approve again")
		l.read++
	default:
		l.read++
	}
}

package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"omc-hook/internal/authority"
	"omc-hook/internal/decide"
	"omc-hook/internal/gitrun"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// starter starts, resumes or reopens a goal-loop for one session.
type starter struct {
	Env
	store state.Store
	loc   state.Location
	// plan says that the session is in plan mode; proven that a hook was seen in
	// this session, so that the loop will be continued.
	plan, proven bool
	promptID     string
	// typed says that a hook saw the person type the invocation.
	typed bool
}

// lockWait bounds how long a start or a record waits for another one.
const lockWait = 3 * time.Second

// start does everything that /goal-loop ARGS asks for and returns the run.
func (s *starter) start(args string) (goal.Run, []string, error) {
	in, err := goal.ParseInvocation(args)
	if err != nil {
		return goal.Run{}, nil, hinted{err, "/goal-loop [--max-iterations=N] [--state-dir=PATH] what is to be reached"}
	}
	if err := s.mayStart(); err != nil {
		return goal.Run{}, nil, err
	}
	dir, err := s.stateDir(in)
	if err != nil {
		return goal.Run{}, nil, err
	}
	if in.Goal == "" {
		if err := s.somethingToResume(dir); err != nil {
			return goal.Run{}, nil, err
		}
	}
	files, unlock, err := openGoal(s.store, s.loc.Root, dir, s.Now().Add(lockWait), true)
	if err != nil {
		return goal.Run{}, nil, err
	}
	run, err := s.startLocked(in, dir, files)
	return run, append(in.Warnings, s.approvalWarnings(in, run)...), errors.Join(err, unlock())
}

// mayStart refuses where the loop could not run: plan mode, no place for state,
// another active loop.
func (s *starter) mayStart() error {
	if off := s.switchedOff(); off != "" {
		return fmt.Errorf("the hook is switched off by %s, so nothing would continue", off)
	}
	if s.plan {
		return hinted{errors.New("the session is in plan mode, where nothing can be written"), "leave plan mode, then start again"}
	}
	if s.loc.Root == s.store.Place.Home || filepath.Dir(s.loc.Root) == s.loc.Root {
		return hinted{fmt.Errorf("%s is no project directory", s.loc.Root), "start in the directory of the project"}
	}
	snapshot := s.store.Read(s.loc, decide.StateFiles())
	if name, v, ok := decide.Active(snapshot, 0); ok {
		return hinted{
			fmt.Errorf("%s is active in this session (run %s, round %d)", name, oneLine(v.RunID), v.Round()),
			"/" + name + " resume goes on, /" + name + " stop ends it",
		}
	}
	if rivals := authority.Rivals(s.store, s.loc, s.Now()); len(rivals) > 0 {
		return fmt.Errorf("%s is active in this session (%s); end it first", rivals[0].Name, rivals[0].Path)
	}
	return nil
}

// somethingToResume keeps a start without a goal from making a directory.
func (s *starter) somethingToResume(dir string) error {
	folder, err := openFolder(s.store, s.loc.Root, dir)
	if err != nil {
		return err
	}
	if files, err := readGoal(folder); err != nil || files.exists {
		return err
	}
	return hinted{errors.New("there is no goal, and no run in " + dir + " to resume"), "/goal-loop [options] what is to be reached"}
}

func (s *starter) startLocked(in goal.Invocation, dir string, files *goalFiles) (goal.Run, error) {
	now := s.Now()
	git, gitErr := gitrun.Preflight(s.loc.Root)
	if files.exists {
		if err := s.checkIdentity(files, git.CommonDir); err != nil {
			return goal.Run{}, err
		}
		if err := s.settle(files, now); err != nil {
			return goal.Run{}, err
		}
	}
	signal := goal.Start{Invocation: in, Owner: s.owner(dir, git.CommonDir, now), Unapproved: !s.typed}
	signal.Preflight, signal.Carried = s.preflight(files, git, gitErr)
	run, drafts, err := goal.Step(files.run, signal, now)
	if err != nil {
		return goal.Run{}, refusal(err)
	}
	if err := s.approveTyped(in, run); err != nil {
		return goal.Run{}, err
	}
	if files.exists {
		err = files.append(drafts, now)
	} else {
		err = files.create(drafts, now)
	}
	if err != nil {
		return goal.Run{}, err
	}
	return run, s.activate(run, files, now)
}

// refusal carries the hint of a refused signal to the person.
func refusal(err error) error {
	var refused *goal.Refused
	if errors.As(err, &refused) {
		return hinted{err, refused.Hint}
	}
	return err
}

func (s *starter) owner(dir, gitCommon string, now time.Time) goal.Owner {
	who := ownAuthority
	if !s.proven {
		who = authorityManual
	}
	return goal.Owner{
		RunID: newRunID(s.loc.Session, now), SessionID: s.loc.Session, ProjectPath: s.loc.Root,
		GitCommon: gitCommon, StateDir: dir, WorkDir: s.loc.Root, Authority: who,
	}
}

// ownAuthority is recorded where the hook of this plugin continues the loop.
const ownAuthority = "omc-hook"

// authorityManual is recorded where no hook was seen in the session: nothing
// would continue it, and nobody must be told that something does.
const authorityManual = "manual-resume"

// activate writes the mode state, last: from now on a Stop is continued.
func (s *starter) activate(run goal.Run, files *goalFiles, now time.Time) error {
	if err := s.store.Create(s.loc); err != nil {
		return err
	}
	if err := s.archiveEnded(now); err != nil {
		return err
	}
	fresh := modestate.State{
		Mode: goal.Mode, Active: true, SessionID: s.loc.Session, RunID: run.Owner.RunID,
		MaxIterations: loop.LeaseFor(run.Limits.MaxIterations), Planned: run.Limits.MaxIterations, Rounds: run.Counters.Iteration,
		Lease: 1, HighWater: modestate.HighWater{Lease: 1}, Prompt: goal.Excerpt(run.Goal), NextAction: files.nextAction(now),
		ProjectPath: s.loc.Root, StateDir: run.Owner.StateDir, WorkDir: run.Owner.WorkDir, Authority: run.Owner.Authority,
		StartedAt: now, UpdatedAt: now, PromptID: s.promptID, MaxMinutes: run.Limits.MaxMinutes,
		Ledger: modestate.Ledger{Records: int64(len(files.worklog.Records)), Head: files.worklog.Head()},
	}
	if run.Limits.MaxMinutes > 0 {
		fresh.Deadline = now.Add(time.Duration(run.Limits.MaxMinutes) * time.Minute)
	}
	name := decide.StateFile(goal.Mode)
	return s.store.Update(s.loc, now.Add(lockWait), decide.StateFiles(), func(snapshot modestate.Snapshot) (state.Edit, error) {
		if active, v, ok := decide.Active(snapshot, 0); ok {
			return state.Edit{}, fmt.Errorf("%s is active in this session (run %s)", active, oneLine(v.RunID))
		}
		if _, taken := snapshot[name]; taken {
			return state.Edit{}, fmt.Errorf("%s is in the way", filepath.Join(s.loc.Dir, name))
		}
		return state.Edit{Name: name, Data: modestate.New(fresh)}, nil
	})
}

// archiveEnded moves the state of an earlier run of this session away. A state
// that cannot be read is not ours to move.
func (s *starter) archiveEnded(now time.Time) error {
	name := decide.StateFile(goal.Mode)
	return s.store.Update(s.loc, now.Add(lockWait), []string{name}, func(snapshot modestate.Snapshot) (state.Edit, error) {
		if _, there := snapshot[name]; !there {
			return state.Edit{}, nil
		}
		v, fault := readMode(snapshot, goal.Mode)
		if fault != "" {
			return state.Edit{}, hinted{
				fmt.Errorf("%s cannot be used (%s)", filepath.Join(s.loc.Dir, name), fault),
				"move the file away, then start again",
			}
		}
		if v.Active {
			return state.Edit{}, fmt.Errorf("run %s is active in this session", oneLine(v.RunID))
		}
		return state.Edit{Name: name, Archive: true}, nil
	})
}

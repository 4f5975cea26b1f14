package cli

import (
	"fmt"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
)

// settle looks at the session that owned the directory: a live one blocks a
// second, and an end that is not on record yet is recorded.
func (s *starter) settle(files *goalFiles, now time.Time) error {
	owner, ended := files.run.Owner, files.run.Outcome != ""
	if ended && files.run.Closed || !modestate.ValidSession(owner.SessionID) {
		return nil
	}
	v, known := s.stateOf(owner)
	switch {
	case !known:
		return nil
	case ended && !v.Active:
		return recordClosed(files, v.Outcome, now)
	case v.Outcome == string(loop.Cancelled):
		return recordCancel(files, now)
	case !v.Active || owner.SessionID == s.loc.Session:
		return nil
	case !ended && decide.Fresh(v.State, now):
		return hinted{
			fmt.Errorf("BLOCKED: session %s works on %s (round %d)", owner.SessionID, files.folder.Path, v.Round()),
			"/goal-loop adopt " + owner.SessionID + " takes it over, /goal-loop stop ends it, or use another --state-dir=PATH",
		}
	}
	loc, err := s.store.Locate(owner.SessionID)
	if err != nil {
		return nil
	}
	loc.Root = s.loc.Root
	return markAdopted(s.Env, s.store, loc, owner.RunID, s.loc.Session)
}

// stateOf is the mode state of a run, be it in the archive: a Stop that told of
// a cancellation has moved it there.
func (s *starter) stateOf(owner goal.Owner) (loop.View, bool) {
	loc, err := s.store.Locate(owner.SessionID)
	if err != nil {
		return loop.View{}, false
	}
	v, fault := readMode(s.store.Read(loc, []string{decide.StateFile(goal.Mode)}), goal.Mode)
	if fault == "" && v.RunID == owner.RunID {
		return v, true
	}
	list, err := s.store.ListArchive(loc)
	if err != nil {
		return loop.View{}, false
	}
	for i := len(list) - 1; i >= 0; i-- {
		state, err := modestate.Parse(list[i].Data)
		if err == nil && state.Mode == goal.Mode && state.SessionID == owner.SessionID && state.RunID == owner.RunID {
			return loop.NewView(state, 0), true
		}
	}
	return loop.View{}, false
}

// recordCancel appends the terminal entry of a run that was cancelled, and that
// nothing continues it.
func recordCancel(files *goalFiles, now time.Time) error {
	_, drafts, err := goal.Step(files.run, goal.Cancel{Reason: cancelReason}, now)
	if err != nil {
		return err
	}
	if err := files.append(drafts, now); err != nil {
		return err
	}
	return recordClosed(files, string(loop.Cancelled), now)
}

// recordClosed appends the evidence that the mode state no longer continues a
// run that has ended.
func recordClosed(files *goalFiles, outcome string, now time.Time) error {
	_, drafts, err := goal.Step(files.run, goal.Close{Persistence: "the mode state reads inactive, outcome " + outcome}, now)
	if err != nil {
		return refusal(err)
	}
	return files.append(drafts, now)
}

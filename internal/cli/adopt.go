package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"

	"omc-hook/internal/decide"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// adoptedBy is the field that the state of the old owner keeps: who took the
// loop over. It decides nothing at a Stop, since the state is inactive.
const adoptedBy = "adopted_by"

// adoption moves one goal-loop from the session of from to that of to.
type adoption struct {
	Env
	store    state.Store
	from, to state.Location
	// plan is that of starter, for the session of to. A hook was seen there.
	plan bool
}

// adopt takes the loop over. The state of the old owner is the one place where
// it is decided who wins: it names one new owner and is never active again. The
// same call, made again after a kill, finishes.
func (a *adoption) adopt() (target, error) {
	if a.from.Session == a.to.Session {
		return target{}, errors.New("a session cannot adopt its own loop")
	}
	old, err := a.old()
	if err != nil {
		return target{}, err
	}
	// The call that has taken it over was killed before it could say so.
	if list := loops(a.store, a.to); adopter(old) == a.to.Session && len(list) > 0 && list[0].view.RunID == old.RunID {
		return list[0], nil
	}
	if err := a.mayTake(old.RunID); err != nil {
		return target{}, err
	}
	files, unlock, err := openGoal(a.store, a.from.Root, old.StateDir, a.Now().Add(lockWait), false)
	if err != nil {
		return target{}, err
	}
	t, err := a.adoptLocked(old, files)
	return t, errors.Join(err, unlock())
}

// old is the state that is to be taken over.
func (a *adoption) old() (loop.View, error) {
	snapshot := a.store.Read(a.from, []string{decide.StateFile(goal.Mode)})
	v, fault := readMode(snapshot, goal.Mode)
	path := filepath.Join(a.from.Dir, decide.StateFile(goal.Mode))
	switch by := adopter(v); {
	case fault != "":
		return v, hinted{fmt.Errorf("%s: %s", path, fault), "omc-hook history lists the loops of this repository"}
	case v.SessionID != a.from.Session:
		return v, fmt.Errorf("%s names another session", path)
	case by != "" && by != a.to.Session:
		return v, fmt.Errorf("session %s has taken this loop over", oneLine(by))
	case by == "" && (!v.Active || v.Outcome != ""):
		return v, hinted{fmt.Errorf("%s is not active (%s)", path, orText(v.Outcome, "inactive")), "the person types /goal-loop --continue"}
	}
	return v, nil
}

// adopter is the session that has taken the loop of v over, "" for none.
func adopter(v loop.View) string { return gjson.GetBytes(v.Raw, adoptedBy).String() }

// mayTake refuses, before anything is changed, where the new owner has no room
// for the loop or has ended it already.
func (a *adoption) mayTake(runID string) error {
	if list := loops(a.store, a.to); len(list) > 0 {
		return fmt.Errorf("%s is active in session %s already (run %s)", list[0].mode, a.to.Session, oneLine(list[0].view.RunID))
	}
	s := starter{Env: a.Env, store: a.store, loc: a.to, plan: a.plan}
	if err := s.mayStart(); err != nil {
		return err
	}
	name := decide.StateFile(goal.Mode)
	snapshot := a.store.Read(a.to, []string{name})
	if _, there := snapshot[name]; !there {
		return nil
	}
	v, fault := readMode(snapshot, goal.Mode)
	switch {
	case fault != "":
		return hinted{
			fmt.Errorf("%s cannot be used: %s", filepath.Join(a.to.Dir, name), fault),
			"omc-hook cancel --session=" + a.to.Session + " moves a broken one to the archive",
		}
	case v.Outcome != "" && v.RunID == runID:
		return hinted{
			fmt.Errorf("run %s has ended in session %s: %s", oneLine(runID), a.to.Session, oneLine(v.Outcome)),
			"the person types /goal-loop --continue",
		}
	}
	return nil
}

func (a *adoption) adoptLocked(old loop.View, files *goalFiles) (target, error) {
	now := a.Now()
	switch {
	case !files.exists || files.run.Owner.RunID != old.RunID:
		return target{}, fmt.Errorf("%s is not of run %s", files.folder.Path, oneLine(old.RunID))
	case files.run.Outcome != "":
		return target{}, hinted{
			fmt.Errorf("run %s ended with %s", oneLine(old.RunID), files.run.Outcome),
			"the person types " + goal.ResumeCommand(files.run.Outcome, files.run.Owner.StateDir),
		}
	}
	run, drafts, err := a.resumed(files.run, now)
	if err != nil {
		return target{}, refusal(err)
	}
	if err := markAdopted(a.Env, a.store, a.from, old.RunID, a.to.Session); err != nil {
		return target{}, err
	}
	if len(drafts) > 0 {
		if err := files.append(drafts, now); err != nil {
			return target{}, err
		}
	}
	return a.take(old, run, files, now)
}

// resumed is the run in the hands of the new owner, and the records of it that
// are not written yet.
func (a *adoption) resumed(run goal.Run, now time.Time) (goal.Run, []goal.Draft, error) {
	if run.Owner.SessionID == a.to.Session {
		return run, nil, nil
	}
	owner := run.Owner
	owner.SessionID, owner.Authority = a.to.Session, ownAuthority
	return goal.Step(run, goal.Start{Owner: owner, Why: "session " + a.to.Session + " took the run over from session " + a.from.Session}, now)
}

// take writes the state of the new owner: the old one's with its count of stops,
// which a pause of the old owner alone sets to zero.
func (a *adoption) take(old loop.View, run goal.Run, files *goalFiles, now time.Time) (target, error) {
	if err := a.store.Create(a.to); err != nil {
		return target{}, err
	}
	s := starter{Env: a.Env, store: a.store, loc: a.to, proven: true}
	if err := s.archiveEnded(now); err != nil {
		return target{}, err
	}
	used := old.Used
	if old.Paused.Cause != "" {
		used = 0
	}
	changes := append(newLease(old, now),
		modestate.SetBool("active", true), modestate.SetText("session_id", a.to.Session), modestate.SetText("prompt_id", ""),
		modestate.SetText("authority", ownAuthority), modestate.SetCount("rounds", run.Counters.Iteration),
		modestate.SetCount("iteration", used), modestate.SetHighWater(modestate.HighWater{Lease: old.Lease + 1, Iteration: used}),
		modestate.SetSeen(modestate.Seen{}), modestate.SetYield(modestate.Yield{}), modestate.SetWaits(nil),
		modestate.SetLedger(modestate.Ledger{Records: int64(len(files.worklog.Records)), Head: files.worklog.Head()}),
		modestate.SetText(adoptedBy, ""),
	)
	data, err := modestate.Apply(old.Raw, changes)
	if err != nil {
		return target{}, err
	}
	name := decide.StateFile(goal.Mode)
	err = a.store.Update(a.to, now.Add(lockWait), []string{name}, func(snapshot modestate.Snapshot) (state.Edit, error) {
		if _, taken := snapshot[name]; taken {
			return state.Edit{}, fmt.Errorf("%s is in the way", filepath.Join(a.to.Dir, name))
		}
		return state.Edit{Name: name, Data: data}, nil
	})
	if err != nil {
		return target{}, err
	}
	return target{store: a.store, loc: a.to, mode: goal.Mode, view: loop.NewView(mustParse(data), 0)}, nil
}

// mustParse parses what was just rendered from a parsed state; a fault in it
// would have kept it from being written as it does from being read.
func mustParse(data []byte) modestate.State {
	s, _ := modestate.Parse(data)
	return s
}

// markAdopted makes the state of the old owner inactive and names the new one.
// It is an error when another session was faster or the run is another by now.
func markAdopted(env Env, store state.Store, from state.Location, runID, by string) error {
	name := decide.StateFile(goal.Mode)
	return store.Update(from, env.Now().Add(lockWait), []string{name}, func(snapshot modestate.Snapshot) (state.Edit, error) {
		v, fault := readMode(snapshot, goal.Mode)
		owner := adopter(v)
		switch {
		case fault != "":
			return state.Edit{}, fmt.Errorf("%s: %s", filepath.Join(from.Dir, name), fault)
		case owner == by:
			return state.Edit{}, nil
		case owner != "":
			return state.Edit{}, fmt.Errorf("session %s has taken this loop over", oneLine(owner))
		case v.RunID != runID || !v.Active:
			return state.Edit{}, fmt.Errorf("the loop of session %s has ended meanwhile", from.Session)
		}
		data, err := modestate.Apply(snapshot[name].Data, []modestate.Change{
			modestate.SetBool("active", false), modestate.SetTime("updated_at", env.Now()), modestate.SetText(adoptedBy, by),
		})
		return state.Edit{Name: name, Data: data}, err
	})
}

// adoptCommand is `omc-hook adopt`.
func adoptCommand(c *call) error {
	store, loc, err := c.locate()
	if err != nil {
		return err
	}
	to, from := orText(c.flags["to"], loc.Session), c.flags["from"]
	if !modestate.ValidSession(to) || !modestate.ValidSession(from) {
		return hinted{errors.New("name both sessions"), "omc-hook adopt --from=ID --to=ID; omc-hook history lists the sessions"}
	}
	_, err = store.ReadPointer(to)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, state.ErrNoPersonal):
		return fmt.Errorf("look for a hook of session %s: %w", to, err)
	default:
		return hinted{
			fmt.Errorf("no hook of session %s was ever seen, so nothing would continue the loop there", to),
			"start that session first, or type /goal-loop adopt " + from + " in it",
		}
	}
	a := adoption{Env: c.Env, store: store, from: at(loc, from), to: at(loc, to)}
	t, err := a.adopt()
	if err != nil {
		return err
	}
	if c.json() {
		return c.writeJSON(struct {
			Run   string `json:"run"`
			From  string `json:"from"`
			To    string `json:"to"`
			State string `json:"state_file"`
		}{t.view.RunID, from, to, t.file()})
	}
	fmt.Fprintf(c.Stdout, "session %s owns run %s now, in round %d of %d; state: %s\n", to, oneLine(t.view.RunID), t.view.Round(), t.view.Planned, t.file())
	return nil
}

// adopterOf is the session that took the loop of a state over, "" for none.
func adopterOf(v loop.View) string { return gjson.GetBytes(v.Raw, adoptedBy).String() }

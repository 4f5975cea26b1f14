package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"omc-hook/internal/decide"
	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
)

// expand answers what the person typed after one of our slash commands, byte
// for byte: it starts a loop, or controls one.
func (h *hookRun) expand() []byte {
	_, name, scoped := strings.Cut(h.event.CommandName, ":")
	if !scoped {
		name = h.event.CommandName
	}
	if h.eventErr != nil || name != goal.Mode {
		return nil
	}
	store := h.store(h.event.Cwd)
	out, err := h.expandGoal(store)
	if err != nil {
		return hook.BlockExpansion("omc-hook: " + name + ": " + explain(err))
	}
	return out
}

// explain is an error with its hint in one text.
func explain(err error) string {
	text := err.Error()
	var h hinted
	if errors.As(err, &h) && h.hint != "" {
		text += ". Next: " + h.hint
	}
	return text
}

func (h *hookRun) expandGoal(store state.Store) ([]byte, error) {
	if !modestate.ValidSession(h.event.SessionID) {
		return nil, errors.New("the client sent no usable session id")
	}
	loc, err := store.Locate(h.event.SessionID)
	if err != nil {
		return nil, err
	}
	h.beat(store, loc)
	words := strings.Fields(h.event.CommandArgs)
	if len(words) > 0 {
		if control, ok := controls[words[0]]; ok && len(words) == 1+control.operands {
			return control.run(&controlled{hookRun: h, store: store, loc: loc}, words[1:])
		}
		if control, ok := restControls(words[0]); ok {
			return control(&controlled{hookRun: h, store: store, loc: loc}, afterWord(h.event.CommandArgs, words[0]))
		}
	}
	if err := meantControl(words); err != nil {
		return nil, err
	}
	s := starter{
		Env: h.Env, store: store, loc: loc, plan: h.event.PermissionMode == "plan", proven: true, promptID: h.event.PromptID, typed: true,
	}
	run, warnings, err := s.start(h.event.CommandArgs)
	if err != nil {
		return nil, err
	}
	return hook.ExpandContext(goal.Started(run), startedNote(run, warnings)), nil
}

// meantControl refuses a single word that is a control command without what it
// needs, in another case, or a call for help: it is no goal.
func meantControl(words []string) error {
	if len(words) != 1 {
		return nil
	}
	word := strings.ToLower(strings.TrimLeft(words[0], "-"))
	_, known := controls[word]
	_, rest := restControls(word)
	if !known && !rest && word != "help" && word != "h" {
		return nil
	}
	return hinted{
		fmt.Errorf("%q is no goal", oneLine(words[0])),
		"/goal-loop stop, pause, resume, status, extend N or adopt SESSION controls a loop; /goal-loop [--max-iterations=N] GOAL starts one",
	}
}

// startedNote is what the person sees at a start.
func startedNote(run goal.Run, warnings []string) string {
	what := "started"
	switch {
	case run.Counters.Iteration > 0:
		what = fmt.Sprintf("goes on after round %d", run.Counters.Iteration)
	case run.Segment > 1:
		what = fmt.Sprintf("started segment %d", run.Segment)
	}
	note := fmt.Sprintf("goal-loop %s: run %s, %d rounds planned, at most %s between two records",
		what, run.Owner.RunID, run.Limits.MaxIterations, count(int(loop.LeaseFor(run.Limits.MaxIterations)), "stop"))
	if run.Limits.MaxMinutes > 0 {
		note += fmt.Sprintf(", %d minutes", run.Limits.MaxMinutes)
	}
	note += ". /goal-loop stop ends it, /goal-loop pause pauses it, omc-hook status explains it."
	for _, command := range run.Verify.Commands {
		note += "\napproved for omc-hook goal verify: " + command
	}
	for _, w := range warnings {
		note += "\nwarning: " + w
	}
	return note
}

// controlled is a control command of the person in one session.
type controlled struct {
	*hookRun
	store state.Store
	loc   state.Location
	// authorized is what this command authorizes, "" for nothing.
	authorized string
}

// controls are the words that are commands when the argument is nothing else.
var controls = map[string]struct {
	operands int
	run      func(c *controlled, args []string) ([]byte, error)
}{
	"stop":   {0, (*controlled).stopLoop},
	"pause":  {0, (*controlled).pauseLoop},
	"resume": {0, (*controlled).resumeLoop},
	"status": {0, (*controlled).statusLoop},
	"extend": {1, (*controlled).extendLoop},
	"adopt":  {1, (*controlled).adoptLoop},
}

// own is the session's loop, or an error that says why there is none.
func (c *controlled) own() (target, error) {
	return ownLoop(c.store, c.loc)
}

// stopLoop ends the session's loop, or else the only one of the repository, so
// that a second terminal can stop what runs in the first.
func (c *controlled) stopLoop([]string) ([]byte, error) {
	t, err := c.own()
	if err != nil {
		all, listErr := repositoryLoops(c.store, c.loc)
		if listErr != nil && !errors.Is(listErr, fs.ErrNotExist) {
			return nil, listErr
		}
		switch len(all) {
		case 0:
			return nil, err
		case 1:
			t = all[0]
		default:
			return nil, hinted{fmt.Errorf("%d loops are active: %s", len(all), names(all)), "omc-hook cancel --session=ID in a terminal ends one, --all ends all"}
		}
	}
	if err := cancelTarget(c.Env, t); err != nil {
		return nil, err
	}
	return hook.BlockExpansion(fmt.Sprintf("%s stopped: CANCELLED in round %d (session %s). Worklog: %s. Go on with /goal-loop --continue",
		t.mode, t.view.Round(), t.loc.Session, filepath.Join(folderPath(t.loc.Root, t.view.StateDir), goal.WorklogFile))), nil
}

func (c *controlled) pauseLoop([]string) ([]byte, error) {
	t, err := c.own()
	if err != nil {
		return nil, err
	}
	if err := pauseTarget(c.Env, t); err != nil {
		return nil, err
	}
	return hook.BlockExpansion(fmt.Sprintf("%s paused in round %d. /goal-loop resume goes on", t.mode, t.view.Round())), nil
}

// resumeLoop goes on with the session's loop and hands the turn to the model.
func (c *controlled) resumeLoop([]string) ([]byte, error) {
	t, err := c.own()
	if err != nil {
		return nil, err
	}
	if file := stopFile(c.store, c.loc, c.store.Read(c.loc, decide.StateFiles())); file != "" {
		return nil, hinted{fmt.Errorf("the kill switch %s lies there, and would pause the loop at once", file), "remove the file, then /goal-loop resume"}
	}
	if err := resumeTarget(c.Env, t, ownAuthority); err != nil {
		return nil, err
	}
	return c.goOn("goal-loop goes on with a new lease.")
}

func (c *controlled) extendLoop(args []string) ([]byte, error) {
	n, err := goal.PositiveNumber(args[0])
	if err != nil {
		return nil, fmt.Errorf("extend %w", err)
	}
	t, err := c.own()
	if err != nil {
		return nil, err
	}
	if err := extendTarget(c.Env, t, n); err != nil {
		return nil, err
	}
	note := fmt.Sprintf("goal-loop is extended by %d rounds to %d.", n, t.view.Planned+n)
	if t.view.Paused.Cause != "" {
		note += " It was paused (" + oneLine(t.view.Paused.Cause) + ") and goes on."
	}
	return c.goOn(note)
}

// adoptLoop takes the loop of another session over and goes on with it.
func (c *controlled) adoptLoop(args []string) ([]byte, error) {
	if !modestate.ValidSession(args[0]) {
		return nil, fmt.Errorf("%q is no session id", oneLine(args[0]))
	}
	a := adoption{Env: c.Env, store: c.store, from: at(c.loc, args[0]), to: c.loc, plan: c.event.PermissionMode == "plan"}
	t, err := a.adopt()
	if err != nil {
		return nil, err
	}
	return c.goOn(fmt.Sprintf("goal-loop: run %s of session %s goes on in this session.", oneLine(t.view.RunID), args[0]))
}

// statusLoop shows the status. Where a Stop was let go for it, the turn goes on
// afterwards; else nothing starts that the person did not ask for.
func (c *controlled) statusLoop([]string) ([]byte, error) {
	report, err := buildReport(c.Env, c.store, c.loc)
	if err != nil {
		return nil, err
	}
	text := report.text()
	if t, err := c.own(); err == nil && decide.YieldedSince(t.view.State) && t.view.Paused.Cause == "" {
		return c.goOn(text)
	}
	return hook.BlockExpansion(text), nil
}

// goOn lets the command through: the person reads note, the model what the next
// continuation would tell it.
func (c *controlled) goOn(note string) ([]byte, error) {
	t, err := c.own()
	if err != nil {
		return nil, err
	}
	return hook.ExpandContext(c.answered(decide.Continuation(t.mode, t.view)), note), nil
}

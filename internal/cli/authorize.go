package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"omc-hook/internal/hook"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/plain"
	"omc-hook/internal/state"
)

// restControls are the words of the person that take all of the text after them.
// They are commands whatever follows; a goal that begins with one of them is
// written after an option.
func restControls(word string) (func(c *controlled, rest string) ([]byte, error), bool) {
	switch word {
	case "own":
		return (*controlled).ownPath, true
	case "authorize":
		return (*controlled).authorize, true
	case "approve":
		return (*controlled).approve, true
	}
	return nil, false
}

// afterWord is the text after the first word of args.
func afterWord(args, word string) string {
	_, rest, _ := strings.Cut(args, word)
	return strings.TrimSpace(rest)
}

// notAGoal tells a person whose goal begins with a command's word what to do.
const notAGoal = "; a goal that begins with this word is typed after an option, such as --max-iterations=50"

// authorize keeps what the person authorizes for the session's run, and for
// nothing else.
func (c *controlled) authorize(text string) ([]byte, error) {
	t, err := c.own()
	if err != nil {
		return nil, hinted{err, "start a loop, then authorize what it needs" + notAGoal}
	}
	if text == "" {
		return nil, hinted{errors.New("say what is authorized"), "/goal-loop authorize WHAT, for example: authorize pushing to origin main"}
	}
	err = c.store.Authorize(t.loc, t.view.RunID, text, c.until())
	if err != nil {
		return nil, err
	}
	c.authorized = text
	return c.acknowledge(t, fmt.Sprintf("authorized for run %s in this session, and for no other: %s", oneLine(t.view.RunID), plain.Line(text, 400)))
}

// ownPath gives a path that was the person's to the loop.
func (c *controlled) ownPath(name string) ([]byte, error) {
	t, err := c.own()
	if err != nil {
		return nil, hinted{err, "start a loop first" + notAGoal}
	}
	if name == "" {
		return nil, hinted{errors.New("name the path"), "/goal-loop own PATH"}
	}
	files, unlock, err := openGoal(t.store, t.loc.Root, t.view.StateDir, c.Now().Add(lockWait), false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, t.gone(folderPath(t.loc.Root, t.view.StateDir))
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(c.transfer(t, files, name), unlock()); err != nil {
		return nil, err
	}
	return c.acknowledge(t, plain.Line(name, 400)+" is the loop's from now on")
}

// acknowledge says what was done. The turn goes on, unless the loop is paused:
// nothing starts then that the person did not ask for.
func (c *controlled) acknowledge(t target, note string) ([]byte, error) {
	if t.view.Paused.Cause != "" {
		return hook.BlockExpansion(note + ". The loop is paused; /goal-loop resume goes on"), nil
	}
	return c.goOn(note)
}

func (c *controlled) transfer(t target, files *goalFiles, name string) error {
	if err := t.owns(files); err != nil {
		return err
	}
	path, err := t.store.OpenTree(t.loc.Root, files.folder.Path).Rel(t.loc.Root, name)
	if err != nil {
		return err
	}
	now := c.Now()
	_, drafts, err := goal.Step(files.run, goal.Transfer{Paths: []string{path}}, now)
	if err != nil {
		return refusal(err)
	}
	return t.putOnRecord(c.Env, files, drafts, now)
}

// authorizedLine is what the model reads of a word that the person just gave.
func authorizedLine(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("The person authorizes for this run, and for exactly this: %q. ", plain.Line(text, 1_000))
}

// goalAuthorizations lists what the person authorized for the session's run.
func goalAuthorizations(c *call) error {
	t, err := c.find()
	if err != nil {
		return err
	}
	list, err := t.store.Authorizations(t.loc, t.view.RunID)
	if err != nil && !errors.Is(err, state.ErrNoPersonal) {
		return err
	}
	if c.json() {
		return c.writeJSON(struct {
			Run     string                `json:"run"`
			Session string                `json:"session"`
			List    []state.Authorization `json:"authorizations"`
			Gated   []string              `json:"gated"`
		}{t.view.RunID, t.loc.Session, append([]state.Authorization{}, list...), goal.Gated()})
	}
	const longest = 4 << 10
	for _, a := range list {
		fmt.Fprintf(c.Stdout, "authorized %s: %s\n", a.At.UTC().Format("2006-01-02 15:04 MST"), plain.Line(a.Text, longest))
	}
	if len(list) == 0 {
		fmt.Fprintf(c.Stdout, "the person authorized nothing for run %s in this session\n", oneLine(t.view.RunID))
	}
	fmt.Fprintf(c.Stdout, "without such a word, or that of the invocation, these are left undone: %s\n", strings.Join(goal.Gated(), "; "))
	return nil
}

// answered is the text for the model after a command that the person typed.
func (c *controlled) answered(continuation string) string {
	return "The person answered a command of the loop; its text is not the goal. " + authorizedLine(c.authorized) + continuation
}

// authorizations looks at what a session's person authorized.
func (l *linter) authorizations(session string) {
	path, err := l.store.CheckAuthorizations(session)
	switch {
	case path == "" || errors.Is(err, fs.ErrNotExist):
	case err != nil:
		l.add(path, 1, err.Error(), "move it away; the person types /goal-loop authorize again")
		l.read++
	default:
		l.read++
	}
}

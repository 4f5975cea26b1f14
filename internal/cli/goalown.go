package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"omc-hook/internal/gitrun"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/plain"
	"omc-hook/internal/state"
)

// owning is one command that takes paths for the loop's own, under the lock of
// the state directory.
type owning struct {
	Env
	t     target
	files *goalFiles
	tree  state.Tree
	now   time.Time
}

// keepOwned finds the loop, lets take do its work, and puts what it returns on
// record: state directory first, then the session's state.
func (c *call) keepOwned(take func(o *owning) (goal.Own, error)) error {
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
	o := &owning{Env: c.Env, t: t, files: files, tree: t.store.OpenTree(t.loc.Root, files.folder.Path), now: c.Now()}
	taken, recorded, err := o.keep(take)
	if err = errors.Join(err, unlock()); err != nil {
		return err
	}
	return c.sayOwned(taken.Paths, recorded)
}

func (o *owning) keep(take func(o *owning) (goal.Own, error)) (goal.Own, bool, error) {
	if err := o.t.owns(o.files); err != nil {
		return goal.Own{}, false, err
	}
	taken, err := take(o)
	if err != nil {
		return taken, false, refusal(err)
	}
	_, drafts, err := goal.Step(o.files.run, taken, o.now)
	if err != nil {
		return taken, false, refusal(err)
	}
	if len(drafts) == 0 {
		return taken, false, nil
	}
	return taken, true, o.t.putOnRecord(o.Env, o.files, drafts, o.now)
}

// putOnRecord appends to the worklog what is no round, and lets the mode state
// know of it. It opens no lease.
func (t target) putOnRecord(env Env, files *goalFiles, drafts []goal.Draft, now time.Time) error {
	if err := files.append(drafts, now); err != nil {
		return err
	}
	return t.change(env, func(loop.View) ([]modestate.Change, error) {
		return []modestate.Change{
			modestate.SetTime("updated_at", now),
			modestate.SetLedger(modestate.Ledger{Records: int64(len(files.worklog.Records)), Head: files.worklog.Head()}),
		}, nil
	})
}

// goalOwn takes paths as they are now for the loop's own.
func goalOwn(c *call) error {
	names := c.args
	if c.has("stdin") {
		const most = 1 << 20
		data, err := c.readStdin(most)
		if err != nil {
			return err
		}
		listed, err := pathLines(data)
		if err != nil {
			return err
		}
		names = append(names, listed...)
	}
	if len(names) == 0 || len(names) > goal.MaxOwnedPaths {
		return hinted{fmt.Errorf("name 1 to %d paths", goal.MaxOwnedPaths), "omc-hook goal own PATH..., or --stdin with one path a line"}
	}
	return c.keepOwned(func(o *owning) (goal.Own, error) {
		own := goal.Own{How: "goal own"}
		refused := goal.Refused{Why: "nothing was taken", Hint: "leave out what cannot be owned, then give the rest"}
		for _, name := range names {
			p, err := o.look(name)
			if err != nil {
				refused.Missing = append(refused.Missing, err.Error())
				continue
			}
			own.Paths = append(own.Paths, p)
		}
		if len(refused.Missing) > 0 {
			return goal.Own{}, &refused
		}
		return own, nil
	})
}

// pathLines reads one path a line. A line that begins with a quotation mark is
// a JSON string, for names that no line can hold.
func pathLines(data []byte) ([]string, error) {
	var names []string
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(line, `"`) {
			var name string
			if err := json.Unmarshal([]byte(line), &name); err != nil {
				return nil, hinted{fmt.Errorf("line %d is no JSON string: %w", n, err), "a path that begins with a quotation mark is written as ./PATH or as a JSON string"}
			}
			line = name
		}
		if line != "" {
			names = append(names, line)
		}
	}
	return names, lines.Err()
}

// look is what stands at a path that the command names, checked as far as it can
// be without knowing whose it is.
func (o *owning) look(name string) (goal.OwnedPath, error) {
	path, err := o.rel(name)
	if err != nil {
		return goal.OwnedPath{}, err
	}
	p, err := lookOwned(o.tree, path, o.now)
	if err != nil || p.SHA256 != goal.Absent {
		return p, err
	}
	if _, known := o.files.run.Owned[path]; known {
		return p, nil
	}
	if tracked, err := gitrun.Tracked(o.t.loc.Root, path); err != nil || !tracked {
		return p, fmt.Errorf("%q: nothing stands there, and git knows of no such file", plain.Line(path, 200))
	}
	return p, nil
}

// rel is the path that a command names, relative to the root, under the one name
// by which it is known.
func (o *owning) rel(name string) (string, error) {
	cwd, err := o.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	path, err := o.tree.Rel(cwd, name)
	if err != nil {
		return "", err
	}
	if twin := o.files.run.Twin(path); twin != "" && o.tree.Same(path, twin) {
		return "", fmt.Errorf("%q is the same file as %q here: use that name", plain.Line(path, 200), plain.Line(twin, 200))
	}
	return path, nil
}

func (c *call) sayOwned(paths []goal.OwnedPath, recorded bool) error {
	if c.json() {
		return c.writeJSON(struct {
			Owned    []goal.OwnedPath `json:"owned"`
			Recorded bool             `json:"recorded"`
		}{append([]goal.OwnedPath{}, paths...), recorded})
	}
	for _, p := range paths {
		if p.SHA256 == goal.Absent {
			fmt.Fprintf(c.Stdout, "owned: %s %s\n", oneLine(p.Path), goal.Absent)
			continue
		}
		fmt.Fprintf(c.Stdout, "owned: %s %s %s %d bytes\n", oneLine(p.Path), p.SHA256, p.Mode, p.Size)
	}
	if !recorded {
		fmt.Fprintln(c.Stdout, "all of it was on record already")
	}
	return nil
}

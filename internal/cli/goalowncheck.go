package cli

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"omc-hook/internal/gitrun"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/state"
)

// pathFault is one path that is not as it should be.
type pathFault struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// checked is the answer of both checks.
type checked struct {
	Looked int         `json:"paths"`
	Faults []pathFault `json:"faults"`
}

// goalCheckOwned compares every owned path with its newest record.
func goalCheckOwned(c *call) error {
	files, tree, err := c.openTree()
	if err != nil {
		return err
	}
	var out checked
	for _, path := range slices.Sorted(maps.Keys(files.run.Owned)) {
		out.Looked++
		if what := c.differs(files, tree, path); what != "" {
			out.Faults = append(out.Faults, pathFault{path, what})
		}
	}
	return c.sayChecked(out, "owned path", "stop: look at who changed them before the next edit or stage; omc-hook goal own PATH takes what is right as it is")
}

// goalCheckStaged compares what a commit would take with the owned paths.
func goalCheckStaged(c *call) error {
	files, tree, err := c.openTree()
	if err != nil {
		return err
	}
	staged, err := gitrun.Staged(files.run.Owner.WorkDir)
	if err != nil {
		return err
	}
	persons := files.run.Persons()
	var out checked
	for _, s := range staged {
		out.Looked++
		if what := c.notToCommit(files, tree, persons, s.Path); what != "" {
			out.Faults = append(out.Faults, pathFault{s.Path, what})
		}
	}
	return c.sayChecked(out, "staged path", "do not commit the index as it is; leave what the person staged, and commit your own paths alone: git commit --only -- PATH...")
}

// notToCommit says why a staged path is not for the loop to commit, "" for not.
func (c *call) notToCommit(files *goalFiles, tree state.Tree, persons goal.PersonsPaths, path string) string {
	_, owned := files.run.Owned[path]
	switch {
	case tree.Holds(path):
		return "it belongs to the state of the loop, which is not committed"
	case !utf8.ValidString(path):
		return "its name is not UTF-8, so that the loop cannot own it"
	case owned:
		return c.differs(files, tree, path)
	}
	if why := persons.Why(path); why != "" {
		return "it " + why
	}
	return "the loop does not own it; omc-hook goal own PATH takes it if the loop wrote it"
}

// differs says how an owned path differs from its record, "" for not.
func (c *call) differs(files *goalFiles, tree state.Tree, path string) string {
	now, err := lookOwned(tree, path, c.Now())
	if err != nil {
		return err.Error()
	}
	return files.run.Owned[path].Differs(now)
}

// openTree reads a run and opens the work tree that its paths lie in.
func (c *call) openTree() (*goalFiles, state.Tree, error) {
	files, err := c.openForReading()
	if err != nil {
		return nil, state.Tree{}, err
	}
	store, loc, err := c.locate()
	if err != nil {
		return nil, state.Tree{}, err
	}
	if files.run.Owner.WorkDir != loc.Root {
		return nil, state.Tree{}, fmt.Errorf("the run in %s works in %s, and this is %s", files.folder.Path, oneLine(files.run.Owner.WorkDir), loc.Root)
	}
	return files, store.OpenTree(loc.Root, files.folder.Path), nil
}

func (c *call) sayChecked(out checked, noun, then string) error {
	if c.json() {
		out.Faults = append([]pathFault{}, out.Faults...)
		if err := c.writeJSON(out); err != nil {
			return err
		}
	} else {
		for _, f := range out.Faults {
			fmt.Fprintf(c.Stdout, "%s: %s\n", oneLine(f.Path), oneLine(f.What))
		}
		fmt.Fprintf(c.Stdout, "%s in %s\n", count(len(out.Faults), "fault"), count(out.Looked, noun))
		if len(out.Faults) > 0 {
			fmt.Fprintln(c.Stdout, then)
		}
	}
	if len(out.Faults) > 0 {
		return statusError(statusFault)
	}
	return nil
}

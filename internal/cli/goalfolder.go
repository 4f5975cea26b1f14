package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"omc-hook/internal/loop/goal"
	"omc-hook/internal/state"
)

// openFolder opens a state directory as a run records it: relative to the root,
// or absolute where the person named one outside.
func openFolder(store state.Store, root, dir string) (state.Folder, error) {
	folder, err := store.OpenFolder(root, dir)
	if errors.Is(err, state.ErrOutside) && filepath.IsAbs(dir) {
		return store.OpenFolderOutside(root, dir)
	}
	return folder, err
}

// folderPath is the path of a state directory as a run records it.
func folderPath(root, dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(root, dir)
}

// stateDir is the state directory as it is recorded: relative to the root where
// it lies below it.
func (s *starter) stateDir(in goal.Invocation) (string, error) {
	if in.StateDir == "" {
		return "", errors.New("--state-dir is empty")
	}
	folder, err := s.store.OpenFolder(s.loc.Root, in.StateDir)
	if errors.Is(err, state.ErrOutside) {
		return s.stateDirOutside(in)
	}
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(s.loc.Root, folder.Path)
	if err != nil {
		return "", fmt.Errorf("relate %s to %s: %w", folder.Path, s.loc.Root, err)
	}
	return filepath.ToSlash(rel), nil
}

// stateDirOutside is stateDir for a directory outside the work tree. The goal
// has to name it word for word: that of this invocation, or, where it has none,
// the one that the run there was started with.
func (s *starter) stateDirOutside(in goal.Invocation) (string, error) {
	path := folderPath(s.loc.Root, in.StateDir)
	named := func(text string) bool {
		return goal.Names(text, in.StateDir) || goal.Names(text, filepath.ToSlash(path))
	}
	if in.Goal != "" && !named(in.Goal) {
		return "", s.notNamed(in.StateDir)
	}
	folder, err := s.store.OpenFolderOutside(s.loc.Root, path)
	if err != nil {
		return "", err
	}
	dir := filepath.ToSlash(folder.Path)
	if in.Goal != "" {
		return dir, nil
	}
	files, err := readGoal(folder)
	if err != nil {
		return "", err
	}
	if files.run.Owner.StateDir != dir || !named(files.run.Goal) {
		return "", s.notNamed(in.StateDir)
	}
	return dir, nil
}

func (s *starter) notNamed(dir string) error {
	return hinted{
		fmt.Errorf("--state-dir=%s lies outside %s, and the goal does not name it word for word", oneLine(dir), s.loc.Root),
		"choose a directory inside, or say in the goal that the state is to lie in " + oneLine(dir),
	}
}

// mayChange refuses, before anything is mended or appended, files that a newer
// build wrote, and files outside the work tree of a run that lies elsewhere.
func (f *goalFiles) mayChange(dir string) error {
	switch {
	case !f.exists:
		return nil
	case f.run.Format > goal.Format:
		return hinted{
			fmt.Errorf("ERROR: %s holds state format %d, and this build reads %d; it is kept as it is", f.folder.Path, f.run.Format, goal.Format),
			"update omc-hook to the build that wrote it, or use another --state-dir=PATH",
		}
	case filepath.IsAbs(dir) && f.run.Owner.StateDir != filepath.ToSlash(dir):
		return fmt.Errorf("ERROR: the run in %s records %s as its state directory", f.folder.Path, oneLine(f.run.Owner.StateDir))
	}
	return nil
}

// checkIdentity refuses a state directory of another format or repository. What
// was not known when the run began, in a directory without git, is not compared.
func (s *starter) checkIdentity(files *goalFiles, gitCommon string) error {
	o := files.run.Owner
	elsewhere := hinted{error: nil, hint: "go on where the run was started, or use another --state-dir=PATH"}
	switch {
	case files.run.Segment == 0:
		return fmt.Errorf("ERROR: %s holds no segment that can be read", filepath.Join(files.folder.Path, goal.WorklogFile))
	case files.run.Format != goal.Format:
		return fmt.Errorf("ERROR: the run in %s is of state format %d, and this build reads %d", files.folder.Path, files.run.Format, goal.Format)
	case o.ProjectPath != s.loc.Root:
		elsewhere.error = fmt.Errorf("ERROR: the run in %s is of %s, and this is %s", files.folder.Path, oneLine(o.ProjectPath), s.loc.Root)
		return elsewhere
	case o.GitCommon != "" && o.GitCommon != gitCommon:
		elsewhere.error = fmt.Errorf("ERROR: the run in %s is of the git directory %s, and this is %s",
			files.folder.Path, oneLine(o.GitCommon), orText(gitCommon, "none that git could name"))
		return elsewhere
	}
	return nil
}

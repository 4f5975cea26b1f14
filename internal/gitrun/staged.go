package gitrun

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omc-hook/internal/gitrepo"
)

// Staged lists what a commit would take: the paths whose index entry differs
// from HEAD, as seen from dir, a renamed file under both names.
func Staged(dir string) ([]gitrepo.Staged, error) {
	prefix, err := prefix(dir)
	if err != nil {
		return nil, err
	}
	out, err := run(dir, "diff", "--cached", "--name-status", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=none")
	if err != nil {
		return nil, err
	}
	list := gitrepo.StagedPaths(out)
	for i := range list {
		list[i].Path = gitrepo.Below(prefix, list[i].Path)
	}
	return list, nil
}

// Tracked reports whether the index or HEAD of the repository of dir holds a
// file at path, which is relative to dir.
func Tracked(dir, path string) (bool, error) {
	out, err := run(dir, "--literal-pathspecs", "ls-files", "-z", "--", path)
	if err != nil || slices.Contains(gitrepo.Names(out), path) {
		return err == nil, err
	}
	if _, err := run(dir, "rev-parse", "--verify", "-q", "HEAD"); err != nil {
		return false, nil
	}
	out, err = run(dir, "--literal-pathspecs", "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", path)
	return slices.Contains(gitrepo.Names(out), path), err
}

// prefix is where dir lies below the top of its work tree.
func prefix(dir string) (string, error) {
	out, err := run(dir, "rev-parse", "--show-prefix")
	return strings.TrimSuffix(string(out), "\n"), err
}

// inProgress names the operations that git has begun and not ended.
func inProgress(dir string) string {
	out, err := run(dir, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return ""
	}
	text := ""
	for _, o := range [...]struct{ file, what string }{
		{"MERGE_HEAD", "merge"},
		{"rebase-merge", "rebase"},
		{"rebase-apply", "rebase"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(strings.TrimSuffix(string(out), "\n"), o.file)); err == nil {
			text += fmt.Sprintf(", a %s is in progress", o.what)
		}
	}
	return text
}

// Package gitrun asks git read-only questions about a repository. It changes
// nothing, never waits for input, and every call has its own time limit; the
// Stop path never uses it.
package gitrun

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"omc-hook/internal/gitrepo"
)

// limit bounds one call of git.
const limit = 3 * time.Second

// maxDirty is the number of dirty paths that a preflight names.
const maxDirty = 10_000

// Facts is what git says about a repository before a loop changes anything.
type Facts struct {
	// IsRepository is false where git is absent or finds no repository; the
	// other fields are empty then.
	IsRepository bool
	// CommonDir is the canonical git common directory.
	CommonDir string
	// Branch is the current branch, or the commit of a detached HEAD; Head is the
	// commit, "" before the first one.
	Branch, Head string
	// Status says in a line what is staged, changed and untracked, and which
	// operation of git is in progress.
	Status string
	// Dirty lists the paths below the directory that differ from HEAD or are
	// untracked; DirtyMore counts those beyond the list. A directory whose files
	// are too many to list ends with a slash.
	Dirty     []string
	DirtyMore int
}

// Preflight looks at the repository that holds dir.
func Preflight(dir string) (Facts, error) {
	common, err := run(dir, "rev-parse", "--git-common-dir")
	if err != nil {
		return Facts{}, err
	}
	f := Facts{IsRepository: true, CommonDir: strings.TrimSpace(string(common))}
	if !filepath.IsAbs(f.CommonDir) {
		f.CommonDir = filepath.Join(dir, f.CommonDir)
	}
	if real, err := filepath.EvalSymlinks(f.CommonDir); err == nil {
		f.CommonDir = real
	}
	f.Branch = branch(dir)
	if head, err := run(dir, "rev-parse", "--verify", "-q", "HEAD"); err == nil {
		f.Head = strings.TrimSpace(string(head))
	}
	err = f.readStatus(dir, maxDirty)
	return f, err
}

// readStatus lists what is dirty, file by file, and where these are more than
// most, with untracked directories as one entry each.
func (f *Facts) readStatus(dir string, most int) error {
	prefix, err := prefix(dir)
	if err != nil {
		return err
	}
	for _, untracked := range []string{"all", "normal"} {
		status, err := run(dir, "status", "--porcelain=v1", "-z", "--untracked-files="+untracked)
		if err != nil {
			return err
		}
		f.Dirty, f.DirtyMore = gitrepo.DirtyPaths(status, most)
		f.Status = gitrepo.Summary(status) + inProgress(dir)
		if f.DirtyMore == 0 {
			break
		}
	}
	for i, name := range f.Dirty {
		f.Dirty[i] = gitrepo.Below(prefix, name)
	}
	return nil
}

// branch is "" in a repository without a commit whose HEAD names no branch.
func branch(dir string) string {
	if out, err := run(dir, "symbolic-ref", "--short", "-q", "HEAD"); err == nil {
		return strings.TrimSpace(string(out))
	}
	out, err := run(dir, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return ""
	}
	return "detached at " + strings.TrimSpace(string(out))
}

func run(dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks", "-C", dir}, args...)...)
	cmd.WaitDelay = time.Second
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(problem.String(), "\n")
		return nil, fmt.Errorf("git %s: %w (%s)", args[0], err, strings.TrimSpace(first))
	}
	return out.Bytes(), nil
}

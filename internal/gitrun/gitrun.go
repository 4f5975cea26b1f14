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
const maxDirty = 200

// Facts is what git says about a repository before a loop changes anything.
type Facts struct {
	// IsRepository is false where git is absent or finds no repository; the
	// other fields are empty then.
	IsRepository bool
	// CommonDir is the canonical git common directory.
	CommonDir string
	// Branch is the current branch, or the commit of a detached HEAD.
	Branch string
	// Dirty lists the paths that were changed before the loop, the person's own;
	// DirtyMore counts those beyond the list.
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
	status, err := run(dir, "status", "--porcelain=v1", "-z", "--untracked-files=normal")
	if err != nil {
		return f, err
	}
	f.Dirty, f.DirtyMore = gitrepo.DirtyPaths(status, maxDirty)
	return f, nil
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

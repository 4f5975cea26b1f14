package gitrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"omc-hook/internal/gitrepo"
)

// Bounds of one look at a work tree. Beyond them it cannot be compared.
const (
	treeLimit     = 20 * time.Second
	maxTreePaths  = 2_000
	maxTreeBytes  = 64 << 20
	maxTreeStatus = 8 << 20
	maxTreeDepth  = 8
)

// located are the variables by which git could be pointed at another repository
// than the one of the directory.
var located = [...]string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_CEILING_DIRECTORIES",
}

// Tree looks at what the work tree of dir holds: the commit, and the index and
// content of each path that differs from it, tracked or not. What git ignores
// does not count, nor what lies below the absolute paths of except. Outside of a
// repository every file below dir counts. A tree too large to look at, or that
// changes meanwhile, is not comparable and says why.
func Tree(dir string, except []string) gitrepo.Tree {
	l := look{except: except}
	head, err := l.repository(dir, "", 0)
	if errors.Is(err, errNoRepository) {
		head, err = "", l.files(dir)
	}
	if err != nil {
		return gitrepo.Tree{NotComparable: err.Error()}
	}
	return gitrepo.NewTree(head, l.paths)
}

var errNoRepository = errors.New("no repository")

// look is one look at a work tree, with what it has found and read.
type look struct {
	except []string
	paths  []gitrepo.TreePath
	read   int64
}

// repository adds what differs from the commit of the repository of dir, and
// what differs in repositories within it.
func (l *look) repository(dir, prefix string, depth int) (head string, err error) {
	if depth > maxTreeDepth {
		return "", fmt.Errorf("more than %d repositories within each other", maxTreeDepth)
	}
	top, err := l.top(dir)
	if err != nil {
		return "", err
	}
	// Within a repository a directory without one of its own, such as that of a
	// submodule that was never fetched, belongs to the one around it.
	if depth > 0 && !sameDirectory(top, dir) {
		return "", errNoRepository
	}
	out, err := l.git(top, "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return "", err
	}
	head, entries, err := gitrepo.Status(out)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		file := filepath.Join(top, filepath.FromSlash(e.Path))
		if l.excepted(file) {
			continue
		}
		if err := l.entry(file, path.Join(prefix, e.Path), e.Fields, depth); err != nil {
			return "", err
		}
	}
	return head, nil
}

// entry adds one path. A directory among the entries of a status is a
// repository of its own.
func (l *look) entry(file, name, fields string, depth int) error {
	info, err := os.Lstat(file)
	if err != nil || !info.IsDir() {
		content, err := l.content(file)
		if err != nil {
			return err
		}
		return l.add(name, fields+" "+content)
	}
	head, err := l.repository(file, name, depth+1)
	if errors.Is(err, errNoRepository) {
		err = nil
	}
	if err != nil {
		return err
	}
	return l.add(name+"/", fields+" repository "+head)
}

func (l *look) add(name, state string) error {
	if len(l.paths) >= maxTreePaths {
		return fmt.Errorf("more than %d paths differ from the commit: commit them or have git ignore them", maxTreePaths)
	}
	sum := sha256.Sum256([]byte(state))
	l.paths = append(l.paths, gitrepo.TreePath{Path: name, State: hex.EncodeToString(sum[:8])})
	return nil
}

// content identifies what stands at a path.
func (l *look) content(file string) (string, error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "absent", nil
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(file)
		return "link " + to, err
	case !info.Mode().IsRegular():
		return info.Mode().Type().String(), nil
	}
	if l.read += info.Size(); l.read > maxTreeBytes {
		return "", fmt.Errorf("more than %d MiB differ from the commit: commit them or have git ignore them", maxTreeBytes>>20)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, info.Size()+1)); err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	return fmt.Sprintf("file %o %x", info.Mode().Perm()&0o111, h.Sum(nil)), nil
}

// files adds every file below dir.
func (l *look) files(dir string) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case l.excepted(file) && d.IsDir():
			return fs.SkipDir
		case d.IsDir() || l.excepted(file):
			return nil
		}
		content, err := l.content(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return l.add(filepath.ToSlash(rel), content)
	})
}

func (l *look) excepted(file string) bool {
	for _, e := range l.except {
		if rel, err := filepath.Rel(e, file); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// top is the top of the work tree that holds dir. A directory below no .git is
// in no repository; every other refusal of git is an error.
func (l *look) top(dir string) (string, error) {
	out, err := l.git(dir, "rev-parse", "--show-toplevel")
	if err == nil {
		return strings.TrimSuffix(string(out), "\n"), nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, statErr := os.Lstat(filepath.Join(at, ".git")); statErr == nil {
			return "", err
		}
		if filepath.Dir(at) == at {
			return "", errNoRepository
		}
	}
}

func sameDirectory(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// git asks a question with bounded output. A monitor program of the repository
// is not asked: it could hide a change.
func (l *look) git(dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), treeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks", "-c", "core.fsmonitor=false", "-C", dir}, args...)...)
	cmd.WaitDelay = time.Second
	cmd.Env = environment(os.Environ())
	out, problem := bounded{most: maxTreeStatus}, bounded{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	switch {
	case out.full:
		return nil, fmt.Errorf("git %s prints more than %d MiB", args[0], maxTreeStatus>>20)
	case err != nil:
		first, _, _ := strings.Cut(problem.String(), "\n")
		return nil, fmt.Errorf("git %s: %w (%s)", args[0], err, strings.TrimSpace(first))
	}
	return out.Bytes(), nil
}

func environment(all []string) []string {
	kept := make([]string, 0, len(all))
	for _, pair := range all {
		name, _, _ := strings.Cut(pair, "=")
		points := false
		for _, v := range located {
			points = points || name == v
		}
		if !points {
			kept = append(kept, pair)
		}
	}
	return kept
}

// bounded keeps the first bytes that are written to it and takes the rest.
type bounded struct {
	bytes.Buffer
	most int
	full bool
}

// Write never fails, so that git is not ended by a closed pipe.
func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - b.Len()
	if len(p) > room {
		b.full = true
		_, err := b.Buffer.Write(p[:max(room, 0)])
		return len(p), err
	}
	return b.Buffer.Write(p)
}

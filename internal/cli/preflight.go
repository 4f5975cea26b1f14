package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"omc-hook/internal/gitrun"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/state"
)

// maxProjectFile bounds the files that tell of a project's commands.
const maxProjectFile = 1 << 20

// preflight is what is found before anything is changed (spec/goal-loop.txt,
// section 2), and the paths that are still as the segment before left them.
func (s *starter) preflight(files *goalFiles, git gitrun.Facts, gitErr error) (goal.Preflight, []goal.OwnedPath) {
	p := goal.Preflight{
		Repository: s.loc.Root, Branch: git.Branch, Head: git.Head, Status: git.Status, DirtyMore: git.DirtyMore, Next: goal.FirstAction,
		Persistence: "omc-hook: a hook was seen in this session",
	}
	if gitErr != nil {
		p.Repository = fmt.Sprintf("%s (git: %s)", s.loc.Root, oneLine(gitErr.Error()))
		if _, err := s.Disk.Lstat(filepath.Join(s.loc.Root, ".git")); err == nil {
			p.StatusUnknown = oneLine(gitErr.Error())
		}
	}
	if !s.proven {
		p.Persistence = authorityManual + ": no hook was seen in this session"
	}
	found := map[string][]byte{}
	for _, name := range goal.ProjectFiles() {
		if data, err := s.Disk.ReadRegular(filepath.Join(s.loc.Root, name), maxProjectFile); err == nil {
			found[name] = data
		}
	}
	p.Instructions, p.Commands = goal.Instructions(found), goal.Commands(found)
	return p, s.dirty(&p, files, git.Dirty)
}

// dirty divides what git calls dirty: what lies in the state directory is
// nobody's, what a segment before owned and left so is the loop's, and the rest
// the person's. The content of the person's paths is not read (spec/goal-loop.txt,
// section 2).
func (s *starter) dirty(p *goal.Preflight, files *goalFiles, names []string) []goal.OwnedPath {
	tree := s.store.OpenTree(s.loc.Root, files.folder.Path)
	var carried []goal.OwnedPath
	for _, name := range names {
		if tree.Holds(name) {
			continue
		}
		if was, known := files.run.Owned[name]; known && files.run.Outcome != "" {
			if now, err := lookOwned(tree, name, s.Now()); err == nil && now.SHA256 == was.SHA256 {
				carried = append(carried, now)
				continue
			}
		}
		p.Dirty = append(p.Dirty, name)
		if _, err := s.Disk.Lstat(filepath.Join(s.loc.Root, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
			p.Gone = append(p.Gone, name)
		}
	}
	return carried
}

// lookOwned is what stands at a path of the work tree now.
func lookOwned(tree state.Tree, path string, now time.Time) (goal.OwnedPath, error) {
	c, err := tree.Look(path)
	if err != nil {
		return goal.OwnedPath{}, err
	}
	o := goal.OwnedPath{Path: path, SHA256: goal.Absent, At: now.UTC().Round(0)}
	if c.SHA256 != "" {
		o.SHA256, o.Size, o.Identity, o.Mode = c.SHA256, c.Size, c.Identity, fmt.Sprintf("%04o", c.Mode.Perm())
	}
	return o, nil
}

// newRunID names a run: the session and the moment make it unlike any other.
func newRunID(session string, now time.Time) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", session, now.UnixNano()))
	return "g" + hex.EncodeToString(sum[:4])
}

package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"time"

	"omc-hook/internal/gitrun"
	"omc-hook/internal/loop/goal"
)

// maxProjectFile bounds the files that tell of a project's commands.
const maxProjectFile = 1 << 20

// preflight is what is found before anything is changed (spec/goal-loop.txt,
// section 2).
func (s *starter) preflight(git gitrun.Facts, gitErr error) goal.Preflight {
	p := goal.Preflight{
		Repository: s.loc.Root, Branch: git.Branch, Dirty: git.Dirty, DirtyMore: git.DirtyMore, Next: goal.FirstAction,
		Persistence: "omc-hook: a hook was seen in this session",
	}
	if gitErr != nil {
		p.Repository = fmt.Sprintf("%s (git: %s)", s.loc.Root, oneLine(gitErr.Error()))
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
	return p
}

// newRunID names a run: the session and the moment make it unlike any other.
func newRunID(session string, now time.Time) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", session, now.UnixNano()))
	return "g" + hex.EncodeToString(sum[:4])
}

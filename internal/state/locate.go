package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"omc-hook/internal/modestate"
)

// Locate finds the state of a session: by its pointer, else by the git root at
// or above the project directory (the working directory where none is set), else
// by that directory itself. A root that is the home directory or the top of the
// file system counts only where it is itself the start, since a stray .git there
// would gather every project. A linked worktree is a root of its own; a session
// that merely enters one is held by its pointer. Without a session the Location
// has no Dir.
func (s Store) Locate(session string) (Location, error) {
	if session != "" && !modestate.ValidSession(session) {
		return Location{}, fmt.Errorf("locate session %q: %w", session, ErrSession)
	}
	root, how, err := s.root(session)
	if err != nil {
		return Location{}, err
	}
	stateRoot, err := s.stateRoot(root)
	if err != nil {
		return Location{}, err
	}
	loc := Location{Session: session, Root: root, StateRoot: stateRoot, How: how}
	if session != "" {
		loc.Dir = filepath.Join(loc.sessionsDir(), session)
	}
	return loc, nil
}

func (s Store) root(session string) (root, how string, err error) {
	if session != "" {
		// Whatever is wrong with a pointer, the session is then found like one
		// that has none.
		if p, err := s.ReadPointer(session); err == nil && p.Root != "" {
			return p.Root, HowPointer, nil
		}
	}
	start := s.Place.ProjectDir
	if start == "" {
		start = s.Place.Cwd
	}
	start, err = s.canonicalDirectory(start)
	if err != nil {
		return "", "", fmt.Errorf("locate the root: %w: %w", ErrNoRoot, err)
	}
	return s.gitRoot(start)
}

// canonicalDirectory resolves an absolute path of an existing directory.
func (s Store) canonicalDirectory(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%q is not an absolute path", path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if err := s.Disk.CheckDirectory(real); err != nil {
		return "", err
	}
	return real, nil
}

// gitRoot walks up to the first directory with a .git in it, be it a directory
// or the file of a worktree or submodule.
func (s Store) gitRoot(start string) (root, how string, err error) {
	home := s.home()
	for dir := start; ; dir = filepath.Dir(dir) {
		top := filepath.Dir(dir) == dir
		if dir != start && (top || dir == home) {
			return start, HowDirectory, nil
		}
		_, err := s.Disk.Lstat(filepath.Join(dir, ".git"))
		if err == nil {
			return dir, HowGit, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", "", fmt.Errorf("look for .git in %s: %w", dir, err)
		}
		if top || dir == home {
			return start, HowDirectory, nil
		}
	}
}

// home is the canonical home directory, "" where there is none.
func (s Store) home() string {
	if !filepath.IsAbs(s.Place.Home) {
		return ""
	}
	real, err := filepath.EvalSymlinks(s.Place.Home)
	if err != nil {
		return ""
	}
	return real
}

// stateRoot is ROOT/.omc, or its own directory below OMC_STATE_DIR.
func (s Store) stateRoot(root string) (string, error) {
	dir := s.Place.StateDir
	if dir == "" {
		return filepath.Join(root, ".omc"), nil
	}
	if strings.HasPrefix(dir, "~") {
		return "", fmt.Errorf("%w: %q begins with a ~ that no shell has replaced", ErrStateDir, dir)
	}
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("%w: %q is not an absolute path", ErrStateDir, dir)
	}
	info, err := s.Disk.Stat(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: %s: %w", ErrStateDir, dir, err)
	}
	if err == nil && !info.IsDir() {
		return "", fmt.Errorf("%w: %s is a file", ErrStateDir, dir)
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(dir, cleanBase(root)+"-"+hex.EncodeToString(sum[:8])), nil
}

// cleanBase is the base name of root in the letters that OMC allows there.
func cleanBase(root string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, filepath.Base(root))
}

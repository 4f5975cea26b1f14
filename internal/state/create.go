package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"omc-hook/internal/disk"
)

// Create makes the directory of a session and what is missing above it, 0700. A
// state root that is made here ignores itself in git, since goals hold what
// people would not publish. Running twice, or in many processes at once, or
// again after an error or a kill, is right; an error leaves at most empty
// directories.
func (s Store) Create(loc Location) error {
	if loc.Dir == "" {
		return fmt.Errorf("create session directory: %w", ErrSession)
	}
	if err := s.makeStateRoot(loc); err != nil {
		return err
	}
	return s.Disk.MkdirPrivate(loc.StateRoot, loc.Dir)
}

func (s Store) makeStateRoot(loc Location) error {
	// The root itself is never made again: it may have been removed on purpose.
	base := loc.Root
	if s.Place.StateDir != "" {
		base = filepath.Dir(loc.StateRoot)
		if err := s.Disk.MkdirBase(base); err != nil {
			return err
		}
	}
	// Stat follows: a link to an existing directory is a legitimate state root.
	if info, err := s.Disk.Stat(loc.StateRoot); err != nil || !info.IsDir() {
		if err := s.Disk.MkdirPrivate(base, loc.StateRoot); err != nil {
			return err
		}
	}
	root, err := filepath.EvalSymlinks(loc.StateRoot)
	if err != nil {
		return fmt.Errorf("create state root: %w", err)
	}
	return s.ignoreIfEmpty(root)
}

// ignoreIfEmpty writes a .gitignore into a directory that holds nothing else. An
// empty directory is one that was just made here, or whose maker was killed
// before this step; git does not track an empty directory, so one that a person
// made loses nothing.
func (s Store) ignoreIfEmpty(dir string) error {
	const enough = 64
	entries, err := s.Disk.List(dir, enough)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !isStray(entry) {
			return nil
		}
	}
	return s.Disk.Replace(filepath.Join(dir, ".gitignore"), []byte("*\n"), true)
}

// isStray tells a temporary file of ours, in use or left behind.
func isStray(entry os.DirEntry) bool {
	return strings.HasPrefix(entry.Name(), disk.TempPrefix) && !entry.IsDir()
}

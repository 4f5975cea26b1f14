package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"omc-hook/internal/disk"
	"omc-hook/internal/modestate"
)

// Edit is what a change wants: the whole new content of one of the names that
// were read. The zero Edit writes nothing. Nil Data keeps the content. Archive
// moves the file, once it holds the content, into the archive.
type Edit struct {
	Name    string
	Data    []byte
	Archive bool
}

// Update takes the session's lock, reads the names again, calls fn with them and
// commits its edit with one rename; then it reads the file back, and archives it
// where the edit says so. Bytes that did not change are not written. It never
// makes a directory: where the session's is gone the error is fs.ErrNotExist.
//
// An error from fn, or one before the rename, leaves the old content. After
// ErrNotDurable nothing is known about it. After an error of the archive the
// content is committed, and the same edit made again archives it. A file that
// could not be read (ErrUnreadable), or that another program has changed or
// removed since (ErrChanged), is not written.
func (s Store) Update(loc Location, until time.Time, names []string, fn func(modestate.Snapshot) (Edit, error)) error {
	if err := s.checkSession(loc); err != nil {
		return fmt.Errorf("update session %q: %w", loc.Session, err)
	}
	unlock, err := s.Disk.Lock(filepath.Join(loc.Dir, lockName), until, lockPoll)
	if err != nil {
		return err
	}
	// Deferred, so that a panic in fn unlocks. An error of the unlock is no news
	// about the commit, and the kernel drops the lock with the process.
	defer func() { _ = unlock() }()
	snap := s.Read(loc, names)
	before := cloneSnapshot(snap)
	edit, err := fn(snap)
	if err != nil {
		return err
	}
	if edit.Name == "" {
		return nil
	}
	if !slices.Contains(names, edit.Name) {
		return fmt.Errorf("update session %s: %q was not read: %w", loc.Session, edit.Name, ErrName)
	}
	return s.commit(loc, before, edit)
}

// cloneSnapshot keeps what was read out of fn's reach: an editor that works in
// place would otherwise make every change look like none.
func cloneSnapshot(snap modestate.Snapshot) modestate.Snapshot {
	out := make(modestate.Snapshot, len(snap))
	for name, file := range snap {
		file.Data = bytes.Clone(file.Data)
		out[name] = file
	}
	return out
}

func (s Store) commit(loc Location, before modestate.Snapshot, edit Edit) error {
	path := filepath.Join(loc.Dir, edit.Name)
	old, exists := before[edit.Name]
	if old.Fault != "" {
		return fmt.Errorf("write %s: %w: %s", path, ErrUnreadable, old.Fault)
	}
	if edit.Data != nil && !(exists && bytes.Equal(old.Data, edit.Data)) {
		if err := s.swap(path, old.Data, exists, edit.Data); err != nil {
			return err
		}
		exists = true
	}
	// A file that is gone already was archived before a kill.
	if edit.Archive && exists {
		return s.archive(loc, edit.Name)
	}
	return nil
}

func (s Store) swap(path string, old []byte, exists bool, data []byte) error {
	if len(data) > maxState {
		return fmt.Errorf("write %s: %w", path, disk.ErrTooLarge)
	}
	unchanged := func() error {
		now, err := s.Disk.ReadRegular(path, maxState)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if exists {
				return ErrChanged
			}
			return nil
		case err != nil:
			return err
		case !exists || !bytes.Equal(now, old):
			return ErrChanged
		}
		return nil
	}
	// The directory is not synced: a lost last count is harmless, and the file
	// itself is synced, so what survives is whole.
	if err := s.Disk.ReplaceIf(path, data, false, unchanged); err != nil {
		return err
	}
	back, err := s.Disk.ReadRegular(path, maxState)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	if !bytes.Equal(back, data) {
		return fmt.Errorf("write %s: %w", path, ErrNotDurable)
	}
	return nil
}

// LockFault says what stands in the place of the session's lock file, nil when
// the lock can be taken or made. It takes no lock and makes nothing.
func (s Store) LockFault(loc Location) error {
	path := filepath.Join(loc.Dir, lockName)
	info, err := s.Disk.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", path, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w", path, disk.ErrNotRegular)
	}
	return nil
}

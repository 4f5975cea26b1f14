package state

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"omc-hook/internal/modestate"
)

const (
	strayAge   = time.Minute
	pointerAge = 30 * 24 * time.Hour
)

// Sessions lists the sessions that have a directory in this repository, at most
// 10,000, sorted. It is for people who ask; a Stop never lists a directory.
func (s Store) Sessions(loc Location) ([]string, error) {
	for _, dir := range []string{loc.stateDir(), loc.sessionsDir()} {
		if err := s.Disk.CheckDirectory(dir); err != nil {
			return nil, absent(err)
		}
	}
	entries, err := s.Disk.List(loc.sessionsDir(), maxEntries)
	if err != nil {
		return nil, absent(err)
	}
	var sessions []string
	for _, entry := range entries {
		if entry.IsDir() && modestate.ValidSession(entry.Name()) {
			sessions = append(sessions, entry.Name())
		}
	}
	return sessions, nil
}

// Sweep removes what only we could have left: temporary files older than a
// minute in the state root, the sessions' directories and the person's,
// pointers, authorizations and approvals older than 30 days, and all but the newest 200 of the archive.
// It goes on after an error and returns all of them.
func (s Store) Sweep(loc Location) error {
	var errs []error
	var dirs []string
	// The state root may be a link, and List follows none.
	if real, err := filepath.EvalSymlinks(loc.StateRoot); err == nil {
		dirs = append(dirs, real)
	}
	sessions, err := s.Sessions(loc)
	errs = append(errs, err)
	for _, session := range sessions {
		dirs = append(dirs, filepath.Join(loc.sessionsDir(), session))
	}
	if s.Place.PersonDir != "" {
		for _, dir := range []string{s.pointerDir(), s.authorizationsDir(), s.approvalsDir()} {
			dirs = append(dirs, dir)
			errs = append(errs, s.sweepPersonal(dir))
		}
	}
	for _, dir := range dirs {
		errs = append(errs, s.sweepStrays(dir))
	}
	return errors.Join(append(errs, s.pruneArchive(loc))...)
}

func (s Store) sweepStrays(dir string) error {
	return s.removeOlder(dir, strayAge, isStray)
}

// sweepPersonal removes the files of sessions of long ago.
func (s Store) sweepPersonal(dir string) error {
	return s.removeOlder(dir, pointerAge, func(entry fs.DirEntry) bool {
		return entry.Type().IsRegular() && strings.HasSuffix(entry.Name(), pointerSuffix)
	})
}

// removeOlder removes the files of dir that pick chooses and that have not been
// written for the given time.
func (s Store) removeOlder(dir string, age time.Duration, pick func(fs.DirEntry) bool) error {
	entries, err := s.Disk.List(dir, maxEntries)
	if err != nil {
		return absent(err)
	}
	var errs []error
	for _, entry := range entries {
		if !pick(entry) {
			continue
		}
		info, err := entry.Info()
		if err != nil || s.now().Sub(info.ModTime()) < age {
			continue
		}
		errs = append(errs, absent(s.Disk.Remove(filepath.Join(dir, entry.Name()))))
	}
	return errors.Join(errs...)
}

func (s Store) pruneArchive(loc Location) error {
	names, err := s.archiveNames(loc)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names[:max(0, len(names)-maxArchived)] {
		errs = append(errs, absent(s.Disk.Remove(filepath.Join(loc.archiveDir(), name))))
	}
	return errors.Join(errs...)
}

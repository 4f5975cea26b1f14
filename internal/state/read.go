package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"omc-hook/internal/disk"
	"omc-hook/internal/modestate"
)

// Read reads the named files of a session. It takes no lock: a file is replaced
// in one step, so what it reads is whole. An absent directory is an empty
// snapshot, as is no session; whatever else stands in the way becomes the fault of each name.
func (s Store) Read(loc Location, names []string) modestate.Snapshot {
	snap := modestate.Snapshot{}
	if loc.Dir == "" {
		return snap
	}
	if err := s.checkSession(loc); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			for _, name := range names {
				snap[name] = modestate.File{Fault: "its directory " + fault(err)}
			}
		}
		return snap
	}
	for _, name := range names {
		data, err := s.readOne(loc, name)
		switch {
		case err == nil:
			snap[name] = modestate.File{Data: data}
		case !errors.Is(err, fs.ErrNotExist):
			snap[name] = modestate.File{Fault: fault(err)}
		}
	}
	return snap
}

func (s Store) readOne(loc Location, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	return s.Disk.ReadRegular(filepath.Join(loc.Dir, name), maxState)
}

// checkSession looks at the directories from the state root down to the
// session. The state root itself may be a link (people keep it elsewhere);
// below it a link would lead our writes to a place that somebody else chose.
func (s Store) checkSession(loc Location) error {
	if loc.Dir == "" {
		return ErrSession
	}
	for _, dir := range []string{loc.stateDir(), loc.sessionsDir(), loc.Dir} {
		if err := s.Disk.CheckDirectory(dir); err != nil {
			return err
		}
	}
	return nil
}

// fault says in one phrase, for a person, why a file cannot be used.
func fault(err error) string {
	for _, known := range []error{disk.ErrLink, disk.ErrNotRegular, disk.ErrNotDirectory, disk.ErrTooLarge, ErrName} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return "cannot be read: no permission"
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return "cannot be read: " + err.Error()
}

// maxName keeps room for what the archive and the quarantine add to a name.
const maxName = 160

// checkName lets through plain file names only: one component, nothing that a
// terminal would obey, nothing that this package keeps for itself, and no .git,
// which an intent record in a cloned repository could otherwise plant.
func checkName(name string) error {
	bad := name == "" || len(name) > maxName || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) ||
		name == "." || name == lockName || strings.HasPrefix(name, reserved) || isGitName(name) || hasControl(name)
	if bad {
		return fmt.Errorf("%q: %w", name, ErrName)
	}
	return nil
}

// reserved begins the names of temporary files and intent records.
const reserved = ".omc-hook-"

func hasControl(text string) bool {
	return strings.ContainsFunc(text, unicode.IsControl)
}

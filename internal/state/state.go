// Package state is where omc-hook keeps what it knows: the mode states of a
// session, their trace and archive, the pointers in the person's state home, and
// the folders of the workflows. Hook and CLI use it alike, and nothing else
// writes state.
//
// Contract: Locate and Read make nothing, lock nothing and list nothing. Update
// is the only way to change a session file: under the session's lock, from what
// it has just read, with one rename, read back. Only Create, Folder.Create and
// the person's own directory make directories, besides the archive's.
// What cannot be read is told apart from what is not there and is never
// written over. No link is followed below a state root; the root itself may be one.
//
// It knows no workflow and no rule: files are names and bytes. It starts no
// process, reads no environment, and its lock does not keep other programs away:
// a change by one of them is noticed (ErrChanged), not prevented.
package state

import (
	"errors"
	"path/filepath"
	"time"

	"omc-hook/internal/disk"
)

// Why something could not be done. Each is wrapped together with its path.
var (
	ErrNoRoot     = errors.New("no usable working directory")
	ErrStateDir   = errors.New("OMC_STATE_DIR is not usable")
	ErrSession    = errors.New("session id is not usable")
	ErrChanged    = errors.New("was changed by another program meanwhile")
	ErrNotDurable = errors.New("does not hold what was just written")
	ErrUnreadable = errors.New("cannot be read and is left as it is")
	ErrNoPersonal = errors.New("no state home of the person is known")
	ErrFolder     = errors.New("is not usable as a state directory")
	ErrName       = errors.New("is not usable as a file name")
	ErrOutside    = errors.New("it lies outside")
	ErrTree       = errors.New("is not a path that a loop can own")
	ErrExpected   = errors.New("does not hold what was expected")
)

// maxState is the largest session file that is read or written.
const maxState = 1 << 20

// lockName is the lock file of a session directory and of a workflow's folder.
const lockName = "omc-hook.lock"

// lockPoll is the pause between two tries for a lock. A holder keeps it for a
// few milliseconds.
const lockPoll = 5 * time.Millisecond

// Place is where a process stands: what Locate resolves from.
type Place struct {
	ProjectDir string // CLAUDE_PROJECT_DIR; "" in the model's shell
	Cwd        string // the event's or the process's working directory
	StateDir   string // OMC_STATE_DIR
	Home       string // the person's home directory; may be ""
	PersonDir  string // the person's state home of omc-hook, see PersonDir; may be ""
}

// Store reads and writes state from one place. A nil Now is time.Now.
type Store struct {
	Place Place
	Disk  disk.Disk
	Now   func() time.Time
}

// How a Location's root was found.
const (
	HowPointer   = "pointer"   // the session's own pointer names it
	HowGit       = "git"       // the git root at or above the place
	HowDirectory = "directory" // no git root: the place itself
)

// Location is where one session's state lies, whether it exists or not. Session
// and Dir are empty for a process that has no session.
type Location struct {
	Session   string
	Root      string // canonical
	StateRoot string
	Dir       string // StateRoot/state/sessions/Session
	How       string
}

func (l Location) stateDir() string    { return filepath.Join(l.StateRoot, "state") }
func (l Location) sessionsDir() string { return filepath.Join(l.StateRoot, "state", "sessions") }
func (l Location) archiveDir() string {
	return filepath.Join(l.StateRoot, "state", "omc-hook-archive")
}

func (s Store) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

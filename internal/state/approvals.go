package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
	"unicode/utf8"

	"omc-hook/internal/disk"
	"omc-hook/internal/modestate"
	"omc-hook/internal/strictjson"
)

// Bounds of one approval.
const (
	maxApproved      = 50
	maxApprovalsFile = 256 << 10
)

// Approval is the list of commands that a person approved, word for word, for
// one run of one session in one root.
type Approval struct {
	Session  string   `json:"session"`
	Root     string   `json:"root"`
	Run      string   `json:"run"`
	Commands []string `json:"commands"`
	// Typed counts those of Commands that the person typed; they stand first.
	Typed int `json:"typed"`
	// Digest identifies all of the above but Typed.
	Digest string    `json:"digest"`
	At     time.Time `json:"at"`
}

// ApprovalDigest identifies commands that are approved for one run of a session.
func ApprovalDigest(loc Location, run string, commands []string) string {
	h := sha256.New()
	for _, part := range append([]string{loc.Session, loc.Root, run}, commands...) {
		fmt.Fprintf(h, "%q\n", part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (s Store) approvalsDir() string { return filepath.Join(s.Place.PersonDir, "approvals") }

func (s Store) approvalPath(session string) (string, error) {
	if s.Place.PersonDir == "" {
		return "", ErrNoPersonal
	}
	if !modestate.ValidSession(session) {
		return "", fmt.Errorf("approval of session %q: %w", session, ErrSession)
	}
	return filepath.Join(s.approvalsDir(), fileID(session)+pointerSuffix), nil
}

// Approve keeps what the person approved for a run; the approval of an earlier
// run of the session is replaced. Only a hook calls it: it answers to what was
// typed, and the file lies where the model's shell need not be able to write.
func (s Store) Approve(loc Location, run string, commands []string, typed int) error {
	path, err := s.approvalPath(loc.Session)
	if err != nil {
		return err
	}
	a := Approval{
		Session: loc.Session, Root: loc.Root, Run: run, Commands: commands, Typed: typed,
		Digest: ApprovalDigest(loc, run, commands), At: s.now().UTC(),
	}
	if err := a.check(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	data, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if len(data) > maxApprovalsFile {
		return fmt.Errorf("write %s: %w", path, disk.ErrTooLarge)
	}
	if err := s.Disk.MkdirBase(s.Place.PersonDir); err != nil {
		return err
	}
	if err := s.Disk.MkdirPrivate(s.Place.PersonDir, s.approvalsDir()); err != nil {
		return err
	}
	return s.Disk.Replace(path, data, true)
}

// Approved is what the person approved for this run of this session in this
// root; the zero Approval is none. What was approved for another one counts for
// nothing, and an approval that is not as it was written is an error.
func (s Store) Approved(loc Location, run string) (Approval, error) {
	path, err := s.approvalPath(loc.Session)
	if err != nil {
		return Approval{}, err
	}
	a, err := s.readApproval(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Approval{}, nil
	case err != nil:
		return Approval{}, err
	case run == "" || a.Session != loc.Session || a.Root != loc.Root || a.Run != run:
		return Approval{}, nil
	}
	return a, nil
}

// CheckApproval says what is wrong with the approval of a session, nil for
// nothing; fs.ErrNotExist means that there is none. path names it.
func (s Store) CheckApproval(session string) (path string, err error) {
	if path, err = s.approvalPath(session); err != nil {
		return "", err
	}
	a, err := s.readApproval(path)
	if err == nil && a.Session != session {
		err = fmt.Errorf("read %s: it belongs to session %q: %w", path, a.Session, ErrSession)
	}
	return path, err
}

func (s Store) readApproval(path string) (Approval, error) {
	var a Approval
	data, err := s.Disk.ReadRegular(path, maxApprovalsFile)
	if err != nil {
		return a, err
	}
	const maxDepth = 8
	err = strictjson.CheckObject(data, maxDepth)
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return Approval{}, fmt.Errorf("read %s: %w", path, err)
	}
	return a, nil
}

// check wants an approval that is whole.
func (a Approval) check() error {
	switch {
	case len(a.Commands) == 0 || len(a.Commands) > maxApproved:
		return fmt.Errorf("it holds %d commands", len(a.Commands))
	case a.Typed < 0 || a.Typed > len(a.Commands):
		return fmt.Errorf("%d of its %d commands were typed", a.Typed, len(a.Commands))
	case a.Digest != ApprovalDigest(Location{Session: a.Session, Root: a.Root}, a.Run, a.Commands):
		return errors.New("its commands are not those that were approved")
	}
	for _, c := range a.Commands {
		if c == "" || !utf8.ValidString(c) {
			return errors.New("one of its commands is empty or no text")
		}
	}
	return nil
}

package state

import (
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

// Bounds of what a person can authorize for one run.
const (
	maxAuthorizations     = 50
	maxAuthorizationText  = 4 << 10
	maxAuthorizationsFile = 1 << 20
)

// Authorization is the person's word for something that a loop does not do by
// itself, as it was typed.
type Authorization struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// authorizations is the file of one session in the person's state home.
type authorizations struct {
	Session string          `json:"session"`
	Root    string          `json:"root"`
	Run     string          `json:"run"`
	List    []Authorization `json:"authorizations"`
}

func (s Store) authorizationsDir() string {
	return filepath.Join(s.Place.PersonDir, "authorizations")
}

func (s Store) authorizationsPath(session string) (string, error) {
	if s.Place.PersonDir == "" {
		return "", ErrNoPersonal
	}
	if !modestate.ValidSession(session) {
		return "", fmt.Errorf("authorizations of session %q: %w", session, ErrSession)
	}
	return filepath.Join(s.authorizationsDir(), fileID(session)+pointerSuffix), nil
}

// Authorize adds what the person typed to the authorizations of one run. Only a
// hook calls it: it answers to what was typed, and the file lies where the
// model's shell need not be able to write. Those of an earlier run, or of
// another root, are dropped.
func (s Store) Authorize(loc Location, run, text string, until time.Time) error {
	path, err := s.authorizationsPath(loc.Session)
	if err != nil {
		return err
	}
	if text == "" || len(text) > maxAuthorizationText || !utf8.ValidString(text) {
		return fmt.Errorf("authorize: the text is empty, longer than %d KiB or not UTF-8", maxAuthorizationText>>10)
	}
	if err := s.Disk.MkdirBase(s.Place.PersonDir); err != nil {
		return err
	}
	if err := s.Disk.MkdirPrivate(s.Place.PersonDir, s.authorizationsDir()); err != nil {
		return err
	}
	unlock, err := s.Disk.Lock(filepath.Join(s.authorizationsDir(), lockName), until, lockPoll)
	if err != nil {
		return err
	}
	return errors.Join(s.addAuthorization(path, loc, run, text), unlock())
}

func (s Store) addAuthorization(path string, loc Location, run, text string) error {
	list, err := s.Authorizations(loc, run)
	if err != nil {
		return err
	}
	if len(list) >= maxAuthorizations {
		return fmt.Errorf("authorize: run %s has %d authorizations already", run, len(list))
	}
	list = append(list, Authorization{Text: text, At: s.now().UTC()})
	data, err := json.Marshal(authorizations{Session: loc.Session, Root: loc.Root, Run: run, List: list})
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if len(data) > maxAuthorizationsFile {
		return fmt.Errorf("write %s: %w", path, disk.ErrTooLarge)
	}
	return s.Disk.Replace(path, data, true)
}

// Authorizations lists what the person authorized for this run of this session
// in this root, oldest first. Whatever else the file holds counts for nothing.
func (s Store) Authorizations(loc Location, run string) ([]Authorization, error) {
	path, err := s.authorizationsPath(loc.Session)
	if err != nil {
		return nil, err
	}
	a, err := s.readAuthorizations(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if a.Session != loc.Session || a.Root != loc.Root || run == "" || a.Run != run {
		return nil, nil
	}
	return a.List, nil
}

// CheckAuthorizations says what is wrong with the file of a session, nil for
// nothing; fs.ErrNotExist means that there is none. path names it.
func (s Store) CheckAuthorizations(session string) (path string, err error) {
	if path, err = s.authorizationsPath(session); err != nil {
		return "", err
	}
	a, err := s.readAuthorizations(path)
	if err == nil && a.Session != session {
		err = fmt.Errorf("read %s: it belongs to session %q: %w", path, a.Session, ErrSession)
	}
	return path, err
}

func (s Store) readAuthorizations(path string) (authorizations, error) {
	var a authorizations
	data, err := s.Disk.ReadRegular(path, maxAuthorizationsFile)
	if err != nil {
		return a, err
	}
	const maxDepth = 8
	err = strictjson.CheckObject(data, maxDepth)
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err == nil && len(a.List) > maxAuthorizations {
		err = fmt.Errorf("it holds %d authorizations", len(a.List))
	}
	if err != nil {
		return authorizations{}, fmt.Errorf("read %s: %w", path, err)
	}
	return a, nil
}

package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

const (
	stateSuffix   = "-state.json"
	archiveSuffix = ".json"
	archiveLayout = "20060102T150405"
	// maxArchived is how many ended loops are kept.
	maxArchived = 200
	// maxEntries bounds every directory that is listed.
	maxEntries = 10_000
)

// Archived is a mode state that has ended.
type Archived struct {
	Path    string
	At      time.Time
	Mode    string
	Session string
	Data    []byte
}

// archive moves a mode state into the archive with one rename. A second one of
// the same mode and session within one second takes the next free second.
func (s Store) archive(loc Location, name string) error {
	mode, ok := strings.CutSuffix(name, stateSuffix)
	if !ok {
		return fmt.Errorf("archive %q: %w", name, ErrName)
	}
	if err := s.Disk.MkdirPrivate(loc.stateDir(), loc.archiveDir()); err != nil {
		return err
	}
	const tries = 100
	from := filepath.Join(loc.Dir, name)
	var err error
	for i := range tries {
		at := s.now().UTC().Add(time.Duration(i) * time.Second).Format(archiveLayout)
		to := at + "-" + mode + "-" + fileID(loc.Session) + archiveSuffix
		err = s.Disk.Move(from, filepath.Join(loc.archiveDir(), to))
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return err
}

// ListArchive returns the newest ended loops of this repository, newest last.
// Entries that are not ours or cannot be read are left out.
func (s Store) ListArchive(loc Location) ([]Archived, error) {
	names, err := s.archiveNames(loc)
	if err != nil {
		return nil, err
	}
	names = names[max(0, len(names)-maxArchived):]
	var out []Archived
	for _, name := range names {
		path := filepath.Join(loc.archiveDir(), name)
		data, err := s.Disk.ReadRegular(path, maxState)
		if err != nil {
			continue
		}
		a := Archived{Path: path, Data: data}
		a.At, _ = archiveTime(name)
		a.Mode, a.Session = archiveOwner(name, data)
		out = append(out, a)
	}
	return out, nil
}

// UnreadableArchive says of each file that ListArchive leaves out although it has
// an archive's name why it cannot be read.
func (s Store) UnreadableArchive(loc Location) (map[string]error, error) {
	entries, err := s.Disk.List(loc.archiveDir(), maxEntries)
	if err != nil {
		return nil, absent(err)
	}
	unreadable := map[string]error{}
	for _, entry := range entries {
		if _, ours := archiveTime(entry.Name()); !ours {
			continue
		}
		path := filepath.Join(loc.archiveDir(), entry.Name())
		if _, err := s.Disk.ReadRegular(path, maxState); err != nil && !errors.Is(err, fs.ErrNotExist) {
			unreadable[path] = err
		}
	}
	return unreadable, nil
}

// archiveNames lists the archive's files, oldest first.
func (s Store) archiveNames(loc Location) ([]string, error) {
	if err := s.Disk.CheckDirectory(loc.stateDir()); err != nil {
		return nil, absent(err)
	}
	entries, err := s.Disk.List(loc.archiveDir(), maxEntries)
	if err != nil {
		return nil, absent(err)
	}
	var names []string
	for _, entry := range entries {
		if _, ok := archiveTime(entry.Name()); ok && entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// absent turns "not there" into no error.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func archiveTime(name string) (time.Time, bool) {
	stamp, rest, ok := strings.Cut(name, "-")
	if !ok || !strings.HasSuffix(rest, archiveSuffix) {
		return time.Time{}, false
	}
	at, err := time.Parse(archiveLayout, stamp)
	return at, err == nil
}

// archiveOwner splits the name into mode and session. Both may hold dashes, so
// the content says where the mode ends; the name decides whether that is true.
func archiveOwner(name string, data []byte) (mode, session string) {
	_, rest, _ := strings.Cut(strings.TrimSuffix(name, archiveSuffix), "-")
	if !gjson.ValidBytes(data) {
		return "", ""
	}
	mode = gjson.GetBytes(data, "mode").String()
	session = gjson.GetBytes(data, "session_id").String()
	if rest != mode+"-"+fileID(session) {
		return "", ""
	}
	return mode, session
}

// fileID is the session id as a part of a file name: itself, and for one that
// would not leave room for the rest of the name, its beginning and a digest.
func fileID(session string) string {
	const longest, kept = 128, 64
	if len(session) <= longest {
		return session
	}
	sum := sha256.Sum256([]byte(session))
	return session[:kept] + "-" + hex.EncodeToString(sum[:8])
}

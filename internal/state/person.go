package state

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"omc-hook/internal/disk"
	"omc-hook/internal/modestate"
	"omc-hook/internal/strictjson"
)

const (
	pointerSuffix = ".json"
	maxPointer    = 16 << 10
	logName       = "log"
	maxLog        = 256 << 10
	maxLogLine    = 4 << 10
)

// PersonDir is the person's state home of omc-hook: what outlives a repository.
// It is "" where the environment names no absolute directory for it.
func PersonDir(getenv func(string) string, goos string) string {
	join := func(dir string, below ...string) string {
		if goos == "windows" {
			return strings.Join(append([]string{strings.TrimRight(dir, `\/`)}, below...), `\`)
		}
		return strings.Join(append([]string{strings.TrimRight(dir, "/")}, below...), "/")
	}
	xdg, home, local := getenv("XDG_STATE_HOME"), getenv("HOME"), getenv("LOCALAPPDATA")
	switch {
	case isAbs(xdg, goos):
		return join(xdg, "omc-hook")
	case goos == "windows" && isAbs(local, goos):
		return join(local, "omc-hook")
	case goos == "windows" || !isAbs(home, goos):
		return ""
	case goos == "darwin":
		return join(home, "Library", "Application Support", "omc-hook")
	}
	return join(home, ".local", "state", "omc-hook")
}

// isAbs is filepath.IsAbs for a system that is named.
func isAbs(path, goos string) bool {
	if goos != "windows" {
		return strings.HasPrefix(path, "/")
	}
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return drive || strings.HasPrefix(path, `\\`)
}

// Pointer is what a hook leaves in the person's state home: where the session's
// root is, and that a hook of this build was seen. Only hooks write it, since
// the model's shell may be kept from the home directory.
type Pointer struct {
	Session  string    `json:"session"`
	Root     string    `json:"root"`
	Launcher string    `json:"launcher"`
	Build    string    `json:"build"`
	Event    string    `json:"event"`
	Seen     time.Time `json:"seen"`
}

func (s Store) pointerDir() string { return filepath.Join(s.Place.PersonDir, "sessions") }

func (s Store) pointerPath(session string) (string, error) {
	if s.Place.PersonDir == "" {
		return "", ErrNoPersonal
	}
	if !modestate.ValidSession(session) {
		return "", fmt.Errorf("pointer of session %q: %w", session, ErrSession)
	}
	return filepath.Join(s.pointerDir(), fileID(session)+pointerSuffix), nil
}

// WritePointer replaces the pointer of p's session. p.Root is absolute, or ""
// where no root is known.
func (s Store) WritePointer(p Pointer) error {
	path, err := s.pointerPath(p.Session)
	if err != nil {
		return err
	}
	if p.Root != "" && !filepath.IsAbs(p.Root) {
		return fmt.Errorf("write %s: root %q is not an absolute path", path, p.Root)
	}
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if len(data) > maxPointer {
		return fmt.Errorf("write %s: %w", path, disk.ErrTooLarge)
	}
	if err := s.Disk.MkdirBase(s.Place.PersonDir); err != nil {
		return err
	}
	if err := s.Disk.MkdirPrivate(s.Place.PersonDir, s.pointerDir()); err != nil {
		return err
	}
	return s.Disk.Replace(path, data, false)
}

// parsePointer reads without reflection: every Stop comes this way.
func parsePointer(data []byte) (Pointer, error) {
	const maxDepth = 8
	if err := strictjson.CheckObject(data, maxDepth); err != nil {
		return Pointer{}, err
	}
	doc := gjson.ParseBytes(data)
	seen, err := time.Parse(time.RFC3339Nano, doc.Get("seen").String())
	if err != nil {
		return Pointer{}, fmt.Errorf("the time of the heartbeat: %w", err)
	}
	return Pointer{
		Session: doc.Get("session").String(), Root: doc.Get("root").String(), Launcher: doc.Get("launcher").String(),
		Build: doc.Get("build").String(), Event: doc.Get("event").String(), Seen: seen,
	}, nil
}

// ReadPointer reads the pointer of a session; fs.ErrNotExist means that no hook
// has been seen. Its Root is canonical, and "" when the directory it named is
// gone or was none: the rest still tells of the hook.
func (s Store) ReadPointer(session string) (Pointer, error) {
	path, err := s.pointerPath(session)
	if err != nil {
		return Pointer{}, err
	}
	data, err := s.Disk.ReadRegular(path, maxPointer)
	if err != nil {
		return Pointer{}, err
	}
	p, err := parsePointer(data)
	if err != nil {
		return Pointer{}, fmt.Errorf("read %s: %w", path, err)
	}
	if p.Session != session {
		return Pointer{}, fmt.Errorf("read %s: it belongs to session %q: %w", path, p.Session, ErrSession)
	}
	if p.Root, err = s.canonicalDirectory(p.Root); err != nil {
		p.Root = ""
	}
	return p, nil
}

// AppendLog adds a line to the person's log, the place for what a hook cannot
// say anywhere else. Without a state home it does nothing. Control characters
// become spaces, and a long line is cut.
func (s Store) AppendLog(line string) error {
	if s.Place.PersonDir == "" {
		return nil
	}
	if err := s.Disk.MkdirBase(s.Place.PersonDir); err != nil {
		return err
	}
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, line[:min(len(line), maxLogLine)])
	return s.Disk.AppendLine(filepath.Join(s.Place.PersonDir, logName), []byte(line), maxLog)
}

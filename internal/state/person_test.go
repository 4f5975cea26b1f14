package state

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
)

func TestPersonDir(t *testing.T) {
	tests := []struct {
		name, goos string
		env        map[string]string
		want       string
	}{
		{"the state home of XDG", "linux", map[string]string{"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/omc-hook"},
		{"a relative state home is ignored", "linux", map[string]string{"XDG_STATE_HOME": "x", "HOME": "/h"}, "/h/.local/state/omc-hook"},
		{"its default", "linux", map[string]string{"HOME": "/h/"}, "/h/.local/state/omc-hook"},
		{"a home at the top", "linux", map[string]string{"HOME": "/"}, "/.local/state/omc-hook"},
		{"a relative home is ignored", "linux", map[string]string{"HOME": "h"}, ""},
		{"nothing known", "linux", nil, ""},
		{"macOS", "darwin", map[string]string{"HOME": "/Users/u"}, "/Users/u/Library/Application Support/omc-hook"},
		{"macOS with XDG", "darwin", map[string]string{"HOME": "/Users/u", "XDG_STATE_HOME": "/x"}, "/x/omc-hook"},
		{"Windows", "windows", map[string]string{"LOCALAPPDATA": `C:\Users\u\AppData\Local`, "HOME": "/h"}, `C:\Users\u\AppData\Local\omc-hook`},
		{"a share on Windows", "windows", map[string]string{"LOCALAPPDATA": `\\server\u\`}, `\\server\u\omc-hook`},
		{"a relative value on Windows is ignored", "windows", map[string]string{"LOCALAPPDATA": `AppData`}, ""},
		{"a path without a drive on Windows is ignored", "windows", map[string]string{"XDG_STATE_HOME": "/x"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := PersonDir(func(name string) string { return tt.env[name] }, tt.goos); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAPointerComesBackAsItWasWritten(t *testing.T) {
	s, loc := newStore(t)
	want := Pointer{Session: session, Root: loc.Root, Launcher: "/p/bin/omc-hook", Build: "1.2.3", Event: "Stop", Seen: noon()}
	for _, event := range []string{"SessionStart", "Stop"} {
		want.Event = event
		if err := s.WritePointer(want); err != nil {
			t.Fatal(err)
		}
		got, err := s.ReadPointer(session)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAPointerWhoseRootIsGoneStillTellsOfTheHook(t *testing.T) {
	s, loc := newStore(t)
	if err := s.WritePointer(Pointer{Session: session, Root: filepath.Join(loc.Root, "gone"), Build: "1"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.ReadPointer(session)
	if err != nil || got.Root != "" || got.Build != "1" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestPointersAreRefused(t *testing.T) {
	s, _ := newStore(t)
	tests := []struct {
		name    string
		pointer Pointer
		want    error
	}{
		{"of a session that is no name", Pointer{Session: "../x"}, ErrSession},
		{"of no session", Pointer{}, ErrSession},
		{"that are too large", Pointer{Session: session, Launcher: strings.Repeat("x", maxPointer)}, disk.ErrTooLarge},
	}
	for _, tt := range tests {
		if err := s.WritePointer(tt.pointer); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := s.WritePointer(Pointer{Session: session, Root: "rel"}); err == nil {
		t.Error("a relative root was accepted")
	}
	if _, err := s.ReadPointer("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v, want %v", err, fs.ErrNotExist)
	}
	symlink(t, write(t, filepath.Join(s.Place.Home, "p"), `{"session":"S3"}`), filepath.Join(s.pointerDir(), "S3.json"))
	if _, err := s.ReadPointer("S3"); !errors.Is(err, disk.ErrLink) {
		t.Errorf("link: %v, want %v", err, disk.ErrLink)
	}
	s.Place.PersonDir = ""
	if err := s.WritePointer(Pointer{Session: session}); !errors.Is(err, ErrNoPersonal) {
		t.Errorf("no home: %v, want %v", err, ErrNoPersonal)
	}
	if _, err := s.ReadPointer(session); !errors.Is(err, ErrNoPersonal) {
		t.Errorf("no home: %v, want %v", err, ErrNoPersonal)
	}
}

func TestTheLongestSessionsHavePointersOfTheirOwn(t *testing.T) {
	s, _ := newStore(t)
	for _, last := range []string{"a", "b"} {
		id := strings.Repeat("x", 254) + last
		if err := s.WritePointer(Pointer{Session: id, Build: last}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.ReadPointer(strings.Repeat("x", 254) + "a")
	if err != nil || got.Build != "a" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTheLogTakesOnePlainLineAtATime(t *testing.T) {
	s, _ := newStore(t)
	path := filepath.Join(s.Place.PersonDir, logName)
	if err := s.AppendLog("a\nb\x1b[31m\u009bc"); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, path), "a b [31m c\n"; got != want {
		t.Errorf("log holds %q, want %q", got, want)
	}
	if err := s.AppendLog(strings.Repeat("é", maxLogLine) + "\xff"); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); len(got) > 2*maxLogLine || !utf8.ValidString(got) {
		t.Errorf("log has %d bytes, valid %v", len(got), utf8.ValidString(got))
	}
	s.Place.PersonDir = ""
	if err := s.AppendLog("x"); err != nil {
		t.Errorf("no home: %v", err)
	}
}

func FuzzReadPointer(f *testing.F) {
	f.Add([]byte(`{"session":"S1","root":"/"}`))
	f.Add([]byte(`{"session":"S1","root":7}`))
	f.Add([]byte(`{"SESSION":"S1","seen":"2026-99-99"}`))
	f.Add([]byte(strings.Repeat(`{"a":`, 3000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Store{Place: Place{PersonDir: tempDir(t)}}
		write(t, filepath.Join(s.pointerDir(), session+pointerSuffix), string(data))
		p, err := s.ReadPointer(session)
		if err == nil && (p.Session != session || p.Root != "" && !filepath.IsAbs(p.Root)) {
			t.Errorf("%q gave %+v", data, p)
		}
	})
}

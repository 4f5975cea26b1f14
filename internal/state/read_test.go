package state

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
	"omc-hook/internal/modestate"
)

func TestReadTellsAbsentFromUnusable(t *testing.T) {
	tests := []struct {
		name  string
		make  func(t *testing.T, loc Location, file string)
		want  string // content
		fault string
	}{
		{"no state root is an empty snapshot", func(*testing.T, Location, string) {}, "", ""},
		{"no session directory is an empty snapshot", func(t *testing.T, loc Location, _ string) { mkdir(t, loc.sessionsDir()) }, "", ""},
		{"no file is an empty snapshot", func(t *testing.T, loc Location, _ string) { mkdir(t, loc.Dir) }, "", ""},
		{"a file is read", func(t *testing.T, _ Location, file string) { write(t, file, "{}") }, "{}", ""},
		{"garbage is read, judging it is not this package's", func(t *testing.T, _ Location, file string) {
			write(t, file, "\x00\x00{")
		}, "\x00\x00{", ""},
		{"a file over 1 MiB is a fault", func(t *testing.T, _ Location, file string) {
			write(t, file, strings.Repeat(" ", maxState+1))
		}, "", "is too large"},
		{"a directory is a fault", func(t *testing.T, _ Location, file string) { mkdir(t, file) }, "", "is not a regular file"},
		{"a link is a fault", func(t *testing.T, loc Location, file string) {
			symlink(t, write(t, filepath.Join(loc.Root, "target"), "{}"), file)
		}, "", "is a link"},
		{"a dangling link is a fault", func(t *testing.T, _ Location, file string) { symlink(t, "nothing", file) }, "", "is a link"},
		{"a hard link is a fault", func(t *testing.T, loc Location, file string) {
			mkdir(t, loc.Dir)
			if err := os.Link(write(t, filepath.Join(loc.Root, "target"), "{}"), file); err != nil {
				t.Skip(err)
			}
		}, "", "is a link"},
		{"a linked session directory is a fault", func(t *testing.T, loc Location, _ string) {
			write(t, filepath.Join(loc.Root, "other", goalFile), "{}")
			symlink(t, filepath.Join(loc.Root, "other"), loc.Dir)
		}, "", "its directory is a link"},
		{"linked sessions are a fault", func(t *testing.T, loc Location, _ string) {
			symlink(t, tempDir(t), loc.sessionsDir())
		}, "", "its directory is a link"},
		{"linked state is a fault", func(t *testing.T, loc Location, _ string) {
			symlink(t, tempDir(t), loc.stateDir())
		}, "", "its directory is a link"},
		{"a linked state root is legitimate", func(t *testing.T, loc Location, file string) {
			symlink(t, tempDir(t), loc.StateRoot)
			write(t, file, "{}")
		}, "{}", ""},
		{"a dangling state root is an empty snapshot", func(t *testing.T, loc Location, _ string) {
			symlink(t, "nothing", loc.StateRoot)
		}, "", ""},
		{"a file in the way is a fault", func(t *testing.T, loc Location, _ string) { write(t, loc.sessionsDir(), "") }, "", "its directory is not a directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, loc := newStore(t)
			tt.make(t, loc, filepath.Join(loc.Dir, goalFile))
			before := tree(t, loc.Root)
			want := modestate.Snapshot{}
			if tt.want != "" {
				want[goalFile] = modestate.File{Data: []byte(tt.want)}
			}
			if tt.fault != "" {
				want[goalFile] = modestate.File{Fault: tt.fault}
			}
			if diff := cmp.Diff(want, s.Read(loc, goalNames)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, tree(t, loc.Root)); diff != "" {
				t.Errorf("Read changed the disk: %s", diff)
			}
		})
	}
}

func TestReadNeverTakesAFailureForAbsence(t *testing.T) {
	s, loc := newSession(t)
	set(t, s, loc, Edit{Name: goalFile, Data: []byte("{}")})
	for _, errno := range []error{syscall.EACCES, syscall.EIO, syscall.EMFILE, syscall.ELOOP} {
		for _, op := range []string{disk.OpStat, disk.OpOpen} {
			got := s.failing(op, errno).Read(loc, goalNames)[goalFile]
			if got.Fault == "" || got.Data != nil {
				t.Errorf("%s with %v: %+v, want a fault", op, errno, got)
			}
		}
	}
}

func TestReadWithoutPermissionIsAFault(t *testing.T) {
	s, loc := newSession(t)
	set(t, s, loc, Edit{Name: goalFile, Data: []byte("{}")})
	path := filepath.Join(loc.Dir, goalFile)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(path); err == nil {
		t.Skip("this user reads everything")
	}
	if got, want := s.Read(loc, goalNames)[goalFile].Fault, "cannot be read: no permission"; got != want {
		t.Errorf("fault %q, want %q", got, want)
	}
}

func TestReadOpensPlainNamesOnly(t *testing.T) {
	s, loc := newSession(t)
	write(t, filepath.Join(loc.sessionsDir(), "secret"), "secret")
	for _, name := range []string{
		"", ".", "..", "../secret", "a/b", `a\b`, "/etc/passwd", "C:x", "a\nb", "a\x00b", "\u009b", ".git", ".GIT", "git~1",
		lockName, ".omc-hook-intent.json", strings.Repeat("a", maxName+1),
	} {
		if got := s.Read(loc, []string{name})[name]; got.Fault == "" {
			t.Errorf("%q was opened: %+v", name, got)
		}
	}
}

func TestReadOfNoSessionIsEmpty(t *testing.T) {
	s, loc := newStore(t)
	loc.Dir = ""
	if got := s.Read(loc, goalNames); len(got) != 0 {
		t.Errorf("got %v, want an empty snapshot", got)
	}
}

// The cost of a Stop in a session without a loop: no listing, no lock, nothing made.
func TestAStopWithoutALoopCostsAHandfulOfOperations(t *testing.T) {
	s, loc := newSession(t)
	if err := s.WritePointer(Pointer{Session: session, Root: loc.Root}); err != nil {
		t.Fatal(err)
	}
	var ops []string
	s.Disk = disk.Faulty(disk.Real(), func(op, path string) error {
		ops = append(ops, op)
		return nil
	})
	loc, err := s.Locate(session)
	if err != nil {
		t.Fatal(err)
	}
	s.Read(loc, []string{"goal-loop-state.json", "refine-loop-state.json", "omh-loop-state.json", "refine-state.json"})
	want := "open stat stat " + // pointer, its root
		"stat stat stat " + // state, sessions, session
		"open open open open"
	if got := strings.Join(ops, " "); got != want {
		t.Errorf("operations %q, want %q", got, want)
	}
}

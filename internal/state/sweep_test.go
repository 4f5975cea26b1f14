package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
)

// aged sets the time of a file's last write.
func aged(t *testing.T, path string, age time.Duration) {
	t.Helper()
	at := noon().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestSessionsAreTheRealDirectoriesWithAValidName(t *testing.T) {
	s, loc := newStore(t)
	if got, err := s.Sessions(loc); got != nil || err != nil {
		t.Errorf("no directory: %v, %v", got, err)
	}
	for _, name := range []string{"b", "a-1", "not valid", ".hidden", "-rf"} {
		mkdir(t, filepath.Join(loc.sessionsDir(), name))
	}
	write(t, filepath.Join(loc.sessionsDir(), "file"), "")
	symlink(t, filepath.Join(loc.sessionsDir(), "b"), filepath.Join(loc.sessionsDir(), "link"))
	got, err := s.Sessions(loc)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a-1", "b"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSessionsOfALinkedDirectoryAreAnError(t *testing.T) {
	s, loc := newStore(t)
	symlink(t, tempDir(t), loc.stateDir())
	if _, err := s.Sessions(loc); !errors.Is(err, disk.ErrLink) {
		t.Errorf("error %v, want %v", err, disk.ErrLink)
	}
}

func TestSweepRemovesOnlyOldFilesOfOurs(t *testing.T) {
	s, loc := newSession(t)
	const old, fresh = 61 * time.Second, 59 * time.Second
	for _, dir := range []string{loc.StateRoot, loc.Dir, s.pointerDir()} {
		for name, age := range map[string]time.Duration{
			disk.TempPrefix + "old": old, disk.TempPrefix + "fresh": fresh,
			goalFile: 1000 * time.Hour, "x.tmp": 1000 * time.Hour, "goal-loop-state.json123": 1000 * time.Hour,
		} {
			aged(t, write(t, filepath.Join(dir, name), ""), age)
		}
		mkdir(t, filepath.Join(dir, disk.TempPrefix+"dir"))
	}
	if err := os.Remove(filepath.Join(s.pointerDir(), goalFile)); err != nil {
		t.Fatal(err)
	}
	aged(t, write(t, filepath.Join(s.pointerDir(), "old.json"), ""), 30*24*time.Hour+1)
	aged(t, write(t, filepath.Join(s.pointerDir(), "fresh.json"), ""), 30*24*time.Hour-1)
	if err := s.Sweep(loc); err != nil {
		t.Fatal(err)
	}
	check := func(dir string, want ...string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, entry := range entries {
			got = append(got, entry.Name())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", dir, diff)
		}
	}
	ours := []string{disk.TempPrefix + "dir", disk.TempPrefix + "fresh"}
	check(loc.StateRoot, ".gitignore", ours[0], ours[1], goalFile, "goal-loop-state.json123", "state", "x.tmp")
	check(loc.Dir, ours[0], ours[1], goalFile, "goal-loop-state.json123", "x.tmp")
	check(s.pointerDir(), ours[0], ours[1], "fresh.json", "goal-loop-state.json123", "x.tmp")
}

func TestSweepKeepsTheNewestOfTheArchive(t *testing.T) {
	s, loc := newSession(t)
	for i := range maxArchived + 5 {
		name := noon().Add(time.Duration(i)*time.Minute).Format(archiveLayout) + "-goal-loop-S1.json"
		write(t, filepath.Join(loc.archiveDir(), name), string(stateOf("goal-loop", session)))
	}
	write(t, filepath.Join(loc.archiveDir(), "notes.md"), "")
	if err := s.Sweep(loc); err != nil {
		t.Fatal(err)
	}
	got, err := s.ListArchive(loc)
	if err != nil || len(got) != maxArchived {
		t.Fatalf("%d left, %v, want %d", len(got), err, maxArchived)
	}
	if want := noon().Add(5 * time.Minute); !got[0].At.Equal(want) {
		t.Errorf("oldest is of %v, want %v", got[0].At, want)
	}
	if content(t, filepath.Join(loc.archiveDir(), "notes.md")) == "absent" {
		t.Error("a file that is not ours is gone")
	}
}

func TestSweepFollowsNoLink(t *testing.T) {
	s, loc := newSession(t)
	outside := tempDir(t)
	stray := write(t, filepath.Join(outside, disk.TempPrefix+"x"), "keep")
	aged(t, stray, time.Hour)
	symlink(t, outside, filepath.Join(loc.sessionsDir(), "S2"))
	symlink(t, outside, loc.archiveDir())
	symlink(t, outside, s.pointerDir())
	err := s.Sweep(loc)
	if !errors.Is(err, disk.ErrLink) {
		t.Errorf("error %v, want %v", err, disk.ErrLink)
	}
	if content(t, stray) != "keep" {
		t.Error("a file behind a link was removed")
	}
}

func TestSweepGoesOnAfterAnError(t *testing.T) {
	s, loc := newSession(t)
	for i := range 3 {
		aged(t, write(t, filepath.Join(loc.Dir, fmt.Sprint(disk.TempPrefix, i)), ""), time.Hour)
	}
	failed := false
	s.Disk = disk.Faulty(disk.Real(), func(op, _ string) error {
		if op == disk.OpRemove && !failed {
			failed = true
			return syscall.EACCES
		}
		return nil
	})
	if err := s.Sweep(loc); !errors.Is(err, syscall.EACCES) {
		t.Errorf("error %v, want %v", err, syscall.EACCES)
	}
	if got := strings.Join(tree(t, loc.Dir), " "); got != "temp" {
		t.Errorf("left %q, want one file", got)
	}
}

func TestSweepOfNothingMakesNothing(t *testing.T) {
	s, loc := newStore(t)
	if err := s.Sweep(loc); err != nil {
		t.Error(err)
	}
	if got := tree(t, filepath.Dir(loc.Root)); len(got) != 2 {
		t.Errorf("there is %q, want only the repository", got)
	}
}

package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"omc-hook/internal/disk"
	"omc-hook/internal/modestate"
)

// edit is a change that wants the same whatever it sees.
func edit(e Edit) func(modestate.Snapshot) (Edit, error) {
	return func(modestate.Snapshot) (Edit, error) { return e, nil }
}

func TestUpdateCommitsWhatTheFunctionMakesOfWhatItReads(t *testing.T) {
	s, loc := newSession(t)
	path := filepath.Join(loc.Dir, goalFile)
	for _, want := range []string{"x", "xx", "xxx"} {
		err := s.Update(loc, later(), goalNames, func(snap modestate.Snapshot) (Edit, error) {
			// In place, as an editor of bytes may.
			return Edit{Name: goalFile, Data: append(snap[goalFile].Data, 'x')}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != want {
			t.Errorf("file holds %q, want %q", got, want)
		}
	}
}

func TestUpdateNoticesAChangeMadeInPlace(t *testing.T) {
	s, loc := newSession(t)
	set(t, s, loc, Edit{Name: goalFile, Data: []byte("1")})
	err := s.Update(loc, later(), goalNames, func(snap modestate.Snapshot) (Edit, error) {
		data := snap[goalFile].Data
		data[0] = '2'
		return Edit{Name: goalFile, Data: data}, nil
	})
	if got := content(t, filepath.Join(loc.Dir, goalFile)); err != nil || got != "2" {
		t.Errorf("file holds %q, %v, want 2", got, err)
	}
}

func TestUpdateThatWritesNothing(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name string
		edit Edit
		fail error
		want error
	}{
		{"the zero edit", Edit{}, nil, nil},
		{"unchanged bytes", Edit{Name: goalFile, Data: []byte("old")}, nil, nil},
		{"no new bytes", Edit{Name: goalFile}, nil, nil},
		{"an error of the function", Edit{Name: goalFile, Data: []byte("new")}, boom, boom},
		{"a name that was not read", Edit{Name: "other-state.json", Data: []byte("new")}, nil, ErrName},
		{"more than can be read back", Edit{Name: goalFile, Data: make([]byte, maxState+1)}, nil, disk.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, loc := newSession(t)
			set(t, s, loc, Edit{Name: goalFile, Data: []byte("old")})
			s.Disk = disk.Faulty(disk.Real(), func(op, path string) error {
				if op == disk.OpCreate || op == disk.OpRename {
					t.Errorf("%s %s", op, path)
				}
				return nil
			})
			err := s.Update(loc, later(), goalNames, func(modestate.Snapshot) (Edit, error) { return tt.edit, tt.fail })
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if got := content(t, filepath.Join(loc.Dir, goalFile)); got != "old" {
				t.Errorf("file holds %q, want %q", got, "old")
			}
		})
	}
}

func TestUpdateNeverWritesOverWhatItCouldNotRead(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, path, target string)
	}{
		{"a link", func(t *testing.T, path, target string) { symlink(t, target, path) }},
		{"a hard link", func(t *testing.T, path, target string) {
			if err := os.Link(target, path); err != nil {
				t.Skip(err)
			}
		}},
		{"a directory", func(t *testing.T, path, _ string) { mkdir(t, path) }},
		{"too large a file", func(t *testing.T, path, _ string) { write(t, path, strings.Repeat(" ", maxState+1)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, loc := newSession(t)
			target := write(t, filepath.Join(loc.Root, "target"), "keep")
			path := filepath.Join(loc.Dir, goalFile)
			tt.make(t, path, target)
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []Edit{{Name: goalFile, Data: []byte("new")}, {Name: goalFile, Archive: true}} {
				if err := s.Update(loc, later(), goalNames, edit(e)); !errors.Is(err, ErrUnreadable) {
					t.Errorf("error %v, want %v", err, ErrUnreadable)
				}
			}
			after, err := os.Lstat(path)
			if err != nil || !os.SameFile(before, after) || content(t, target) != "keep" {
				t.Errorf("the file or its target was touched: %v", err)
			}
		})
	}
}

func TestUpdateNoticesWhatOtherProgramsDo(t *testing.T) {
	tests := []struct {
		name   string
		old    string // "" for no file
		change func(t *testing.T, loc Location, path string)
		want   error
		left   string
	}{
		{"a file removed meanwhile does not come back", "old", func(t *testing.T, _ Location, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, ErrChanged, "absent"},
		{"a file changed meanwhile keeps the change", "old", func(t *testing.T, _ Location, path string) { write(t, path, "theirs") }, ErrChanged, "theirs"},
		{"a file made meanwhile stays", "", func(t *testing.T, _ Location, path string) { write(t, path, "theirs") }, ErrChanged, "theirs"},
		{"a directory removed meanwhile does not come back", "old", func(t *testing.T, loc Location, _ string) {
			if err := os.RemoveAll(loc.StateRoot); err != nil {
				t.Fatal(err)
			}
		}, fs.ErrNotExist, "absent"},
	}
	for _, tt := range tests {
		for _, moment := range []string{"while the function runs", disk.OpCreate, disk.OpWrite, disk.OpSync} {
			t.Run(tt.name+", at "+moment, func(t *testing.T) {
				s, loc := newSession(t)
				path := filepath.Join(loc.Dir, goalFile)
				if tt.old != "" {
					set(t, s, loc, Edit{Name: goalFile, Data: []byte(tt.old)})
				}
				s.Disk = disk.Faulty(disk.Real(), func(op, _ string) error {
					if op == moment {
						tt.change(t, loc, path)
					}
					return nil
				})
				err := s.Update(loc, later(), goalNames, func(modestate.Snapshot) (Edit, error) {
					if moment == "while the function runs" {
						tt.change(t, loc, path)
					}
					return Edit{Name: goalFile, Data: []byte("ours")}, nil
				})
				if !errors.Is(err, tt.want) {
					t.Errorf("error %v, want %v", err, tt.want)
				}
				if got := content(t, path); got != tt.left {
					t.Errorf("file holds %q, want %q", got, tt.left)
				}
			})
		}
	}
}

func TestUpdateNeverMakesADirectory(t *testing.T) {
	s, loc := newStore(t)
	err := s.Update(loc, later(), goalNames, edit(Edit{Name: goalFile, Data: []byte("x")}))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
	if got := tree(t, loc.Root); len(got) != 1 {
		t.Errorf("the root holds %q, want only .git", got)
	}
}

func TestUpdateRefusesLinkedDirectoriesAndLocks(t *testing.T) {
	s, loc := newSession(t)
	outside := tempDir(t)
	symlink(t, filepath.Join(outside, "made"), filepath.Join(loc.Dir, lockName))
	e := edit(Edit{Name: goalFile, Data: []byte("x")})
	if err := s.Update(loc, later(), goalNames, e); !errors.Is(err, disk.ErrLink) {
		t.Errorf("linked lock: %v, want %v", err, disk.ErrLink)
	}
	if err := os.RemoveAll(loc.Dir); err != nil {
		t.Fatal(err)
	}
	symlink(t, outside, loc.Dir)
	if err := s.Update(loc, later(), goalNames, e); !errors.Is(err, disk.ErrLink) {
		t.Errorf("linked session: %v, want %v", err, disk.ErrLink)
	}
	if got := tree(t, outside); len(got) != 0 {
		t.Errorf("outside holds %q, want nothing", got)
	}
}

func TestUpdateGivesUpOnALockThatIsHeld(t *testing.T) {
	s, loc := newSession(t)
	err := s.Update(loc, later(), goalNames, func(modestate.Snapshot) (Edit, error) {
		// A call from within must not wait for itself.
		return Edit{}, s.Update(loc, time.Time{}, goalNames, edit(Edit{Name: goalFile, Data: []byte("x")}))
	})
	if !errors.Is(err, disk.ErrLocked) {
		t.Errorf("error %v, want %v", err, disk.ErrLocked)
	}
}

func TestUpdateUnlocksAfterAPanic(t *testing.T) {
	s, loc := newSession(t)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = s.Update(loc, later(), goalNames, func(modestate.Snapshot) (Edit, error) { panic("boom") })
	}()
	if err := s.Update(loc, time.Time{}, goalNames, edit(Edit{Name: goalFile, Data: []byte("x")})); err != nil {
		t.Error(err)
	}
}

func TestUpdateIsNotDurableWhenTheFileReadsBackDifferently(t *testing.T) {
	s, loc := newSession(t)
	path := filepath.Join(loc.Dir, goalFile)
	for name, spoil := range map[string]func(){
		"other bytes": func() { write(t, path, "other") },
		"no file":     func() { _ = os.Remove(path) },
	} {
		renamed := false
		s.Disk = disk.Faulty(disk.Real(), func(op, _ string) error {
			if op == disk.OpOpen && renamed {
				spoil()
			}
			renamed = renamed || op == disk.OpRename
			return nil
		})
		err := s.Update(loc, later(), goalNames, func(modestate.Snapshot) (Edit, error) {
			return Edit{Name: goalFile, Data: []byte("new " + name)}, nil
		})
		if !errors.Is(err, ErrNotDurable) {
			t.Errorf("%s: error %v, want %v", name, err, ErrNotDurable)
		}
	}
}

func TestUpdateLeavesOldOrNewWholeAfterAnyFailure(t *testing.T) {
	t.Parallel()
	eachFault(t, func(t *testing.T, f *breakage) {
		s, loc := newSession(t)
		set(t, s, loc, Edit{Name: goalFile, Data: []byte("old")})
		err := s.with(f).Update(loc, time.Time{}, goalNames, edit(Edit{Name: goalFile, Data: []byte("new")}))
		got := content(t, filepath.Join(loc.Dir, goalFile))
		switch {
		case got != "old" && got != "new":
			t.Errorf("file holds %q", got)
		case err == nil && got != "new":
			t.Errorf("success, and the file holds %q", got)
		case err != nil && got == "new" && !errors.Is(err, ErrNotDurable):
			t.Errorf("error %v, and the file is new", err)
		}
		for _, entry := range tree(t, loc.Dir) {
			if entry != goalFile+"="+got && (entry != "temp" || !f.dead) {
				t.Errorf("left %q", entry)
			}
		}
		// Whatever happened, the next one works.
		set(t, s, loc, Edit{Name: goalFile, Data: []byte("next")})
	})
}

func TestUpdateOnAFullOrReadOnlyDiskKeepsTheOldContentReadable(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT} {
		for _, op := range []string{disk.OpCreate, disk.OpWrite, disk.OpSync, disk.OpRename} {
			s, loc := newSession(t)
			set(t, s, loc, Edit{Name: goalFile, Data: []byte("old")})
			err := s.failing(op, errno).Update(loc, later(), goalNames, edit(Edit{Name: goalFile, Data: []byte("new")}))
			if !errors.Is(err, errno) || !strings.Contains(err.Error(), loc.Dir) {
				t.Errorf("%s: error %v, want %v and the path", op, err, errno)
			}
			if got := string(s.Read(loc, goalNames)[goalFile].Data); got != "old" {
				t.Errorf("%s with %v: file holds %q, want %q", op, errno, got, "old")
			}
		}
	}
}

package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
)

func created() []string {
	return []string{".git/", ".omc/", ".omc/.gitignore=*\n", ".omc/state/", ".omc/state/sessions/", ".omc/state/sessions/S1/"}
}

func TestCreateMakesPrivateDirectoriesThatGitIgnores(t *testing.T) {
	s, loc := newStore(t)
	for range 2 {
		if err := s.Create(loc); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(created(), tree(t, loc.Root)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCreateLeavesAStateRootOfOthersAsItIs(t *testing.T) {
	s, loc := newStore(t)
	write(t, filepath.Join(loc.StateRoot, "notes.md"), "kept in git")
	if err := s.Create(loc); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(loc.StateRoot, ".gitignore")); got != "absent" {
		t.Errorf(".gitignore holds %q, want none", got)
	}
}

func TestCreateFinishesAfterAKillBeforeTheIgnoreFile(t *testing.T) {
	s, loc := newStore(t)
	write(t, filepath.Join(loc.StateRoot, disk.TempPrefix+"x"), "*")
	if err := s.Create(loc); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(loc.StateRoot, ".gitignore")); got != "*\n" {
		t.Errorf(".gitignore holds %q", got)
	}
}

func TestCreateInPlacesThatAreNotPlain(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, s *Store, loc Location)
		want error
	}{
		{"a linked state root is legitimate", func(t *testing.T, _ *Store, loc Location) { symlink(t, tempDir(t), loc.StateRoot) }, nil},
		{"a state directory elsewhere is made", func(t *testing.T, s *Store, _ Location) {
			s.Place.StateDir = filepath.Join(tempDir(t), "new", "dir")
		}, nil},
		{"a dangling state root is refused", func(t *testing.T, _ *Store, loc Location) { symlink(t, "nothing", loc.StateRoot) }, disk.ErrLink},
		{"a file as the state root is refused", func(t *testing.T, _ *Store, loc Location) { write(t, loc.StateRoot, "") }, disk.ErrNotDirectory},
		{"linked sessions are refused", func(t *testing.T, _ *Store, loc Location) { symlink(t, tempDir(t), loc.sessionsDir()) }, disk.ErrLink},
		{"a linked session is refused", func(t *testing.T, _ *Store, loc Location) { symlink(t, tempDir(t), loc.Dir) }, disk.ErrLink},
		{"a file as sessions is refused", func(t *testing.T, _ *Store, loc Location) { write(t, loc.sessionsDir(), "") }, disk.ErrNotDirectory},
		{"a root that is gone stays gone", func(t *testing.T, _ *Store, loc Location) {
			if err := os.RemoveAll(loc.Root); err != nil {
				t.Fatal(err)
			}
		}, fs.ErrNotExist},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, loc := newStore(t)
			tt.make(t, &s, loc)
			if s.Place.StateDir != "" {
				var err error
				if loc, err = s.Locate(session); err != nil {
					t.Fatal(err)
				}
			}
			err := s.Create(loc)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if info, statErr := os.Stat(loc.Dir); err == nil && (statErr != nil || !info.IsDir()) {
				t.Errorf("no session directory: %v", statErr)
			}
		})
	}
	s, loc := newStore(t)
	loc.Dir = ""
	if err := s.Create(loc); !errors.Is(err, ErrSession) {
		t.Errorf("no session: %v, want %v", err, ErrSession)
	}
}

func TestCreateIsSuccessForAllOfManyAtOnce(t *testing.T) {
	s, loc := newStore(t)
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() { errs[i] = s.Create(loc) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(created(), tree(t, loc.Root)); diff != "" {
		t.Error(diff)
	}
}

func TestCreateFinishesAfterAnyFailure(t *testing.T) {
	t.Parallel()
	eachFault(t, func(t *testing.T, f *breakage) {
		s, loc := newStore(t)
		_ = s.with(f).Create(loc)
		for _, entry := range tree(t, loc.Root) {
			if entry == ".omc/state/" && content(t, filepath.Join(loc.StateRoot, ".gitignore")) != "*\n" {
				t.Error("state stands without its ignore file")
			}
		}
		if err := s.Create(loc); err != nil {
			t.Error(err)
		}
		got := tree(t, loc.Root)
		if len(got) > 0 && got[len(got)-1] == "temp" {
			got = got[:len(got)-1]
		}
		if diff := cmp.Diff(created(), got); diff != "" {
			t.Error(diff)
		}
	})
}

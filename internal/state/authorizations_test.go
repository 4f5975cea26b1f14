package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
)

func authorize(t *testing.T, s Store, loc Location, run, text string) {
	t.Helper()
	if err := s.Authorize(loc, run, text, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
}

func texts(t *testing.T, s Store, loc Location, run string) []string {
	t.Helper()
	list, err := s.Authorizations(loc, run)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range list {
		out = append(out, a.Text)
	}
	return out
}

func TestAnAuthorizationCountsForItsRunSessionAndRootAlone(t *testing.T) {
	s, loc := newStore(t)
	authorize(t, s, loc, "g1", "push to main")
	authorize(t, s, loc, "g1", "release\n1.2 \"now\"")
	if diff := cmp.Diff([]string{"push to main", "release\n1.2 \"now\""}, texts(t, s, loc, "g1")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	elsewhere, other := loc, loc
	elsewhere.Root = filepath.Join(filepath.Dir(loc.Root), "another")
	other.Session = "another"
	for name, got := range map[string][]string{
		"another run": texts(t, s, loc, "g2"), "no run": texts(t, s, loc, ""),
		"another root": texts(t, s, elsewhere, "g1"), "another session": texts(t, s, other, "g1"),
	} {
		if got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
	// The next run of the session starts with nothing, and drops what was.
	authorize(t, s, loc, "g2", "deploy")
	if got := texts(t, s, loc, "g1"); got != nil {
		t.Errorf("the earlier run still has %q", got)
	}
}

func TestACopyForAnotherSessionCountsForNothing(t *testing.T) {
	s, loc := newStore(t)
	authorize(t, s, loc, "g1", "push")
	other := loc
	other.Session = "another"
	data := content(t, filepath.Join(s.authorizationsDir(), loc.Session+".json"))
	write(t, filepath.Join(s.authorizationsDir(), "another.json"), data)
	if got := texts(t, s, other, "g1"); got != nil {
		t.Errorf("got %q", got)
	}
	if _, err := s.CheckAuthorizations("another"); !errors.Is(err, ErrSession) {
		t.Errorf("the copy is not found wrong: %v", err)
	}
}

func TestAuthorizeRefusesWhatItCannotKeep(t *testing.T) {
	s, loc := newStore(t)
	for name, text := range map[string]string{
		"nothing": "", "too long": strings.Repeat("x", maxAuthorizationText+1), "not UTF-8": "a\xff",
	} {
		if err := s.Authorize(loc, "g1", text, time.Now().Add(time.Minute)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	for i := range maxAuthorizations {
		authorize(t, s, loc, "g1", fmt.Sprint(i))
	}
	if err := s.Authorize(loc, "g1", "one more", time.Now().Add(time.Minute)); err == nil {
		t.Error("there is no bound")
	}
	none := s
	none.Place.PersonDir = ""
	if err := none.Authorize(loc, "g1", "x", time.Now().Add(time.Minute)); !errors.Is(err, ErrNoPersonal) {
		t.Errorf("without a state home: %v", err)
	}
}

func TestABrokenFileOfAuthorizationsGrantsNothing(t *testing.T) {
	for name, data := range map[string]string{
		"no JSON": "{", "a list": "[]", "deep": strings.Repeat(`{"a":`, 20) + "1" + strings.Repeat("}", 20),
		"a wrong type": `{"session":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, loc := newStore(t)
			write(t, filepath.Join(s.authorizationsDir(), loc.Session+".json"), data)
			if list, err := s.Authorizations(loc, "g1"); err == nil || list != nil {
				t.Errorf("got %v, %v", list, err)
			}
			if err := s.Authorize(loc, "g1", "x", time.Now().Add(time.Minute)); err == nil {
				t.Error("it was written over")
			}
			if path, err := s.CheckAuthorizations(loc.Session); err == nil || path == "" {
				t.Errorf("the check says %q, %v", path, err)
			}
		})
	}
	s, loc := newStore(t)
	if _, err := s.CheckAuthorizations(loc.Session); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	symlink(t, "elsewhere", filepath.Join(s.authorizationsDir(), loc.Session+".json"))
	if _, err := s.Authorizations(loc, "g1"); !errors.Is(err, disk.ErrLink) {
		t.Errorf("a link: %v", err)
	}
}

func TestTwoAuthorizationsAtOnceAreBothKept(t *testing.T) {
	s, loc := newStore(t)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if err := s.Authorize(loc, "g1", fmt.Sprint(i), time.Now().Add(time.Minute)); err != nil {
				t.Error(err)
			}
		}()
	}
	wait.Wait()
	if got := texts(t, s, loc, "g1"); len(got) != 8 {
		t.Errorf("%d of 8 are kept", len(got))
	}
}

func TestAuthorizationsAreThePersonsAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	s, loc := newStore(t)
	authorize(t, s, loc, "g1", "push")
	for path, want := range map[string]fs.FileMode{s.authorizationsDir(): 0o700, filepath.Join(s.authorizationsDir(), loc.Session+".json"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestOldAuthorizationsAreSweptAway(t *testing.T) {
	s, loc := newStore(t)
	authorize(t, s, loc, "g1", "push")
	path := filepath.Join(s.authorizationsDir(), loc.Session+".json")
	for _, tt := range []struct {
		age  time.Duration
		want bool
	}{{pointerAge - time.Hour, true}, {pointerAge + time.Hour, false}} {
		if err := os.Chtimes(path, noon().Add(-tt.age), noon().Add(-tt.age)); err != nil {
			t.Fatal(err)
		}
		if err := s.Sweep(loc); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != tt.want {
			t.Errorf("after %v: %v", tt.age, err)
		}
	}
}

package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnApprovalHoldsForOneRunOfOneSessionInOneRoot(t *testing.T) {
	s, loc := newStore(t)
	if got, err := s.Approved(loc, "g1"); err != nil || got.Commands != nil {
		t.Errorf("before: got %+v, error %v", got, err)
	}
	if _, err := s.CheckApproval(loc.Session); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: got error %v", err)
	}
	commands := []string{"go vet ./...", `grep "a  b" x && true`}
	if err := s.Approve(loc, "g1", commands, 1); err != nil {
		t.Fatal(err)
	}
	got, err := s.Approved(loc, "g1")
	if diff := cmp.Diff(commands, got.Commands); diff != "" || err != nil || got.Typed != 1 || got.Digest != ApprovalDigest(loc, "g1", commands) {
		t.Errorf("got %+v, error %v (-want +got):\n%s", got, err, diff)
	}
	otherRoot, otherSession := loc, loc
	otherRoot.Root, otherSession.Session = loc.Root+"2", loc.Session+"2"
	for name, got := range map[string]func() (Approval, error){
		"another run":     func() (Approval, error) { return s.Approved(loc, "g2") },
		"no run":          func() (Approval, error) { return s.Approved(loc, "") },
		"another root":    func() (Approval, error) { return s.Approved(otherRoot, "g1") },
		"another session": func() (Approval, error) { return s.Approved(otherSession, "g1") },
	} {
		if a, err := got(); err != nil || a.Commands != nil {
			t.Errorf("%s: got %+v, error %v", name, a, err)
		}
	}
	if err := s.Approve(loc, "g2", []string{"make"}, 0); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Approved(loc, "g1"); err != nil || got.Commands != nil {
		t.Errorf("the run before: got %+v, error %v", got, err)
	}
	path, err := s.CheckApproval(loc.Session)
	if err != nil {
		t.Error(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || !strings.HasPrefix(path, s.Place.PersonDir) {
		t.Errorf("%s: mode %v, error %v", path, info.Mode(), err)
	}
}

func TestAnApprovalThatIsNotAsItWasWrittenCountsForNothing(t *testing.T) {
	s, loc := newStore(t)
	if err := s.Approve(loc, "g1", []string{"go test ./..."}, 1); err != nil {
		t.Fatal(err)
	}
	path, err := s.CheckApproval(loc.Session)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"another command":     strings.Replace(string(whole), "go test ./...", "true", 1),
		"another root":        strings.Replace(string(whole), `"root":"`, `"root":"/x`, 1),
		"more that was typed": strings.Replace(string(whole), `"typed":1`, `"typed":2`, 1),
		"no command":          `{"session":"` + loc.Session + `","commands":[]}`,
		"half of it":          string(whole[:len(whole)/2]),
		"nothing":             "",
		"a key twice":         strings.Replace(string(whole), `"typed":1`, `"typed":1,"run":"g2"`, 1),
		"deep nesting":        strings.Repeat("[", 100),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Approved(loc, "g1"); err == nil || got.Commands != nil {
			t.Errorf("%s: got %+v, error %v", name, got, err)
		}
		if _, err := s.CheckApproval(loc.Session); err == nil {
			t.Errorf("%s: the check finds nothing", name)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(other, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	symlink(t, other, path)
	if got, err := s.Approved(loc, "g1"); err == nil || got.Commands != nil {
		t.Errorf("a link: got %+v, error %v", got, err)
	}
}

func TestWhatCannotBeApprovedIsRefused(t *testing.T) {
	s, loc := newStore(t)
	noHome, noSession := s, loc
	noHome.Place.PersonDir, noSession.Session = "", "a/b"
	for name, err := range map[string]error{
		"no command":     s.Approve(loc, "g1", nil, 0),
		"too many":       s.Approve(loc, "g1", make([]string, maxApproved+1), 0),
		"an empty one":   s.Approve(loc, "g1", []string{""}, 0),
		"no text":        s.Approve(loc, "g1", []string{"\xff"}, 0),
		"too long":       s.Approve(loc, "g1", []string{strings.Repeat("x", maxApprovalsFile)}, 0),
		"no state home":  noHome.Approve(loc, "g1", []string{"a"}, 0),
		"a bad session":  s.Approve(noSession, "g1", []string{"a"}, 0),
		"too many typed": s.Approve(loc, "g1", []string{"a"}, 2),
	} {
		if err == nil {
			t.Errorf("%s: it was approved", name)
		}
	}
}

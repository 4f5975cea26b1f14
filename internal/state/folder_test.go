package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
)

// newFolder is a workflow's folder that exists.
func newFolder(t *testing.T) (Store, Folder) {
	t.Helper()
	s, loc := newStore(t)
	f, err := s.OpenFolder(loc.Root, ".goal-loop")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Create(); err != nil {
		t.Fatal(err)
	}
	return s, f
}

// with is the folder on a disk that b breaks.
func (f Folder) with(b *breakage) Folder {
	f.store = f.store.with(b)
	return f
}

func TestOpenFolder(t *testing.T) {
	s, loc := newStore(t)
	root := loc.Root
	outside := tempDir(t)
	symlink(t, outside, filepath.Join(root, "link"))
	symlink(t, root, filepath.Join(outside, "way-in"))
	symlink(t, ".omc", filepath.Join(root, "omc-link"))
	write(t, filepath.Join(root, "file"), "")
	tests := []struct {
		name, dir, path string
		err             error
	}{
		{"a relative directory", ".goal-loop", ".goal-loop", nil},
		{"a nested one that is not there yet", "a/b/../c", "a/c", nil},
		{"an absolute one", filepath.Join(root, ".goal-loop"), ".goal-loop", nil},
		{"one through a link above the root", filepath.Join(outside, "way-in", "x", "y"), "x/y", nil},
		{"none", "", "", ErrFolder},
		{"the root", ".", "", ErrFolder},
		{"the root, absolute", root + "/", "", ErrFolder},
		{"above the root", "..", "", ErrFolder},
		{"beside the root", "../x", "", ErrFolder},
		{"beside the root with its name as a beginning", root + "2", "", ErrFolder},
		{"elsewhere", outside, "", ErrFolder},
		{"through a link below the root", "link/x", "", disk.ErrLink},
		{"a link below the root", filepath.Join(root, "link"), "", disk.ErrLink},
		{"below a file", "file/x", "", disk.ErrNotDirectory},
		{"a file", "file", "", disk.ErrNotDirectory},
		{"git's own", ".git", "", ErrFolder},
		{"in git's own", ".git/hooks", "", ErrFolder},
		{"in git's own in other letters", ".GIT/hooks", "", ErrFolder},
		{"in git's own as Windows spells it", "GIT~1/x", "", ErrFolder},
		{"in git's own with what Windows drops", ".git. /x", "", ErrFolder},
		{"in git's own of a part", "sub/.git/x", "", ErrFolder},
		{"the state root", ".omc", "", ErrFolder},
		{"in the state root", ".omc/goal", "", ErrFolder},
		{"the state root in other letters", ".OMC/goal", "", ErrFolder},
		{"a link to the state root", "omc-link/x", "", disk.ErrLink},
		{"with a control character", "a\nb", "", ErrFolder},
		{"with a zero byte", "a\x00b", "", ErrFolder},
	}
	before := tree(t, root)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := s.OpenFolder(root, tt.dir)
			if !errors.Is(err, tt.err) {
				t.Fatalf("opened %q, error %v, want %v", f.Path, err, tt.err)
			}
			if want := filepath.Join(root, tt.path); err == nil && f.Path != want {
				t.Errorf("path %q, want %q", f.Path, want)
			}
		})
	}
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("OpenFolder changed the disk: %s", diff)
	}
	if _, err := s.OpenFolder(filepath.Join(root, "gone"), "x"); !errors.Is(err, ErrNoRoot) {
		t.Errorf("no root: %v, want %v", err, ErrNoRoot)
	}
}

func TestFolderIsNotTheStateRootThatALinkLeadsTo(t *testing.T) {
	s, loc := newStore(t)
	mkdir(t, filepath.Join(loc.Root, "store"))
	symlink(t, "store", loc.StateRoot)
	if _, err := s.OpenFolder(loc.Root, "store/x"); !errors.Is(err, ErrFolder) {
		t.Errorf("error %v, want %v", err, ErrFolder)
	}
}

func TestFolderCreate(t *testing.T) {
	s, loc := newStore(t)
	create := func(dir string, shared bool) string {
		t.Helper()
		f, err := s.OpenFolder(loc.Root, dir)
		if err == nil && shared {
			err = f.CreateShared()
		} else if err == nil {
			err = f.Create()
		}
		if err != nil {
			t.Fatal(err)
		}
		return content(t, filepath.Join(f.Path, ".gitignore"))
	}
	write(t, filepath.Join(loc.Root, "theirs", "notes.md"), "")
	for _, tt := range []struct {
		name, dir string
		shared    bool
		want      string
	}{
		{"a new folder ignores itself", ".goal-loop", false, "*\n"},
		{"creating it again changes nothing", ".goal-loop", false, "*\n"},
		{"a folder of the person's is left alone", "theirs", false, "absent"},
		{"a shared folder does not ignore itself", ".claude/.omh", true, "absent"},
	} {
		if got := create(tt.dir, tt.shared); got != tt.want {
			t.Errorf("%s: .gitignore is %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFolderLooksAgainAtItsWay(t *testing.T) {
	_, f := newFolder(t)
	outside := tempDir(t)
	write(t, filepath.Join(outside, "a"), "keep")
	if err := os.RemoveAll(f.Path); err != nil {
		t.Fatal(err)
	}
	symlink(t, outside, f.Path)
	before := tree(t, outside)
	_, readErr := f.Read("a", 100)
	_, lockErr := f.Lock(time.Time{})
	for name, err := range map[string]error{
		"read": readErr, "lock": lockErr, "create": f.Create(), "recover": f.Recover(),
		"append": f.Append("a", []byte("x")), "replace": f.Replace("a", []byte("x")),
		"set": f.CreateSet(map[string][]byte{"b": nil}), "quarantine": f.Quarantine("a", 0),
	} {
		if !errors.Is(err, disk.ErrLink) {
			t.Errorf("%s: %v, want %v", name, err, disk.ErrLink)
		}
	}
	if diff := cmp.Diff(before, tree(t, outside)); diff != "" {
		t.Error(diff)
	}
}

func TestFolderReadsAndWritesItsFiles(t *testing.T) {
	_, f := newFolder(t)
	if _, err := f.Read("LOG.md", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v, want %v", err, fs.ErrNotExist)
	}
	if err := f.Append("LOG.md", []byte("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("append to an absent file: %v, want %v", err, fs.ErrNotExist)
	}
	for _, err := range []error{f.Replace("LOG.md", []byte("one\n")), f.Append("LOG.md", []byte("two\n"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := f.Read("LOG.md", 100)
	if err != nil || string(got) != "one\ntwo\n" {
		t.Errorf("read %q, %v", got, err)
	}
	if _, err := f.Read("LOG.md", 3); !errors.Is(err, disk.ErrTooLarge) {
		t.Errorf("too large: %v, want %v", err, disk.ErrTooLarge)
	}
	for _, name := range []string{"../x", "a/b", "", lockName, intentName, ".git", "\x1b"} {
		if err := f.Replace(name, nil); !errors.Is(err, ErrName) {
			t.Errorf("%q: %v, want %v", name, err, ErrName)
		}
	}
}

func TestFolderLock(t *testing.T) {
	s, f := newFolder(t)
	unlock, err := f.Lock(later())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Lock(time.Time{}); !errors.Is(err, disk.ErrLocked) {
		t.Errorf("while held: %v, want %v", err, disk.ErrLocked)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	missing, err := s.OpenFolder(f.root, "other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := missing.Lock(time.Time{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestFolderAppendKeepsTheOldContentAfterAnyFailure(t *testing.T) {
	t.Parallel()
	eachFault(t, func(t *testing.T, b *breakage) {
		_, f := newFolder(t)
		path := write(t, filepath.Join(f.Path, "LOG.md"), "old\n")
		err := f.with(b).Append("LOG.md", []byte("new new\n"))
		got := content(t, path)
		if err == nil && got != "old\nnew new\n" || err != nil && !b.dead && got != "old\n" || !strings.HasPrefix(got, "old\n") {
			t.Errorf("error %v, file holds %q", err, got)
		}
	})
}

package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"omc-hook/internal/disk"
)

func sum(data string) string {
	s := sha256.Sum256([]byte(data))
	return hex.EncodeToString(s[:])
}

// newTree is a work tree whose state directory is .goal-loop.
func newTree(t *testing.T) (Store, Tree, string) {
	t.Helper()
	s, loc := newStore(t)
	mkdir(t, filepath.Join(loc.Root, ".goal-loop"))
	return s, s.OpenTree(loc.Root, filepath.Join(loc.Root, ".goal-loop")), loc.Root
}

func TestAPathIsNamedFromTheRoot(t *testing.T) {
	_, tree, root := newTree(t)
	sub := filepath.Join(root, "sub")
	mkdir(t, sub)
	outside := tempDir(t)
	symlink(t, root, filepath.Join(outside, "way-in"))
	tests := []struct {
		name, cwd, path, want string
		ok                    bool
	}{
		{"a plain name", root, "a.go", "a.go", true},
		{"from a directory below", sub, "a.go", "sub/a.go", true},
		{"up from there", sub, "../b.go", "b.go", true},
		{"absolute", outside, filepath.Join(root, "x", "y"), "x/y", true},
		{"through a link above the root", outside, filepath.Join(outside, "way-in", "x"), "x", true},
		{"with what leads nowhere", root, "./x/../y", "y", true},
		{"a space, quotes and a dollar", root, `a "b" 'c' $d`, `a "b" 'c' $d`, true},
		{"a line break", root, "a\nb", "a\nb", true},
		{"a name like git's", root, ".gitignore", ".gitignore", true},
		{"nothing", root, "", "", false},
		{"the root", root, ".", "", false},
		{"the root from below", sub, "..", "", false},
		{"outside", root, "../x", "", false},
		{"outside, absolute", root, outside, "", false},
		{"beside the root with its name as a beginning", root, root + "2/x", "", false},
		{"not UTF-8", root, "a\xffb", "", false},
		{"a NUL", root, "a\x00b", "", false},
		{"too long", root, strings.Repeat("x/", 3_000), "", false},
		{"git's own", root, ".git/config", "", false},
		{"git's own in other letters", root, ".GIT/config", "", false},
		{"git's own of a part", root, "sub/.git", "", false},
		{"the state directory", root, ".goal-loop/GOAL.md", "", false},
		{"the state directory in other letters", root, ".Goal-Loop/x", "", false},
		{"the state directory itself", root, ".goal-loop", "", false},
		{"a name that begins like it", root, ".goal-loop2", ".goal-loop2", true},
		{"the state root", root, ".omc/state/x", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tree.Rel(tt.cwd, tt.path)
			if (err == nil) != tt.ok || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
			if err != nil && !errors.Is(err, ErrTree) {
				t.Errorf("the error %v is not ErrTree", err)
			}
		})
	}
}

func TestWhatStandsAtAPath(t *testing.T) {
	_, tree, root := newTree(t)
	write(t, filepath.Join(root, "text"), "a\r\nb\r\n")
	write(t, filepath.Join(root, "binary"), "\x00\xff")
	write(t, filepath.Join(root, "dir", "x"), "x")
	write(t, filepath.Join(root, "module", ".git"), "gitdir: ../.git/modules/module")
	write(t, filepath.Join(root, "module", "x"), "x")
	symlink(t, "text", filepath.Join(root, "link"))
	symlink(t, "nowhere", filepath.Join(root, "dangling"))
	symlink(t, "dir", filepath.Join(root, "dirlink"))
	tests := []struct {
		path, digest string
		err          error
	}{
		{"text", sum("a\r\nb\r\n"), nil},
		{"binary", sum("\x00\xff"), nil},
		{"dir/x", sum("x"), nil},
		{"never", "", nil},
		{"no/such/directory", "", nil},
		{"dir", "", disk.ErrNotRegular},
		{"link", "", disk.ErrLink},
		{"dangling", "", disk.ErrLink},
		{"dirlink/x", "", disk.ErrLink},
		{"text/x", "", disk.ErrNotDirectory},
		{"module/x", "", ErrTree},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			got, err := tree.Look(tt.path)
			if got.SHA256 != tt.digest || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v; want %q, %v", got.SHA256, err, tt.digest, tt.err)
			}
		})
	}
	if runtime.GOOS != "windows" {
		if err := os.Link(filepath.Join(root, "text"), filepath.Join(root, "second")); err != nil {
			t.Fatal(err)
		}
		if _, err := tree.Look("text"); !errors.Is(err, disk.ErrLink) {
			t.Errorf("a file with a second name: %v", err)
		}
	}
}

func TestPutWritesOnlyOverWhatWasExpected(t *testing.T) {
	tests := []struct {
		name, before, expect string
		err                  error
	}{
		{"a new file", "absent", "", nil},
		{"the file that was seen", "old", sum("old"), nil},
		{"an empty file that was seen", "", sum(""), nil},
		{"a file that appeared", "old", "", ErrExpected},
		{"a file with another content", "older", sum("old"), ErrExpected},
		{"a file that is gone", "absent", sum("old"), ErrExpected},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, tree, root := newTree(t)
			path := filepath.Join(root, "f")
			if tt.before != "absent" {
				write(t, path, tt.before)
			}
			got, err := tree.Put("f", []byte("new"), tt.expect)
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %v, want %v", err, tt.err)
			}
			want := tt.before
			if err == nil {
				want = "new"
				if got.SHA256 != sum("new") || got.Size != 3 {
					t.Errorf("got %+v", got)
				}
			}
			if now := content(t, path); now != want {
				t.Errorf("the file holds %q, want %q", now, want)
			}
		})
	}
}

// putMoment is what another program does right before step op of a put.
func putMoment(t *testing.T, op string, before, expect string, do func(root string)) (string, error) {
	t.Helper()
	s, _, root := newTree(t)
	path := filepath.Join(root, "sub", "f")
	mkdir(t, filepath.Dir(path))
	if before != "absent" {
		write(t, path, before)
	}
	done := false
	s.Disk = disk.Faulty(disk.Real(), func(what, _ string) error {
		if what == op && !done {
			done = true
			do(root)
		}
		return nil
	})
	tree := s.OpenTree(root, filepath.Join(root, ".goal-loop"))
	_, err := tree.Put("sub/f", []byte("new"), expect)
	if !done {
		t.Fatalf("no %s was seen", op)
	}
	return root, err
}

func TestPutNoticesWhatChangesBeneathIt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows holds an open directory")
	}
	edit := func(root string) { write(t, filepath.Join(root, "sub", "f"), "theirs") }
	replace := func(root string) {
		write(t, filepath.Join(root, "sub", "g"), "old")
		if err := os.Rename(filepath.Join(root, "sub", "g"), filepath.Join(root, "sub", "f")); err != nil {
			t.Fatal(err)
		}
	}
	swap := func(root string) {
		if err := os.Rename(filepath.Join(root, "sub"), filepath.Join(root, "was")); err != nil {
			t.Fatal(err)
		}
		mkdir(t, filepath.Join(root, "sub"))
		write(t, filepath.Join(root, "sub", "f"), "old")
	}
	link := func(root string) {
		if err := os.Remove(filepath.Join(root, "sub", "f")); err != nil {
			t.Fatal(err)
		}
		symlink(t, filepath.Join(root, "victim"), filepath.Join(root, "sub", "f"))
		write(t, filepath.Join(root, "victim"), "victim")
	}
	tests := []struct {
		name, op, before, expect string
		do                       func(root string)
		want                     string
	}{
		{"an edit before the temporary file", disk.OpCreate, "old", sum("old"), edit, "theirs"},
		{"an edit while it is written", disk.OpSync, "old", sum("old"), edit, "theirs"},
		{"another file of the same content", disk.OpSync, "old", sum("old"), replace, "old"},
		{"another directory in its place", disk.OpSync, "old", sum("old"), swap, "old"},
		{"a link in its place", disk.OpSync, "old", sum("old"), link, "victim"},
		{"a file that appears", disk.OpCreate, "absent", "", edit, "theirs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root, err := putMoment(t, tt.op, tt.before, tt.expect, tt.do)
			if err == nil {
				t.Fatal("the put went through")
			}
			if got := content(t, filepath.Join(root, "sub", "f")); got != tt.want {
				t.Errorf("the file holds %q, want %q (%v)", got, tt.want, err)
			}
			for _, name := range tree(t, filepath.Join(root, "sub")) {
				if strings.Contains(name, "temp") {
					t.Error("a temporary file is left")
				}
			}
		})
	}
}

func TestPutIntoADirectoryThatIsSwappedLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows holds an open directory")
	}
	root, err := putMoment(t, disk.OpCreate, "absent", "", func(root string) {
		if err := os.Rename(filepath.Join(root, "sub"), filepath.Join(root, "was")); err != nil {
			t.Fatal(err)
		}
		mkdir(t, filepath.Join(root, "sub"))
	})
	if !errors.Is(err, disk.ErrMoved) {
		t.Errorf("got %v", err)
	}
	if got := content(t, filepath.Join(root, "sub", "f")); got != "absent" {
		t.Errorf("the new directory holds %q", got)
	}
}

// A put that is killed, or fails, at any step leaves the old content or the new
// one, except that a new file may be there in part.
func TestAPutThatIsBrokenOffLeavesTheOldOrTheNew(t *testing.T) {
	for _, dead := range []bool{false, true} {
		for n := 1; ; n++ {
			s, _, root := newTree(t)
			path := write(t, filepath.Join(root, "f"), "old")
			b := &breakage{n: n, dead: dead, err: errors.New("broken")}
			_, err := s.with(b).OpenTree(root).Put("f", []byte("new"), sum("old"))
			if b.seen < n {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			if got := content(t, path); got != "old" && got != "new" {
				t.Errorf("step %d (%s): the file holds %q", n, b.op, got)
			}
		}
	}
}

func TestTwoSpellingsOfOneFileAreTheSame(t *testing.T) {
	_, tree, root := newTree(t)
	write(t, filepath.Join(root, "a"), "x")
	write(t, filepath.Join(root, "b"), "x")
	if !tree.Same("a", "a") || tree.Same("a", "b") || tree.Same("a", "never") || tree.Same("never", "a") {
		t.Error("Same does not tell files apart")
	}
}

func TestAFolderOutsideTheWorkTree(t *testing.T) {
	s, loc := newStore(t)
	outside := tempDir(t)
	mkdir(t, filepath.Join(outside, "real"))
	symlink(t, "real", filepath.Join(outside, "link"))
	symlink(t, filepath.Join(outside, "real"), filepath.Join(outside, "way"))
	write(t, filepath.Join(outside, "file"), "")
	tests := []struct {
		name, dir, path string
		err             error
	}{
		{"a directory that is not there yet", filepath.Join(outside, "state"), filepath.Join(outside, "state"), nil},
		{"one that is there", filepath.Join(outside, "real"), filepath.Join(outside, "real"), nil},
		{"one through a link above it", filepath.Join(outside, "way", "x"), filepath.Join(outside, "real", "x"), nil},
		{"a link itself", filepath.Join(outside, "link"), "", disk.ErrLink},
		{"a file", filepath.Join(outside, "file"), "", disk.ErrNotDirectory},
		{"relative", "../x", "", ErrFolder},
		{"none", "", "", ErrFolder},
		{"below what is not there", filepath.Join(outside, "a", "b"), "", ErrFolder},
		{"the top", string(filepath.Separator), "", ErrFolder},
		{"home", s.Place.Home, "", ErrFolder},
		{"above the work tree", filepath.Dir(loc.Root), "", ErrFolder},
		{"inside the work tree", filepath.Join(loc.Root, "x"), "", ErrFolder},
		{"a git directory", filepath.Join(outside, ".git"), "", ErrFolder},
		{"the person's state home", s.Place.PersonDir, "", ErrFolder},
		{"with a line break", filepath.Join(outside, "a\nb"), "", ErrFolder},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := s.OpenFolderOutside(loc.Root, tt.dir)
			if !errors.Is(err, tt.err) || f.Path != tt.path {
				t.Errorf("got %q, %v; want %q, %v", f.Path, err, tt.path, tt.err)
			}
		})
	}
	if _, err := os.Lstat(filepath.Join(outside, "state")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("opening made the directory")
	}
}

func TestAFolderOutsideIsUsedAsOneInside(t *testing.T) {
	s, loc := newStore(t)
	outside := tempDir(t)
	f, err := s.OpenFolderOutside(loc.Root, filepath.Join(outside, "state"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Create(); err != nil {
		t.Fatal(err)
	}
	if err := f.CreateSet(map[string][]byte{"a": []byte("1"), "b": []byte("2")}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, outside); len(got) != 4 {
		t.Errorf("it holds %v", got)
	}
}

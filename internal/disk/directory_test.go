package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMkdirPrivate(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, base string)
		path string
		want error
	}{
		{"it makes what is missing", func(*testing.T, string) {}, "a/b/c", nil},
		{"an existing directory is success", func(t *testing.T, base string) { mkdir(t, filepath.Join(base, "a")) }, "a", nil},
		{"a file in the way is named", func(t *testing.T, base string) { write(t, filepath.Join(base, "a"), "") }, "a/b", ErrNotDirectory},
		{"a link to a directory is refused", func(t *testing.T, base string) {
			mkdir(t, base+"-elsewhere")
			symlink(t, base+"-elsewhere", filepath.Join(base, "a"))
		}, "a/b", ErrLink},
		{"a dangling link is refused", func(t *testing.T, base string) {
			symlink(t, base+"-elsewhere", filepath.Join(base, "a"))
		}, "a", ErrLink},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "base")
			mkdir(t, base)
			tt.make(t, base)
			err := Real().MkdirPrivate(base, filepath.Join(base, tt.path))
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), filepath.Join(base, "a")) {
				t.Errorf("error %q does not name what is in the way", err)
			}
			if entries, _ := os.ReadDir(base + "-elsewhere"); len(entries) > 0 {
				t.Error("a link was followed")
			}
		})
	}
}

func TestMkdirPrivateRefusesWhatIsNotBelowItsBase(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base")
	mkdir(t, base)
	for _, path := range []string{base, filepath.Dir(base), base + "2", filepath.Join(base, "..", "x")} {
		if err := Real().MkdirPrivate(base, path); err == nil {
			t.Errorf("%s was accepted", path)
		}
	}
	gone := filepath.Join(base, "gone")
	if err := Real().MkdirPrivate(gone, filepath.Join(gone, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent base: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestMkdirPrivateSucceedsOnAReadOnlyFileSystemWhenAllIsThere(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "a", "b")
	if err := Real().MkdirPrivate(base, path); err != nil {
		t.Fatal(err)
	}
	d := Faulty(Real(), func(op, _ string) error {
		if op == OpMkdir {
			return syscall.EROFS
		}
		return nil
	})
	if err := d.MkdirPrivate(base, path); err != nil {
		t.Errorf("existing: %v", err)
	}
	if err := d.MkdirPrivate(base, path+"2"); !errors.Is(err, syscall.EROFS) {
		t.Errorf("missing: %v, want %v", err, syscall.EROFS)
	}
}

func TestMkdirPrivateIsSuccessForAllOfManyAtOnce(t *testing.T) {
	base := t.TempDir()
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() { errs[i] = Real().MkdirPrivate(base, filepath.Join(base, "a", "b", "c")) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestMkdirBaseFollowsLinksAndRefusesFiles(t *testing.T) {
	dir := t.TempDir()
	symlink(t, dir, filepath.Join(dir, "link"))
	if err := Real().MkdirBase(filepath.Join(dir, "link", "a", "b")); err != nil {
		t.Error(err)
	}
	file := write(t, filepath.Join(dir, "file"), "")
	if err := Real().MkdirBase(file); !errors.Is(err, ErrNotDirectory) {
		t.Errorf("file: %v, want %v", err, ErrNotDirectory)
	}
	if err := Real().MkdirBase(filepath.Join(file, "a")); err == nil {
		t.Error("below a file: no error")
	}
}

func TestListIsSortedAndBounded(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"c", "a", "b"} {
		write(t, filepath.Join(dir, name), "")
	}
	list := func(limit int) []string {
		entries, err := Real().List(dir, limit)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, entry := range entries {
			out = append(out, entry.Name())
		}
		return out
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, list(10)); diff != "" {
		t.Error(diff)
	}
	if got := list(2); len(got) != 2 {
		t.Errorf("limit 2 gave %q", got)
	}
	symlink(t, dir, filepath.Join(dir, "link"))
	if _, err := Real().List(filepath.Join(dir, "link"), 1); !errors.Is(err, ErrLink) {
		t.Errorf("link: %v, want %v", err, ErrLink)
	}
	if _, err := Real().List(filepath.Join(dir, "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v, want %v", err, fs.ErrNotExist)
	}
}

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceMakesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, data := range []string{"first", "", "a longer third"} {
		if err := Real().Replace(path, []byte(data), true); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != data {
			t.Errorf("file holds %q, want %q", got, data)
		}
	}
	if got := names(t, dir); got != "f" {
		t.Errorf("directory holds %q, want only f", got)
	}
}

func TestReplaceLeavesOldOrNewWholeAfterAnyFailure(t *testing.T) {
	eachFault(t, func(t *testing.T, d Disk, f *fault) {
		dir := t.TempDir()
		path := write(t, filepath.Join(dir, "f"), "old")
		err := d.Replace(path, []byte("new"), true)
		got := content(t, path)
		afterRename := f.op == OpSyncDir || f.op == ""
		if want := map[bool]string{true: "new", false: "old"}[afterRename]; got != want {
			t.Errorf("%s fails with %v (%v): file holds %q, want %q", f.op, f.err, err, got, want)
		}
		if (err == nil) != (f.op == "") {
			t.Errorf("%s fails with %v: error %v", f.op, f.err, err)
		}
		if left := names(t, dir); left != "f" && (left != "temp f" || !f.dead) {
			t.Errorf("%s fails with %v: directory holds %q", f.op, f.err, left)
		}
	})
}

func TestReplaceLooksAgainBeforeTheRename(t *testing.T) {
	stop := errors.New("stop")
	tests := []struct {
		name   string
		change func(t *testing.T, path string) error
		want   error
	}{
		{"a link that came meanwhile is refused", func(t *testing.T, path string) error {
			symlink(t, write(t, path+"-target", "keep"), path)
			return nil
		}, ErrLink},
		{"a directory that came meanwhile is refused", func(t *testing.T, path string) error {
			mkdir(t, path)
			return nil
		}, ErrNotRegular},
		{"another directory in the place of the parent is refused", func(t *testing.T, path string) error {
			dir := filepath.Dir(path)
			if err := os.Rename(dir, dir+"-away"); err != nil {
				return err
			}
			mkdir(t, dir)
			return nil
		}, ErrMoved},
		{"a parent that was removed stays removed", func(_ *testing.T, path string) error {
			return os.RemoveAll(filepath.Dir(path))
		}, fs.ErrNotExist},
		{"the caller's own look is asked", func(*testing.T, string) error { return nil }, stop},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "dir")
			mkdir(t, dir)
			path := filepath.Join(dir, "f")
			changed := false
			d := Faulty(Real(), func(op, _ string) error {
				if op != OpSync || changed {
					return nil
				}
				changed = true
				return tt.change(t, path)
			})
			err := d.ReplaceIf(path, []byte("new"), false, func() error { return stop })
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if data, err := os.ReadFile(path); err == nil && string(data) == "new" {
				t.Error("the file was replaced")
			}
			if data, err := os.ReadFile(path + "-target"); err == nil && string(data) != "keep" {
				t.Errorf("the target of the link holds %q", data)
			}
		})
	}
}

func TestMove(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	write(t, from, "new")
	write(t, to, "old")
	if err := Real().Move(from, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("onto a taken name: %v, want %v", err, fs.ErrExist)
	}
	if err := os.Remove(to); err != nil {
		t.Fatal(err)
	}
	if err := Real().Move(from, to); err != nil {
		t.Fatal(err)
	}
	if err := Real().Move(from, to+"2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of an absent file: %v, want %v", err, fs.ErrNotExist)
	}
	if got := content(t, to) + " " + names(t, dir); got != "new to" {
		t.Errorf("got %q, want %q", got, "new to")
	}
}

func TestMoveLeavesTheFileUnderOneNameAfterAnyFailure(t *testing.T) {
	eachFault(t, func(t *testing.T, d Disk, f *fault) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "from"), "data")
		err := d.Move(filepath.Join(dir, "from"), filepath.Join(dir, "to"))
		got := names(t, dir)
		if got != "from" && got != "to" || content(t, filepath.Join(dir, got)) != "data" {
			t.Errorf("%s fails with %v: directory holds %q", f.op, f.err, got)
		}
		if err == nil && got != "to" {
			t.Errorf("success, and directory holds %q", got)
		}
	})
}

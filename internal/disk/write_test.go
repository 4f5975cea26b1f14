package disk

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestCreateExclusive(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Real().CreateExclusive(path, []byte("data")); err != nil {
		t.Fatal(err)
	}
	if err := Real().CreateExclusive(path, []byte("other")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second time: %v, want %v", err, fs.ErrExist)
	}
	if got := content(t, path); got != "data" {
		t.Errorf("file holds %q, want %q", got, "data")
	}
	if err := Real().CreateExclusive(filepath.Join(dir, "no", "f"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestCreateExclusiveLeavesNothingAfterAnyFailure(t *testing.T) {
	eachFault(t, func(t *testing.T, d Disk, f *fault) {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		err := d.CreateExclusive(path, []byte("data"))
		if err == nil {
			if got := content(t, path); got != "data" {
				t.Errorf("success with %q", got)
			}
			return
		}
		// On a dead disk the removal fails as well; only that may leave a file.
		if got := names(t, dir); got != "" && !f.dead {
			t.Errorf("%s fails with %v: left %q", f.op, f.err, got)
		}
	})
}

func TestAppend(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "one\n")
	if err := Real().Append(path, []byte("two\n")); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, path), "one\ntwo\n"; got != want {
		t.Errorf("file holds %q, want %q", got, want)
	}
	if err := Real().Append(path+"x", []byte("two\n")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestAppendKeepsTheOldContentAfterAnyFailure(t *testing.T) {
	const old, more = "one\n", "two two\n"
	eachFault(t, func(t *testing.T, d Disk, f *fault) {
		path := write(t, filepath.Join(t.TempDir(), "f"), old)
		err := d.Append(path, []byte(more))
		got := content(t, path)
		switch {
		case err == nil && got != old+more:
			t.Errorf("success with %q", got)
		case err != nil && !f.dead && got != old:
			t.Errorf("%s fails with %v: file holds %q, want %q", f.op, f.err, got, old)
		case !strings.HasPrefix(got, old):
			t.Errorf("%s fails with %v: file holds %q, the old content is damaged", f.op, f.err, got)
		}
	})
}

func TestAppendSaysWhenItCouldNotCutBack(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "one\n")
	d := Faulty(Real(), func(op, _ string) error {
		switch op {
		case OpWrite:
			return io.ErrShortWrite
		case OpTruncate:
			return syscall.EROFS
		}
		return nil
	})
	err := d.Append(path, []byte("two\n"))
	if !errors.Is(err, io.ErrShortWrite) || !errors.Is(err, syscall.EROFS) {
		t.Errorf("error %v, want both causes", err)
	}
}

func TestTruncate(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "abcdef")
	for _, size := range []int64{-1, 7} {
		if err := Real().Truncate(path, size); err == nil {
			t.Errorf("size %d was accepted", size)
		}
	}
	if err := Real().Truncate(path, 2); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "ab" {
		t.Errorf("file holds %q, want %q", got, "ab")
	}
}

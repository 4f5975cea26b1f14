//go:build !windows

package disk

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// operations are all that open a file of ours, each with data to write.
func operations(path string) map[string]func(Disk) error {
	return map[string]func(Disk) error{
		"read": func(d Disk) error { _, err := d.ReadRegular(path, 8); return err },
		"tail": func(d Disk) error { _, _, err := d.ReadTail(path, 8); return err },
		"append": func(d Disk) error {
			return d.Append(path, []byte("x"))
		},
		"truncate": func(d Disk) error { return d.Truncate(path, 0) },
		"line":     func(d Disk) error { return d.AppendLine(path, []byte("x"), 100) },
		"replace":  func(d Disk) error { return d.Replace(path, []byte("x"), false) },
		"create":   func(d Disk) error { return d.CreateExclusive(path, []byte("x")) },
		"move":     func(d Disk) error { return d.Move(path, path+"-moved") },
		"lock": func(d Disk) error {
			_, err := d.Lock(path, time.Time{}, 0)
			return err
		},
	}
}

func TestNothingHangsOnOrChangesAFileThatIsNotRegular(t *testing.T) {
	kinds := map[string]func(t *testing.T, path string){
		"a FIFO": func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip(err)
			}
		},
		"a socket": func(t *testing.T, path string) {
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { l.Close() })
		},
		"a directory": func(t *testing.T, path string) { mkdir(t, path) },
	}
	for kind, prepare := range kinds {
		for op := range operations("") {
			t.Run(op+" on "+kind, func(t *testing.T) {
				dir, err := os.MkdirTemp("", "disk")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(dir)
				path := filepath.Join(dir, "f")
				prepare(t, path)
				err = operations(path)[op](Real())
				if !errors.Is(err, ErrNotRegular) && !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENXIO) {
					t.Errorf("error %v, want %v", err, ErrNotRegular)
				}
				if got := names(t, dir); got != "f" {
					t.Errorf("directory holds %q, want only f", got)
				}
			})
		}
	}
}

func TestNothingFollowsALinkOrWritesToASecondName(t *testing.T) {
	for op := range operations("") {
		if op == "tail" {
			continue // the one that may
		}
		t.Run(op+" on a link", func(t *testing.T) {
			dir := t.TempDir()
			target := write(t, filepath.Join(dir, "target"), "keep")
			symlink(t, target, filepath.Join(dir, "f"))
			err := operations(filepath.Join(dir, "f"))[op](Real())
			checkRefused(t, dir, err, ErrLink)
		})
		t.Run(op+" on a dangling link", func(t *testing.T) {
			dir := t.TempDir()
			symlink(t, filepath.Join(dir, "nothing"), filepath.Join(dir, "f"))
			err := operations(filepath.Join(dir, "f"))[op](Real())
			if !errors.Is(err, ErrLink) && !errors.Is(err, fs.ErrExist) {
				t.Errorf("error %v, want %v", err, ErrLink)
			}
			if got := names(t, dir); got != "f" {
				t.Errorf("directory holds %q, want only f", got)
			}
		})
		t.Run(op+" on a hard link", func(t *testing.T) {
			dir := t.TempDir()
			target := write(t, filepath.Join(dir, "target"), "keep")
			if err := os.Link(target, filepath.Join(dir, "f")); err != nil {
				t.Skip(err)
			}
			err := operations(filepath.Join(dir, "f"))[op](Real())
			checkRefused(t, dir, err, ErrLink)
		})
	}
}

func checkRefused(t *testing.T, dir string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) && !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want %v", err, want)
	}
	if got := content(t, filepath.Join(dir, "target")); got != "keep" {
		t.Errorf("target holds %q, want it untouched", got)
	}
	if got := names(t, dir); got != "f target" {
		t.Errorf("directory holds %q, want only f and target", got)
	}
}

func TestNewFilesAndDirectoriesArePrivate(t *testing.T) {
	dir := t.TempDir()
	open := write(t, filepath.Join(dir, "open"), "old")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	d := Real()
	unlock, err := d.Lock(filepath.Join(dir, "lock"), time.Time{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		unlock(),
		d.CreateExclusive(filepath.Join(dir, "new"), nil),
		d.Replace(open, nil, true),
		d.AppendLine(filepath.Join(dir, "line"), nil, 10),
		d.MkdirPrivate(dir, filepath.Join(dir, "a", "b")),
		d.MkdirBase(filepath.Join(dir, "c", "d")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]os.FileMode{
		"new": 0o600, "open": 0o600, "line": 0o600, "lock": 0o600,
		"a": 0o700, "a/b": 0o700, "c": 0o700, "c/d": 0o700,
	}
	for name, mod := range want {
		if got := mode(t, filepath.Join(dir, name)); got != mod {
			t.Errorf("%s has mode %o, want %o", name, got, mod)
		}
	}
}

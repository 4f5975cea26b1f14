package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadRegular(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want string
		err  error
	}{
		{"a regular file is read", func(t *testing.T, path string) { write(t, path, "data") }, "data", nil},
		{"an empty file is read", func(t *testing.T, path string) { write(t, path, "") }, "", nil},
		{"a file of exactly the limit is read", func(t *testing.T, path string) { write(t, path, "12345678") }, "12345678", nil},
		{"a file over the limit is too large", func(t *testing.T, path string) { write(t, path, "123456789") }, "", ErrTooLarge},
		{"an absent file is absent", func(*testing.T, string) {}, "", fs.ErrNotExist},
		{"a directory is not regular", func(t *testing.T, path string) { mkdir(t, path) }, "", ErrNotRegular},
		{"a link to a file is a link", func(t *testing.T, path string) {
			symlink(t, write(t, path+"-target", "secret"), path)
		}, "", ErrLink},
		{"a dangling link is a link, not absent", func(t *testing.T, path string) { symlink(t, path+"-nothing", path) }, "", ErrLink},
		{"a link to itself is a link", func(t *testing.T, path string) { symlink(t, path, path) }, "", ErrLink},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			tt.make(t, path)
			got, err := Real().ReadRegular(path, 8)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if string(got) != tt.want {
				t.Errorf("read %q, want %q", got, tt.want)
			}
			if err != nil && strings.Count(err.Error(), path) != 1 {
				t.Errorf("error %q does not name the path exactly once", err)
			}
		})
	}
}

func TestReadRegularTellsEveryFailureFromAbsent(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "data")
	for _, errno := range []error{syscall.EACCES, syscall.EIO, syscall.EMFILE, syscall.ENOTDIR} {
		for _, op := range []string{OpOpen, OpStat} {
			d := Faulty(Real(), func(got, _ string) error {
				if got == op {
					return errno
				}
				return nil
			})
			_, err := d.ReadRegular(path, 8)
			if !errors.Is(err, errno) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s with %v: error %v", op, errno, err)
			}
		}
	}
}

func TestReadRegularReadsAFileThatWasReplacedAfterTheOpen(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"), "old")
	d := Faulty(Real(), func(op, _ string) error {
		if op == OpStat {
			return Real().Replace(path, []byte("new"), false)
		}
		return nil
	})
	got, err := d.ReadRegular(path, 8)
	if err != nil || string(got) != "old" {
		t.Errorf("read %q, %v, want the content it opened", got, err)
	}
}

func TestReadTail(t *testing.T) {
	tests := []struct {
		name  string
		data  string
		limit int64
		want  string
	}{
		{"a short file comes whole", "abc", 8, "abc"},
		{"a long file comes from its end", "abcdefghij", 4, "ghij"},
		{"an empty file is empty", "", 4, ""},
		{"no limit to speak of reads nothing", "abc", -1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "f"), tt.data)
			got, size, err := Real().ReadTail(path, tt.limit)
			if err != nil || string(got) != tt.want || size != int64(len(tt.data)) {
				t.Errorf("read %q of %d, %v, want %q", got, size, err, tt.want)
			}
		})
	}
}

func TestReadTailFollowsLinksAndRefusesDirectories(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	symlink(t, write(t, filepath.Join(dir, "f"), "abc"), link)
	if got, _, err := Real().ReadTail(link, 2); err != nil || string(got) != "bc" {
		t.Errorf("through a link: %q, %v", got, err)
	}
	if _, _, err := Real().ReadTail(dir, 2); !errors.Is(err, ErrNotRegular) {
		t.Errorf("directory: %v, want %v", err, ErrNotRegular)
	}
	if _, _, err := Real().ReadTail(filepath.Join(dir, "none"), 2); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v, want %v", err, fs.ErrNotExist)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
}

package disk

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fault makes the n-th operation fail, and with dead every later one as well,
// as after a kill or on a disk that has gone.
type fault struct {
	n    int
	dead bool
	err  error
	seen int
	op   string
}

func (f *fault) hook(op, _ string) error {
	f.seen++
	if f.seen == f.n {
		f.op = op
	}
	if f.seen == f.n || f.dead && f.seen > f.n {
		return f.err
	}
	return nil
}

// eachFault calls run once for every operation that run makes and every kind of
// failure. run starts from fresh files each time.
func eachFault(t *testing.T, run func(t *testing.T, d Disk, f *fault)) {
	t.Helper()
	for _, kind := range []fault{
		{err: syscall.EIO},
		{err: syscall.ENOSPC, dead: true},
		{err: io.ErrShortWrite},
		{err: io.ErrShortWrite, dead: true},
	} {
		for n := 1; ; n++ {
			f := kind
			f.n = n
			run(t, Faulty(Real(), f.hook), &f)
			if f.seen < n {
				break
			}
		}
	}
}

func write(t *testing.T, path, data string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// content is what a path holds, "absent" when nothing is there.
func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "absent"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// names lists a directory; temporary files of ours are one name, "temp".
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, TempPrefix) {
			name = "temp"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestFaultyAsksEveryHook(t *testing.T) {
	var asked []string
	note := func(name string) func(op, path string) error {
		return func(op, _ string) error {
			asked = append(asked, name+" "+op)
			return nil
		}
	}
	d := Faulty(Faulty(Real(), note("inner")), note("outer"))
	if _, err := d.Stat(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(asked, ", "), "outer stat, inner stat"; got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
}

func TestRemoveTakesTheLinkAndNotItsTarget(t *testing.T) {
	dir := t.TempDir()
	target := write(t, filepath.Join(dir, "target"), "keep")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := Real().Remove(link); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, dir), "target"; got != want {
		t.Errorf("left %q, want %q", got, want)
	}
}

package state

import (
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"omc-hook/internal/disk"
	"omc-hook/internal/modestate"
)

const (
	session  = "S1"
	goalFile = "goal-loop-state.json"
)

var goalNames = []string{goalFile}

// noon is the time of every store in the tests.
func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func later() time.Time { return time.Now().Add(time.Minute) }

// newStore is a store in a fresh git repository, with its session's location.
func newStore(t *testing.T) (Store, Location) {
	t.Helper()
	dir := tempDir(t)
	repo := filepath.Join(dir, "repo")
	mkdir(t, filepath.Join(repo, ".git"))
	s := Store{
		Place: Place{ProjectDir: repo, Home: dir, PersonDir: filepath.Join(dir, "person")},
		Now:   noon,
	}
	loc, err := s.Locate(session)
	if err != nil {
		t.Fatal(err)
	}
	return s, loc
}

// newSession is newStore with the session's directory made.
func newSession(t *testing.T) (Store, Location) {
	t.Helper()
	s, loc := newStore(t)
	if err := s.Create(loc); err != nil {
		t.Fatal(err)
	}
	return s, loc
}

// tempDir is t.TempDir without links in it.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, data string) string {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err)
	}
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

// tree lists all files below dir, each as path=content; directories end in a
// slash, temporary files of ours are "temp", and locks are left out.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		switch {
		case rel == "." || entry.Name() == lockName:
		case strings.HasPrefix(entry.Name(), disk.TempPrefix):
			out = append(out, "temp")
		case entry.IsDir():
			out = append(out, rel+"/")
		case entry.Type().IsRegular():
			out = append(out, rel+"="+content(t, path))
		default:
			out = append(out, rel+"@")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(out)
	return out
}

// set writes one file of a session through Update.
func set(t *testing.T, s Store, loc Location, edit Edit) {
	t.Helper()
	err := s.Update(loc, later(), []string{edit.Name}, func(modestate.Snapshot) (Edit, error) { return edit, nil })
	if err != nil {
		t.Fatal(err)
	}
}

// breakage makes the n-th operation fail, and with dead every later one as well,
// as after a kill.
type breakage struct {
	n    int
	dead bool
	err  error
	seen int
	op   string
}

func (f *breakage) hook(op, _ string) error {
	f.seen++
	if f.seen == f.n {
		f.op = op
	}
	if f.seen == f.n || f.dead && f.seen > f.n {
		return f.err
	}
	return nil
}

// eachFault calls run once for every operation that run makes through the hook
// and every kind of failure. run starts from fresh files each time.
func eachFault(t *testing.T, run func(t *testing.T, f *breakage)) {
	t.Helper()
	for _, kind := range []breakage{
		{err: syscall.EIO},
		{err: io.ErrShortWrite},
		{err: io.ErrShortWrite, dead: true},
	} {
		for n := 1; ; n++ {
			f := kind
			f.n = n
			run(t, &f)
			if f.seen < n {
				break
			}
			if t.Failed() {
				t.Fatalf("with %s (operation %d) failing with %v, dead %v", f.op, n, f.err, f.dead)
			}
		}
	}
}

// with is the store on a disk that f breaks.
func (s Store) with(f *breakage) Store {
	s.Disk = disk.Faulty(disk.Real(), f.hook)
	return s
}

// failing is the store on a disk on which every op fails with err.
func (s Store) failing(op string, err error) Store {
	s.Disk = disk.Faulty(disk.Real(), func(got, _ string) error {
		if got == op {
			return err
		}
		return nil
	})
	return s
}

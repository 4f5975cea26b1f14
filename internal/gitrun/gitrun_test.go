package gitrun_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/gitrepo"
	"omc-hook/internal/gitrun"
)

// repository is a fresh one with one commit of the files named.
type repository struct {
	*testing.T
	dir string
}

func newRepository(t *testing.T, files ...string) *repository {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{t, dir}
	r.git("init", "-q", "-b", "main")
	for _, name := range files {
		r.write(name, "first\n")
	}
	if len(files) > 0 {
		r.git("add", ".")
		r.git("commit", "-q", "-m", "first")
	}
	return r
}

func (r *repository) git(args ...string) {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r *repository) write(name, data string) {
	r.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r *repository) staged(dir string) []gitrepo.Staged {
	r.Helper()
	list, err := gitrun.Staged(dir)
	if err != nil {
		r.Fatal(err)
	}
	return list
}

func TestStagedListsWhatACommitWouldTake(t *testing.T) {
	r := newRepository(t, "a.go", "gone.go", "old.go", "sub/b.go")
	if got := r.staged(r.dir); got != nil {
		t.Errorf("nothing is staged, and it says %v", got)
	}
	r.write("a.go", "second\n")
	r.write(`new "file" ü.go`, "x")
	r.write("not staged", "x")
	r.git("mv", "old.go", "moved.go")
	r.git("rm", "-q", "gone.go")
	r.git("add", "a.go", `new "file" ü.go`)
	want := []gitrepo.Staged{{Status: 'M', Path: "a.go"}, {Status: 'D', Path: "gone.go"}, {Status: 'A', Path: "moved.go"}, {Status: 'A', Path: `new "file" ü.go`}, {Status: 'D', Path: "old.go"}}
	if diff := cmp.Diff(want, r.staged(r.dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.write("sub/b.go", "second\n")
	r.git("add", "sub/b.go")
	below := r.staged(filepath.Join(r.dir, "sub"))
	if !strings.Contains(cmp.Diff(nil, below), `"b.go"`) || !strings.Contains(cmp.Diff(nil, below), `"../a.go"`) {
		t.Errorf("from a directory below: %v", below)
	}
}

func TestStagedBeforeTheFirstCommitAndOutsideARepository(t *testing.T) {
	r := newRepository(t)
	r.write("a", "x")
	r.git("add", "a")
	if diff := cmp.Diff([]gitrepo.Staged{{Status: 'A', Path: "a"}}, r.staged(r.dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := gitrun.Staged(t.TempDir()); err == nil {
		t.Error("a directory without a repository has an index")
	}
}

func TestTrackedTakesAPathWordForWord(t *testing.T) {
	names := []string{"a.go", "a b", "[x]", "sub/c.go", "-n"}
	if runtime.GOOS != "windows" {
		names = append(names, `*`, `q"u`, "line\nbreak", ":(glob)x")
	}
	r := newRepository(t, names...)
	r.git("rm", "-q", "--cached", "a.go")
	for _, name := range names {
		if got, err := gitrun.Tracked(r.dir, name); err != nil || !got {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if got, err := gitrun.Tracked(r.dir, "sub"); err != nil || got {
		t.Errorf("a directory: %v, %v", got, err)
	}
	r.git("rm", "-q", "-r", "--cached", ".")
	r.git("commit", "-q", "-m", "nothing")
	for _, name := range append(names, "never", "sub", "?") {
		if got, err := gitrun.Tracked(r.dir, name); err != nil || got {
			t.Errorf("%q that no commit holds: %v, %v", name, got, err)
		}
	}
}

func TestAPreflightNamesEachDirtyFile(t *testing.T) {
	r := newRepository(t, "a.go", "sub/b.go")
	f, err := gitrun.Preflight(r.dir)
	if err != nil || f.Status != "clean" || f.Dirty != nil || f.Branch != "main" || len(f.Head) < 40 {
		t.Fatalf("a clean tree: %+v, %v", f, err)
	}
	r.write("a.go", "second\n")
	r.write("new/deep/x.go", "x")
	r.write("sub/b.go", "second\n")
	r.write(".git/MERGE_HEAD", "")
	f, err = gitrun.Preflight(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.go", "sub/b.go", "new/deep/x.go"}, f.Dirty); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f.Status != "2 changed, 1 untracked, a merge is in progress" {
		t.Errorf("the status is %q", f.Status)
	}
	below, err := gitrun.Preflight(filepath.Join(r.dir, "sub"))
	if err != nil || cmp.Diff([]string{"../a.go", "b.go", "../new/deep/x.go"}, below.Dirty) != "" {
		t.Errorf("from a directory below: %q, %v", below.Dirty, err)
	}
}

func TestTooManyUntrackedFilesStandAsTheirDirectory(t *testing.T) {
	r := newRepository(t, "a.go", "b.go")
	r.write("many/1", "")
	r.write("many/2", "")
	r.write("many/3", "")
	tests := []struct {
		most int
		want []string
		more int
	}{
		{3, []string{"many/1", "many/2", "many/3"}, 0},
		{2, []string{"many/"}, 0},
		{0, nil, 1},
	}
	for _, tt := range tests {
		got, more, err := gitrun.DirtyUpTo(r.dir, tt.most)
		if diff := cmp.Diff(tt.want, got); diff != "" || more != tt.more || err != nil {
			t.Errorf("up to %d: %d more, %v (-want +got):\n%s", tt.most, more, err, diff)
		}
	}
}

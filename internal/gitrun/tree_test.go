package gitrun

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"omc-hook/internal/gitrepo"
)

// place is a directory that a test changes step by step.
type place struct {
	*testing.T
	dir string
}

func newPlace(t *testing.T) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"HOME": dir, "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		t.Setenv(name, value)
	}
	return place{t, filepath.Join(dir, "wörk tree")}
}

// newRepository is a repository with one commit of a and sub/b.
func newRepository(t *testing.T) place {
	t.Helper()
	p := newPlace(t)
	p.put("a", "a\n")
	p.put("sub/b", "b\n")
	p.git("init", "-q", "-b", "main")
	p.commit()
	return p
}

func (p place) git(args ...string) {
	p.Helper()
	cmd := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "protocol.file.allow=always"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (p place) commit() {
	p.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", "x")
}

func (p place) put(name, text string) {
	p.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func (p place) do(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p place) tree() gitrepo.Tree { return Tree(p.dir, []string{filepath.Join(p.dir, ".goal-loop")}) }

func TestATreeChangesWithWhatTheWorkTreeHolds(t *testing.T) {
	tests := []struct {
		name   string
		change func(p place)
		want   string // "" where the tree stays the same
	}{
		{"nothing", func(place) {}, ""},
		{"the same content is written again", func(p place) { p.put("a", "a\n") }, ""},
		{"the loop's own file", func(p place) { p.put(".goal-loop/GOAL.md", "x") }, ""},
		{"an ignored file", func(p place) { p.put("ignored", "x") }, ""},
		{"a tracked file", func(p place) { p.put("a", "A\n") }, "a"},
		{"a file below a directory", func(p place) { p.put("sub/b", "B\n") }, "sub/b"},
		{"a new file", func(p place) { p.put("ünew \"x\"\nline", "x") }, "ünew \"x\" line"},
		{"a new file that was there", func(p place) { p.put("there", "y") }, "there"},
		{"a file is gone", func(p place) { p.do(os.Remove(filepath.Join(p.dir, "a"))) }, "a"},
		{"a file becomes a link", func(p place) {
			p.do(os.Remove(filepath.Join(p.dir, "a")))
			p.do(os.Symlink("sub/b", filepath.Join(p.dir, "a")))
		}, "a"},
		{"a file can be run", func(p place) { p.do(os.Chmod(filepath.Join(p.dir, "a"), 0o755)) }, "a"},
		{"the index alone", func(p place) {
			p.put("a", "A\n")
			p.git("add", "a")
			p.put("a", "a\n")
		}, "a"},
		{"a commit", func(p place) { p.commit() }, "HEAD moved"},
		{"a file in a repository within it", func(p place) { p.put("inner/c", "C") }, "inner/c"},
		{"a commit in a repository within it", func(p place) { place{p.T, filepath.Join(p.dir, "inner")}.commit() }, "inner/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newRepository(t)
			p.put(".gitignore", "ignored\n")
			p.put("there", "x")
			p.put("inner/c", "c")
			place{t, filepath.Join(p.dir, "inner")}.git("init", "-q")
			place{t, filepath.Join(p.dir, "inner")}.commit()
			p.put("inner/d", "untracked")
			before := p.tree()
			tt.change(p)
			got := strings.Join(p.tree().Since(before), "|")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestATreeIsThatOfTheWholeRepositoryFromAnyDirectoryOfIt(t *testing.T) {
	p := newRepository(t)
	p.put("a", "A")
	if diff := Tree(filepath.Join(p.dir, "sub"), nil).Since(p.tree()); diff != nil {
		t.Errorf("got %q", diff)
	}
}

func TestASubmoduleCountsWithItsContent(t *testing.T) {
	other := newRepository(t)
	p := place{t, filepath.Join(filepath.Dir(other.dir), "super")}
	p.put("x", "x")
	p.git("init", "-q")
	p.git("submodule", "add", "-q", other.dir, "m")
	p.commit()
	clean := p.tree()
	p.put("m/a", "A")
	changed := p.tree()
	p.put("m/a", "AA")
	if clean.NotComparable != "" || len(clean.Paths) != 0 || changed.Same(clean) || p.tree().Same(changed) {
		t.Errorf("clean %+v, changed %+v, again %+v", clean, changed, p.tree())
	}
	p.git("submodule", "deinit", "-q", "-f", "m")
	p.git("rm", "-q", "--cached", "m")
	p.git("reset", "-q")
	if got := p.tree(); got.NotComparable != "" {
		t.Errorf("with a submodule that is not fetched: %s", got.NotComparable)
	}
}

func TestOutsideOfARepositoryEveryFileCounts(t *testing.T) {
	p := newPlace(t)
	p.put("a", "a")
	p.put("sub/b", "b")
	before := p.tree()
	if before.NotComparable != "" || len(before.Paths) != 2 || before.Head != "" {
		t.Fatalf("got %+v", before)
	}
	p.put(".goal-loop/x", "x")
	if diff := p.tree().Since(before); diff != nil {
		t.Errorf("the loop's own file: %q", diff)
	}
	p.put("sub/b", "B")
	if diff := p.tree().Since(before); len(diff) != 1 || diff[0] != "sub/b" {
		t.Errorf("got %q", diff)
	}
}

func TestATreeThatCannotBeLookedAtIsNotComparable(t *testing.T) {
	tests := []struct {
		name, want string
		make       func(p place)
	}{
		{"too many paths", "more than 2000 paths", func(p place) {
			for i := range maxTreePaths + 1 {
				p.put(fmt.Sprint("many/", i), "x")
			}
		}},
		{"too many bytes", "more than 64 MiB", func(p place) {
			p.put("large", "x")
			p.do(os.Truncate(filepath.Join(p.dir, "large"), maxTreeBytes+1))
		}},
		{"a broken repository", "git rev-parse", func(p place) { p.put(".git/HEAD", "nonsense") }},
		{"a directory that is gone", "", func(p place) { p.do(os.RemoveAll(p.dir)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newRepository(t)
			tt.make(p)
			got := p.tree()
			if got.NotComparable == "" || !strings.Contains(got.NotComparable, tt.want) || got.Same(got) {
				t.Errorf("got %+v, want it not comparable: %s", got, tt.want)
			}
		})
	}
}

func TestTheEnvironmentDoesNotPointToAnotherRepository(t *testing.T) {
	p, other := newRepository(t), newRepository(t)
	want := p.tree()
	other.put("a", "other")
	t.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other.dir, "index"))
	if diff := p.tree().Since(want); diff != nil {
		t.Errorf("got %q", diff)
	}
}

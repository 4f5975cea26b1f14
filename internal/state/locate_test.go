package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLocateFindsTheRoot(t *testing.T) {
	tests := []struct {
		name  string
		dirs  []string // made in advance; one that ends in .git-file is a .git file
		place Place    // relative to the test's directory
		root  string
		how   string
	}{
		{"the git root at the project directory", []string{"p/.git"}, Place{ProjectDir: "p"}, "p", HowGit},
		{"the git root above the project directory", []string{"p/.git", "p/a/b"}, Place{ProjectDir: "p/a/b"}, "p", HowGit},
		{"the project directory goes before the working directory", []string{"p/.git", "q/.git"}, Place{ProjectDir: "p", Cwd: "q"}, "p", HowGit},
		{"the working directory counts without a project directory", []string{"p/.git", "p/a"}, Place{Cwd: "p/a"}, "p", HowGit},
		{"a linked worktree is a root of its own", []string{"p/.git", "p/wt/.git-file"}, Place{Cwd: "p/wt"}, "p/wt", HowGit},
		{"without git the directory itself", []string{"p/a"}, Place{Cwd: "p/a"}, "p/a", HowDirectory},
		{"an unrelated .omc above does not count", []string{"p/.omc", "p/a"}, Place{Cwd: "p/a"}, "p/a", HowDirectory},
		{"a .omc below does not count", []string{"p/.git", "p/a/.omc/state/sessions/S1"}, Place{Cwd: "p/a"}, "p", HowGit},
		{"a repository in the home directory does not gather what lies below", []string{"h/.git", "h/a"}, Place{Cwd: "h/a", Home: "h"}, "h/a", HowDirectory},
		{"a repository above the home directory does not either", []string{".git", "h/a"}, Place{Cwd: "h/a", Home: "h"}, "h/a", HowDirectory},
		{"the home directory counts when it is the start", []string{"h/.git"}, Place{Cwd: "h", Home: "h"}, "h", HowGit},
		{"nor is anything looked for above it then", []string{".git", "h"}, Place{Cwd: "h", Home: "h"}, "h", HowDirectory},
		{"a home that does not exist is none", []string{"p/.git", "p/a"}, Place{Cwd: "p/a", Home: "none"}, "p", HowGit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := tempDir(t)
			for _, dir := range tt.dirs {
				if file, ok := strings.CutSuffix(dir, "-file"); ok {
					write(t, filepath.Join(base, file), "gitdir: elsewhere\n")
				} else {
					mkdir(t, filepath.Join(base, dir))
				}
			}
			for _, p := range []*string{&tt.place.ProjectDir, &tt.place.Cwd, &tt.place.Home} {
				if *p != "" {
					*p = filepath.Join(base, *p)
				}
			}
			before := tree(t, base)
			got, err := Store{Place: tt.place}.Locate(session)
			if err != nil {
				t.Fatal(err)
			}
			root := filepath.Join(base, tt.root)
			want := Location{
				Session: session, Root: root, StateRoot: filepath.Join(root, ".omc"),
				Dir: filepath.Join(root, ".omc", "state", "sessions", session), How: tt.how,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, tree(t, base)); diff != "" {
				t.Errorf("Locate changed the disk: %s", diff)
			}
		})
	}
}

func TestLocateHasNoRootWithoutAUsableDirectory(t *testing.T) {
	dir := tempDir(t)
	file := write(t, filepath.Join(dir, "file"), "")
	for name, cwd := range map[string]string{
		"empty": "", "relative": ".", "deleted": filepath.Join(dir, "gone"),
		"a file": file, "below a file": filepath.Join(file, "x"), "with a zero byte": dir + "/a\x00b",
	} {
		if got, err := (Store{Place: Place{Cwd: cwd}}).Locate(session); !errors.Is(err, ErrNoRoot) {
			t.Errorf("%s: %+v, error %v, want %v", name, got, err, ErrNoRoot)
		}
	}
}

func TestLocateAtTheTopOfTheFileSystem(t *testing.T) {
	top := filepath.VolumeName(tempDir(t)) + string(filepath.Separator)
	got, err := Store{Place: Place{Cwd: top}}.Locate(session)
	if err != nil {
		t.Fatal(err)
	}
	if got.Root != top {
		t.Errorf("root %q, want %q", got.Root, top)
	}
}

func TestLocateResolvesLinksToOneRoot(t *testing.T) {
	s, want := newStore(t)
	link := filepath.Join(tempDir(t), "link")
	symlink(t, s.Place.ProjectDir, link)
	s.Place.ProjectDir = link
	got, err := s.Locate(session)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLocateRefusesSessionsThatAreNoNames(t *testing.T) {
	s, _ := newStore(t)
	for _, id := range []string{
		"../../etc/x", "..", ".", "a/b", `a\b`, "/abs", `C:\x`, "a\x00b", "%2e%2e", "aux.txt", "S1 ", "-rf",
		"S1\nS2", "ＳＩ", strings.Repeat("a", 300),
	} {
		if loc, err := s.Locate(id); !errors.Is(err, ErrSession) {
			t.Errorf("%q: %+v, error %v, want %v", id, loc, err, ErrSession)
		}
	}
	loc, err := s.Locate("")
	if err != nil || loc.Dir != "" || loc.Root == "" {
		t.Errorf("no session: %+v, %v, want a root and no directory", loc, err)
	}
}

func TestLocateGoesByThePointer(t *testing.T) {
	s, want := newStore(t)
	if err := s.WritePointer(Pointer{Session: session, Root: want.Root}); err != nil {
		t.Fatal(err)
	}
	want.How = HowPointer
	worktree := filepath.Join(want.Root, "worktree")
	write(t, filepath.Join(worktree, ".git"), "gitdir: elsewhere\n")
	for name, place := range map[string]Place{
		"from a worktree that the session entered": {Cwd: worktree},
		"from a directory outside":                 {Cwd: tempDir(t)},
		"from a directory that is gone":            {Cwd: filepath.Join(worktree, "gone")},
	} {
		place.PersonDir = s.Place.PersonDir
		got, err := Store{Place: place}.Locate(session)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got, err := (Store{Place: Place{Cwd: worktree, PersonDir: s.Place.PersonDir}}).Locate("S2"); err != nil || got.Root != worktree {
		t.Errorf("another session: %+v, %v, want the worktree", got, err)
	}
}

func TestLocateGoesOnWithoutAPointerThatIsNotSane(t *testing.T) {
	tests := []struct{ name, pointer string }{
		{"its root is gone", `{"session":"S1","root":"/gone/gone"}`},
		{"its root is relative", `{"session":"S1","root":"."}`},
		{"it has no root", `{"session":"S1"}`},
		{"it belongs to another session", `{"session":"S2","root":"/"}`},
		{"it is not JSON", `{`},
		{"it is something else", `[1]`},
		{"it is empty", ``},
		{"it is too large", `{"session":"S1","root":"/","x":"` + strings.Repeat("x", maxPointer) + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, want := newStore(t)
			write(t, filepath.Join(s.pointerDir(), session+pointerSuffix), tt.pointer)
			got, err := s.Locate(session)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStateDirReplacesTheStateRoot(t *testing.T) {
	s, loc := newStore(t)
	dir := tempDir(t)
	existing := filepath.Join(dir, "a dir")
	mkdir(t, existing)
	symlink(t, existing, filepath.Join(dir, "link"))
	file := write(t, filepath.Join(dir, "file"), "")
	tests := []struct {
		name, value string
		err         error
	}{
		{"an existing directory", existing, nil},
		{"a link to a directory", filepath.Join(dir, "link"), nil},
		{"a directory that does not exist yet", filepath.Join(dir, "new"), nil},
		{"a file", file, ErrStateDir},
		{"below a file", filepath.Join(file, "x"), ErrStateDir},
		{"a relative path", "rel/dir", ErrStateDir},
		{"a tilde that no shell replaced", "~/.omc/x", ErrStateDir},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.Place.StateDir = tt.value
			got, err := s.Locate(session)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			name := filepath.Base(got.StateRoot)
			if filepath.Dir(got.StateRoot) != tt.value || !strings.HasPrefix(name, "repo-") || len(name) != len("repo-")+16 {
				t.Errorf("state root %s, want %s/repo-<16 hex>", got.StateRoot, tt.value)
			}
			if got.Root != loc.Root {
				t.Errorf("root %s, want %s", got.Root, loc.Root)
			}
		})
	}
	if entries, _ := os.ReadDir("~"); entries != nil {
		t.Error("a directory named ~ was made")
	}
}

func TestStateDirNameIsThatOfTheRootsPath(t *testing.T) {
	s := Store{Place: Place{StateDir: tempDir(t)}}
	got, err := s.stateRoot("/home/u/my proj.é")
	if err != nil {
		t.Fatal(err)
	}
	// The digits are: printf %s '/home/u/my proj.é' | sha256sum | cut -c1-16
	if name, want := filepath.Base(got), "my_proj__-52263a3865cc9e4f"; name != want {
		t.Errorf("name %s, want %s", name, want)
	}
}

func TestCleanBaseIsAlwaysOnePlainName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		got := cleanBase("/" + rapid.String().Draw(t, "base"))
		if strings.Trim(got, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || got == "" {
			t.Errorf("got %q", got)
		}
	})
}

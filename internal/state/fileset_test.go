package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"omc-hook/internal/disk"
)

func goalSet() map[string][]byte {
	return map[string][]byte{
		"GOAL.md":         []byte("# Goal\n"),
		"GOAL-WORKLOG.md": []byte("# Worklog\n" + strings.Repeat("line\n", 10) + "\x00\xff"),
		"QUESTIONS.md":    nil,
	}
}

// setTree is the folder as it is with the whole set in it and nothing else.
func setTree(files map[string][]byte) []string {
	want := []string{".gitignore=*\n"}
	for name, data := range files {
		want = append(want, name+"="+string(data))
	}
	return want
}

func sorted(x, y string) bool { return x < y }

func diffTree(want, got []string) string {
	return cmp.Diff(want, got, cmpSorted())
}

func TestCreateSetMakesAllFiles(t *testing.T) {
	_, f := newFolder(t)
	for range 2 {
		if err := f.CreateSet(goalSet()); err != nil {
			t.Fatal(err)
		}
		if diff := diffTree(setTree(goalSet()), tree(t, f.Path)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCreateSetCompletesAPartThatIsTheSame(t *testing.T) {
	_, f := newFolder(t)
	write(t, filepath.Join(f.Path, "GOAL.md"), "# Goal\n")
	if err := f.CreateSet(goalSet()); err != nil {
		t.Fatal(err)
	}
	if diff := diffTree(setTree(goalSet()), tree(t, f.Path)); diff != "" {
		t.Error(diff)
	}
}

func TestCreateSetMakesNothingWhenItCannotMakeAll(t *testing.T) {
	big := bytes.Repeat([]byte("x"), maxSet/2+1)
	tests := []struct {
		name  string
		make  func(t *testing.T, dir string)
		files map[string][]byte
		want  error
	}{
		{"another content", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "b"), "B") }, map[string][]byte{"a": nil, "b": nil}, fs.ErrExist},
		{"a part of the content, without a record", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "b"), "") }, map[string][]byte{"a": nil, "b": []byte("b")}, fs.ErrExist},
		{"a link", func(t *testing.T, dir string) { symlink(t, "nothing", filepath.Join(dir, "b")) }, map[string][]byte{"a": nil, "b": nil}, disk.ErrLink},
		{"a directory", func(t *testing.T, dir string) { mkdir(t, filepath.Join(dir, "b")) }, map[string][]byte{"a": nil, "b": nil}, disk.ErrNotRegular},
		{"a name that is none", func(*testing.T, string) {}, map[string][]byte{"a": nil, "../b": nil}, ErrName},
		{"too much", func(*testing.T, string) {}, map[string][]byte{"a": big, "b": big}, disk.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, f := newFolder(t)
			tt.make(t, f.Path)
			before := tree(t, f.Path)
			if err := f.CreateSet(tt.files); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if diff := cmp.Diff(before, tree(t, f.Path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCreateSetIsAllOrNoneAfterAnyFailure(t *testing.T) {
	t.Parallel()
	eachFault(t, func(t *testing.T, b *breakage) {
		_, f := newFolder(t)
		err := f.with(b).CreateSet(goalSet())
		pending := content(t, filepath.Join(f.Path, intentName)) != "absent"
		if err == nil && pending {
			t.Error("success, and the set is pending")
		}
		_, statErr := os.Stat(filepath.Join(f.Path, "GOAL.md"))
		checkAllOrNone(t, f, err == nil || pending || statErr == nil)
		// The same call then makes it whole.
		if err := f.CreateSet(goalSet()); err != nil {
			t.Error(err)
		}
		checkAllOrNone(t, f, true)
	})
}

// checkAllOrNone recovers the folder and compares.
func checkAllOrNone(t *testing.T, f Folder, all bool) {
	t.Helper()
	if err := f.Recover(); err != nil {
		t.Fatal(err)
	}
	want := setTree(goalSet())
	if !all {
		want = want[:1]
	}
	var got []string
	for _, entry := range tree(t, f.Path) {
		if entry != "temp" {
			got = append(got, entry)
		}
	}
	if diff := diffTree(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRecoverIsRestartableAfterAnyFailure(t *testing.T) {
	t.Parallel()
	eachFault(t, func(t *testing.T, b *breakage) {
		_, f := newFolder(t)
		pendingSet(t, f)
		write(t, filepath.Join(f.Path, "GOAL-WORKLOG.md"), "# W\x00\x00")
		_ = f.with(b).Recover()
		checkAllOrNone(t, f, true)
	})
}

func TestRecoverCompletesAnyPartOfAFile(t *testing.T) {
	for _, torn := range []string{"", "# Wor", "\x00\x00\x00", string(goalSet()["GOAL-WORKLOG.md"])} {
		_, f := newFolder(t)
		pendingSet(t, f)
		write(t, filepath.Join(f.Path, "GOAL-WORKLOG.md"), torn)
		checkAllOrNone(t, f, true)
	}
}

// pendingSet leaves the record of the goal set and one of its files, as a kill does.
func pendingSet(t *testing.T, f Folder) {
	t.Helper()
	s := f
	made := 0
	s.store.Disk = disk.Faulty(disk.Real(), func(op, path string) error {
		if op == disk.OpCreate && !strings.Contains(path, disk.TempPrefix) {
			made++
		}
		if made > 1 {
			return errors.New("killed")
		}
		return nil
	})
	if err := s.CreateSet(goalSet()); err == nil {
		t.Fatal("nothing went wrong")
	}
	if content(t, filepath.Join(f.Path, intentName)) == "absent" {
		t.Fatal("no record was left")
	}
}

func TestAPendingSetIsFinishedBeforeAFileChanges(t *testing.T) {
	for name, change := range map[string]func(Folder) error{
		"append":     func(f Folder) error { return f.Append("QUESTIONS.md", []byte("x")) },
		"replace":    func(f Folder) error { return f.Replace("QUESTIONS.md", []byte("x")) },
		"quarantine": func(f Folder) error { return f.Quarantine("QUESTIONS.md", 0) },
	} {
		_, f := newFolder(t)
		pendingSet(t, f)
		if err := change(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := len(tree(t, f.Path)); got != 1+len(goalSet()) {
			t.Errorf("%s: %d files, want the whole set", name, got)
		}
	}
}

func TestRecoverLeavesAnotherContentAlone(t *testing.T) {
	_, f := newFolder(t)
	pendingSet(t, f)
	path := write(t, filepath.Join(f.Path, "QUESTIONS.md"), "theirs")
	for range 2 {
		if err := f.Recover(); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want %v and the path", err, fs.ErrExist)
		}
		if got := content(t, path); got != "theirs" {
			t.Errorf("file holds %q", got)
		}
	}
}

func TestRecoverDistrustsTheRecord(t *testing.T) {
	tests := []struct{ name, record string }{
		{"it is empty", ``},
		{"it is cut off", `{"version":1,"files":{"a":"`},
		{"its version is not known", `{"version":2,"files":{"a":""}}`},
		{"it leads outside", `{"version":1,"files":{"../a":"eA=="}}`},
		{"it plants a git directory", `{"version":1,"files":{".git":"eA=="}}`},
		{"its content is no base64", `{"version":1,"files":{"a":"%"}}`},
		{"it is nested without end", strings.Repeat(`{"files":`, 100_000)},
		{"it is too large", `{"version":1,"x":"` + strings.Repeat("x", maxIntent) + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, f := newFolder(t)
			write(t, filepath.Join(f.Path, intentName), tt.record)
			before := tree(t, filepath.Dir(f.Path))
			if err := f.Recover(); err == nil {
				t.Error("it was believed")
			}
			if diff := cmp.Diff(before, tree(t, filepath.Dir(f.Path))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecoverWithoutAFolderOrARecord(t *testing.T) {
	s, f := newFolder(t)
	if err := f.Recover(); err != nil {
		t.Errorf("no record: %v", err)
	}
	missing, err := s.OpenFolder(f.root, "other")
	if err != nil {
		t.Fatal(err)
	}
	if err := missing.Recover(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v, want %v", err, fs.ErrNotExist)
	}
}

// childFolder makes a set and removes it again, for ever.
func childFolder() error {
	s := Store{}
	f, err := s.OpenFolder(os.Getenv(childDir), ".goal-loop")
	for n := 0; err == nil; n++ {
		err = f.CreateSet(goalSet())
		fmt.Println(n)
		for name := range goalSet() {
			if err == nil {
				err = os.Remove(filepath.Join(f.Path, name))
			}
		}
	}
	return err
}

func TestASetWhoseMakerIsKilledIsNeverTorn(t *testing.T) {
	t.Parallel()
	_, f := newFolder(t)
	for i := range 50 {
		killAfter(t, child("folder", f.root), 1+i%3)
		if err := f.Recover(); err != nil {
			t.Fatal(err)
		}
		// The child removes one by one, so a part may be there; each is whole.
		for name, want := range goalSet() {
			if got := content(t, filepath.Join(f.Path, name)); got != "absent" && got != string(want) {
				t.Fatalf("%s holds %q", name, got)
			}
			_ = os.Remove(filepath.Join(f.Path, name))
		}
	}
}

func TestEveryPartOfAContentIsTorn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Byte()).Draw(t, "want")
		cut := rapid.IntRange(0, len(want)).Draw(t, "cut")
		zeros := rapid.IntRange(0, cut).Draw(t, "zeros")
		got := append(bytes.Clone(want[:zeros]), make([]byte, cut-zeros)...)
		if !isTorn(got, want) {
			t.Errorf("%q of %q", got, want)
		}
		if isTorn(append(bytes.Clone(want), 'x'), want) {
			t.Errorf("%q and more", want)
		}
	})
}

package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumberedFilesKeepTheNewest(t *testing.T) {
	_, f := newFolder(t)
	for _, other := range []string{"GOAL.md", "007.log", "x.log", "-1.log", "9.txt"} {
		write(t, filepath.Join(f.Path, other), "kept")
	}
	for i := range 25 {
		name, err := f.AddNumbered(".log", fmt.Append(nil, i), 20)
		if err != nil || name != fmt.Sprintf("%d.log", i+1) {
			t.Fatalf("got %q, error %v", name, err)
		}
	}
	var got []string
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			got = append(got, e.Name())
		}
	}
	want := []string{"-1.log", "007.log"}
	for i := 10; i <= 25; i++ {
		want = append(want, fmt.Sprintf("%d.log", i))
	}
	want = append(want, "6.log", "7.log", "8.log", "9.log", "9.txt", "GOAL.md", "x.log")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if data, err := os.ReadFile(filepath.Join(f.Path, "25.log")); err != nil || string(data) != "24" {
		t.Errorf("got %q, error %v", data, err)
	}
}

func TestANumberedFileWritesOverNothing(t *testing.T) {
	_, f := newFolder(t)
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "x")
	symlink(t, outside, filepath.Join(f.Path, "1.log"))
	if name, err := f.AddNumbered(".log", []byte("new"), 20); err == nil {
		t.Errorf("it wrote %q through a link", name)
	}
	if data, _ := os.ReadFile(outside); string(data) != "x" {
		t.Errorf("outside holds %q", data)
	}
	if name, err := f.AddNumbered("/../x", []byte("new"), 20); err == nil {
		t.Errorf("it wrote %q", name)
	}
}

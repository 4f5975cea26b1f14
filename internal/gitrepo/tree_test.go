package gitrepo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestStatusReadsTheCommitAndEachPath(t *testing.T) {
	const object = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	one := "1 .M N... 100644 100644 100644 " + object + " " + object
	lines := []string{
		"# branch.oid 1234", "# branch.head main", one + " a file", one + " b\nc", "1 M. S.M. 160000 160000 160000 " + object + " " + object + " sub",
		"u UU N... 100644 100644 100644 100644 " + object + " " + object + " " + object + " both", "? new/ünï \"x\"", "? nested/",
	}
	head, entries, err := Status([]byte(strings.Join(lines, "\x00") + "\x00"))
	if head != "1234" || err != nil {
		t.Errorf("got commit %q, error %v", head, err)
	}
	want := []StatusEntry{
		{one, "a file"},
		{one, "b\nc"},
		{"1 M. S.M. 160000 160000 160000 " + object + " " + object, "sub"},
		{"u UU N... 100644 100644 100644 100644 " + object + " " + object + " " + object, "both"},
		{"?", "new/ünï \"x\""},
		{"?", "nested/"},
	}
	if diff := cmp.Diff(want, entries); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if head, entries, err := Status([]byte("# branch.oid (initial)\x00")); head != "" || entries != nil || err != nil {
		t.Errorf("before the first commit: got %q, %v, %v", head, entries, err)
	}
	for _, bad := range []string{"x y", "1 .M path", "? ", "2 R. N... 100644 100644 100644 a b R100 new", "\x1b[31m"} {
		if _, _, err := Status([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestTwoTreesAreTheSameOnlyWhereBothHoldTheSame(t *testing.T) {
	a := NewTree("c1", []TreePath{{"x", "1"}, {"y", "2"}})
	none := Tree{NotComparable: "too much"}
	tests := []struct {
		name     string
		now, old Tree
		want     []string
	}{
		{"the same", a, NewTree("c1", []TreePath{{"y", "2"}, {"x", "1"}}), nil},
		{"nothing differs from the commit", NewTree("c1", nil), NewTree("c1", nil), nil},
		{"another content", a, NewTree("c1", []TreePath{{"x", "1"}, {"y", "3"}}), []string{"y"}},
		{"a path more and one less", a, NewTree("c1", []TreePath{{"x", "1"}, {"z", "2"}}), []string{"y", "z"}},
		{"another commit", a, NewTree("", []TreePath{{"x", "1"}, {"y", "2"}}), []string{"HEAD moved from no commit to c1"}},
		{"not comparable now", none, a, []string{"the work tree cannot be compared now: too much"}},
		{"not comparable then", a, none, []string{"the work tree could not be compared then: too much"}},
		{"never comparable", none, none, []string{"the work tree could not be compared then: too much"}},
		{"no digest at all", Tree{}, Tree{}, []string{"a path that is not among the first 300"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.now.Since(tt.old)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := tt.now.Same(tt.old); got != (tt.want == nil) {
				t.Errorf("Same = %v", got)
			}
		})
	}
}

func TestATreeOfManyPathsNamesTheFirstAndDiffersInTheLast(t *testing.T) {
	var paths []TreePath
	for i := range 1_000 {
		paths = append(paths, TreePath{fmt.Sprintf("%04d", i), "1"})
	}
	before := NewTree("c", paths)
	paths[999].State = "2"
	after := NewTree("c", paths)
	if before.More != 700 || len(before.Paths) != 300 {
		t.Errorf("got %d paths and %d more", len(before.Paths), before.More)
	}
	if got := after.Since(before); len(got) != 1 || after.Same(before) {
		t.Errorf("got %q", got)
	}
}

func TestNoTwoTreesShareADigest(t *testing.T) {
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab\" \n\x00")))
	tree := rapid.Custom(func(t *rapid.T) Tree {
		paths := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) TreePath {
			return TreePath{text.Draw(t, "path"), text.Draw(t, "state")}
		}), 0, 4, func(p TreePath) string { return p.Path }).Draw(t, "paths")
		return NewTree(text.Draw(t, "head"), paths)
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := tree.Draw(t, "a"), tree.Draw(t, "b")
		if same := a.Head == b.Head && cmp.Equal(states(a.Paths), states(b.Paths)); a.Same(b) != same {
			t.Fatalf("Same = %v, want %v", a.Same(b), same)
		}
	})
}

func FuzzStatus(f *testing.F) {
	f.Add([]byte("# branch.oid a\x00? b\x001 .M N... 1 2 3 a b c d\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, entries, err := Status(data)
		for _, e := range entries {
			if e.Path == "" || err != nil {
				t.Errorf("%q: got %+v, error %v", data, e, err)
			}
		}
	})
}

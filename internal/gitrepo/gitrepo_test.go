package gitrepo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/gitrepo"
)

func TestDirtyPathsReadsThePorcelain(t *testing.T) {
	tests := []struct {
		name, porcelain string
		most            int
		want            []string
		more            int
	}{
		{"a clean tree", "", 10, nil, 0},
		{"changed, staged and untracked", " M a.go\x00M  b.go\x00?? c d.go\x00", 10, []string{"a.go", "b.go", "c d.go"}, 0},
		{"a renamed file stands under both of its names", "R  new.go\x00old.go\x00 M z.go\x00", 10, []string{"new.go", "old.go", "z.go"}, 0},
		{"a name that is gone from the index and new in the tree counts once", "D  a.go\x00?? a.go\x00", 10, []string{"a.go"}, 0},
		{"a copied file stands under its new name, since the old one is as it was", "C  copy.go\x00from.go\x00", 10, []string{"copy.go"}, 0},
		{"a file renamed in the work tree only", " R new.go\x00old.go\x00?? R\x00", 10, []string{"new.go", "old.go", "R"}, 0},
		{"a path with a line break", "?? a\nb\x00", 10, []string{"a\nb"}, 0},
		{"more than asked for", "?? a\x00?? b\x00?? c\x00", 1, []string{"a"}, 2},
		{"none asked for", "?? a\x00", 0, nil, 1},
		{"a cut end", " M a.go\x00?? ", 10, []string{"a.go"}, 0},
		{"a rename whose old name is missing", "R  new.go", 10, []string{"new.go"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, more := gitrepo.DirtyPaths([]byte(tt.porcelain), tt.most)
			if diff := cmp.Diff(tt.want, got); diff != "" || more != tt.more {
				t.Errorf("more %d, want %d; paths (-want +got):\n%s", more, tt.more, diff)
			}
		})
	}
}

func TestSummaryCountsWhatAStatusHolds(t *testing.T) {
	tests := []struct{ name, porcelain, want string }{
		{"nothing", "", "clean"},
		{"one of each", "M  a\x00 M b\x00?? c\x00UU d\x00", "1 staged, 1 changed, 1 untracked, 1 in conflict"},
		{"a path that is staged and changed again", "MM a\x00", "1 staged, 1 changed"},
		{"a rename is one staged path", "R  new\x00old\x00", "1 staged"},
		{"both added, both deleted", "AA a\x00DD b\x00", "2 in conflict"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := gitrepo.Summary([]byte(tt.porcelain)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStagedPathsReadsNameStatus(t *testing.T) {
	tests := []struct {
		name, out string
		want      []gitrepo.Staged
	}{
		{"nothing is staged", "", nil},
		{"added, changed, removed", "A\x00a b\x00M\x00\"q\"\nx\x00D\x00c\x00", []gitrepo.Staged{{Status: 'A', Path: "a b"}, {Status: 'M', Path: "\"q\"\nx"}, {Status: 'D', Path: "c"}}},
		{"a name that is not UTF-8", "A\x00\xff\x00", []gitrepo.Staged{{Status: 'A', Path: "\xff"}}},
		{"a cut end", "A\x00a\x00M\x00", []gitrepo.Staged{{Status: 'A', Path: "a"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, gitrepo.StagedPaths([]byte(tt.out))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBelowSeesAPathFromADirectory(t *testing.T) {
	tests := []struct{ prefix, name, want string }{
		{"", "a/b", "a/b"}, {"sub/", "sub/a", "a"}, {"sub/deep/", "sub/a", "../../sub/a"}, {"sub/", "subx", "../subx"},
	}
	for _, tt := range tests {
		if got := gitrepo.Below(tt.prefix, tt.name); got != tt.want {
			t.Errorf("Below(%q, %q) is %q, want %q", tt.prefix, tt.name, got, tt.want)
		}
	}
}

func FuzzWhatGitPrintsIsReadWithoutAPanic(f *testing.F) {
	f.Add([]byte(" M a.go\x00R  new\x00old\x00"))
	f.Add([]byte("A\x00a\x00D\x00b\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		paths, more := gitrepo.DirtyPaths(data, 3)
		if len(paths) > 3 || len(paths) < 3 && more > 0 {
			t.Errorf("%d paths and %d more", len(paths), more)
		}
		for _, s := range gitrepo.StagedPaths(data) {
			if s.Path == "" || s.Status == 0 {
				t.Errorf("an empty entry in %q", data)
			}
		}
		_ = gitrepo.Summary(data)
	})
}

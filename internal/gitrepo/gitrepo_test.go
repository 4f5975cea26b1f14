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
		{"a renamed file counts once, under its new name", "R  new.go\x00old.go\x00 M z.go\x00", 10, []string{"new.go", "z.go"}, 0},
		{"a copied one too", "C  copy.go\x00from.go\x00", 10, []string{"copy.go"}, 0},
		{"a file renamed in the work tree only", " R new.go\x00old.go\x00?? R\x00", 10, []string{"new.go", "R"}, 0},
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

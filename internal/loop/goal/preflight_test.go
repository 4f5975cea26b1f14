package goal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandsAreThoseThatTheFilesSuggest(t *testing.T) {
	tests := []struct {
		name, file, data string
		want             []string
	}{
		{"a Makefile", "Makefile", "test: x\n\tgo test\n\nlint:\n\tvet\nchecks:\n", []string{"make test", "make lint"}},
		{"a Makefile without such targets", "Makefile", "build:\n\t# test: no\n", nil},
		{"a Go module", "go.mod", "module x", []string{"go vet ./...", "go test ./..."}},
		{"an npm package", "package.json", `{"scripts":{"test":"x","typecheck":"tsc","lint.x":"y"}}`, []string{"npm run test", "npm run typecheck"}},
		{"an npm package that cannot be read", "package.json", `{"scripts":{"test":`, nil},
		{"an npm package of ten million levels", "package.json", strings.Repeat("[", 10_000_000), nil},
		{"a Rust crate", "Cargo.toml", "", []string{"cargo clippy", "cargo test"}},
		{"a file of nobody's", "x.txt", "test:", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Commands(map[string][]byte{tt.file: []byte(tt.data)})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstructionsAreListedWithADigest(t *testing.T) {
	got := Instructions(map[string][]byte{"AGENTS.md": []byte("a"), "CLAUDE.md": []byte("b"), "README.md": nil})
	want := []string{"CLAUDE.md sha256:3e23e8160039", "AGENTS.md sha256:ca978112ca1b"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	seen := map[string]bool{}
	for _, name := range ProjectFiles() {
		if seen[name] || strings.HasPrefix(name, "/") {
			t.Errorf("%s is listed twice or is absolute", name)
		}
		seen[name] = true
	}
}

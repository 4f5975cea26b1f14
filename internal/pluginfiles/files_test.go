package pluginfiles

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// read returns a file of the plugin, named by its path below the plugin's root.
func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// decode reads a JSON file of the plugin and refuses fields that v lacks.
func decode(t *testing.T, path string, v any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(read(t, path)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		t.Fatalf("decode %s: %v", path, err)
	}
}

// A shell reads a launcher with CRLF as an error of status 2, which blocks a Stop.
func TestEveryShippedTextHasUnixLineEnds(t *testing.T) {
	root := filepath.Join("..", "..")
	parts := []string{"plugin.json", ".claude-plugin", "hooks", "skills", "bin/omc-hook", "LICENSE", "README.md", "CHANGELOG.md"}
	for _, part := range parts {
		start := filepath.Join(root, filepath.FromSlash(part))
		if _, err := os.Stat(start); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(start, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) == ".png" {
				return err
			}
			raw, err := os.ReadFile(path)
			if bytes.ContainsRune(raw, '\r') {
				t.Errorf("%s: has a carriage return", path)
			}
			return err
		})
		if err != nil {
			t.Errorf("walk %s: %v", part, err)
		}
	}
}

func TestLauncherMayBeExecuted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no executable bit")
	}
	info, err := os.Stat(filepath.Join("..", "..", "bin", "omc-hook"))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm() & 0o111; got != 0o111 {
		t.Errorf("executable bits: got %o, want 111", got)
	}
}

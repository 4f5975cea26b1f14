// Package plugintest gives tests the plugin as make build leaves it. It does not
// look at a binary that was built before.
package plugintest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Build is a copy of the plugin with the binary of this tree. The test runs in a
// folder directly below internal/tools.
func Build(t *testing.T) string {
	t.Helper()
	dir := Copy(t)
	binary := filepath.Join(dir, "bin", runtime.GOOS+"-"+runtime.GOARCH, "omc-hook")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", binary, "omc-hook/cmd/omc-hook")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the plugin: %v\n%s", err, out)
	}
	return dir
}

// Copy copies the plugin's hooks and launcher, without a binary, to a folder
// whose name has a space.
func Copy(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "the plugin")
	for _, name := range []string{"hooks/hooks.json", "bin/omc-hook"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

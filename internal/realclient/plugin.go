//go:build linux

package realclient

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Plugin writes a plugin of the given files (path below the plugin → text) and
// returns its directory, name below the world. A manifest that is not given is
// made up. What lies in bin/ or ends in .sh is executable.
func (w *World) Plugin(name string, files map[string]string) string {
	w.t.Helper()
	dir := w.Path("plugins", name)
	const manifest = ".claude-plugin/plugin.json"
	if _, given := files[manifest]; !given {
		w.Write(filepath.Join(dir, manifest), `{"name": "`+filepath.Base(name)+`", "version": "1.0.0"}`)
	}
	for path, text := range files {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(path, "bin/") || strings.HasSuffix(path, ".sh") {
			mode = 0o755
		}
		w.write(filepath.Join(dir, path), text, mode)
	}
	return dir
}

// CopyPlugin copies parts (files or directories, which must exist) of a plugin
// that is being worked on, and returns the copy's directory, name below the
// world: a test can give it a space or an umlaut.
func (w *World) CopyPlugin(name, source string, parts ...string) string {
	w.t.Helper()
	dir := w.Path("plugins", name)
	for _, part := range parts {
		from, to := filepath.Join(source, part), filepath.Join(dir, part)
		info, err := os.Stat(from)
		if err != nil {
			w.t.Fatalf("copy a part of the plugin: %v", err)
		}
		if info.IsDir() {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				w.t.Fatalf("copy %s: %v", from, err)
			}
			continue
		}
		data, err := os.ReadFile(from)
		if err != nil {
			w.t.Fatalf("copy a part of the plugin: %v", err)
		}
		w.write(to, string(data), info.Mode().Perm())
	}
	return dir
}

// Build builds a Go program of this module into a file. There is no network:
// the module's dependencies must have been downloaded before, which building
// the test has done for most.
func (w *World) Build(pkg, file string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatalf("make the directory of %s: %v", file, err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-o", file, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
}

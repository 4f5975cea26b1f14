//go:build linux

package realclient

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// manage runs a command of the client that starts no session, such as the
// installation of a plugin.
func manage(w *World, args ...string) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := grouped(ctx, w.client, args...)
	cmd.Dir, cmd.Env = w.Work, Session{}.environment(w, "http://127.0.0.1:1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("claude %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestThePluginIsInstalledFromItsReleaseBranch(t *testing.T) {
	w := NewWorld(t)
	source, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	clone, market := w.Path("ein Klon ü"), w.Path("market place")
	w.Git(w.Work, "clone", "-q", source, clone)
	release := exec.Command("go", "run", "./internal/tools/release", "-platform", runtime.GOOS+"/"+runtime.GOARCH, "-marketplace", market)
	release.Dir, release.Env = clone, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := release.CombinedOutput(); err != nil {
		t.Fatalf("make the release: %v\n%s", err, out)
	}
	manage(w, "plugin", "marketplace", "add", market)
	manage(w, "plugin", "install", "omc-hook@omc-hook")
	twelve(t, w, Session{Mode: "default"})
}

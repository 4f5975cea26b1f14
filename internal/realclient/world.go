//go:build linux

package realclient

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// apiKey is what the client sends instead of a key. Its last 20 characters
// stand in the configuration as approved, so that the client does not ask.
const apiKey = "scripted-model-on-loopback-only"

// World is the scratch machine of one test: a home, a repository in which
// sessions start, plugins. All of it is gone after the test.
type World struct {
	Home string // the client's HOME
	Work string // the repository where sessions start, unless they say otherwise

	t        testing.TB
	client   string
	dir      string // holds home, work and plugins
	short    string // a short path, for sockets
	sessions int
}

// NewWorld makes a world with an empty home and a repository of one commit, or
// skips the test where the client cannot run.
func NewWorld(t testing.TB) *World {
	t.Helper()
	client := clientBinary(t)
	short, err := os.MkdirTemp("", "rc")
	if err != nil {
		t.Fatalf("make a scratch directory: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	// Apart from each other, since the client changes modes below its own.
	for _, name := range []string{"client", "tmux"} {
		if err := os.Mkdir(filepath.Join(short, name), 0o700); err != nil {
			t.Fatalf("make a scratch directory: %v", err)
		}
	}
	dir := t.TempDir()
	w := &World{
		Home: filepath.Join(dir, "home"), Work: filepath.Join(dir, "project"),
		t: t, client: client, dir: dir, short: short,
	}
	t.Cleanup(func() { sweep(t, w.Home) })
	w.Write(filepath.Join(w.Home, ".gitconfig"), "[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n")
	w.Repository(w.Work)
	return w
}

// Repository makes a git repository of one commit in which the person trusts
// the client.
func (w *World) Repository(dir string) {
	w.t.Helper()
	w.Write(filepath.Join(dir, "README.md"), "# A project\n")
	w.Git(dir, "init", "--quiet")
	w.Git(dir, "add", "--all")
	w.Git(dir, "commit", "--quiet", "--message", "first")
}

// Git runs git with the world's home and returns what it printed.
func (w *World) Git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.Home, "LANG=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Path returns a path of the world, which lies outside home and work.
func (w *World) Path(elem ...string) string {
	return filepath.Join(append([]string{w.dir}, elem...)...)
}

// Write writes a file and the directories above it.
func (w *World) Write(path, text string) {
	w.t.Helper()
	w.write(path, text, 0o644)
}

func (w *World) write(path, text string, mode os.FileMode) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatalf("make the directory of %s: %v", path, err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatalf("write %s: %v", path, err)
	}
}

// JSON returns the one file that matches a pattern, parsed.
func (w *World) JSON(pattern string) gjson.Result {
	w.t.Helper()
	data, err := os.ReadFile(w.one(pattern))
	if err != nil {
		w.t.Fatalf("read state: %v", err)
	}
	return gjson.ParseBytes(data)
}

// Lines returns the parsed lines of the one file that matches a pattern, which
// is how a trace, a log or a record of hook events is read.
func (w *World) Lines(pattern string) []gjson.Result {
	w.t.Helper()
	data, err := os.ReadFile(w.one(pattern))
	if err != nil {
		w.t.Fatalf("read lines: %v", err)
	}
	return lines(string(data))
}

// Transcript returns the parsed lines of a session's transcript.
func (w *World) Transcript(session string) []gjson.Result {
	w.t.Helper()
	return w.Lines(filepath.Join(w.Home, ".claude", "projects", "*", session+".jsonl"))
}

func (w *World) one(pattern string) string {
	w.t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		w.t.Fatalf("%s: got %d files %v, want 1 (%v)", pattern, len(found), found, err)
	}
	return found[0]
}

func lines(text string) []gjson.Result {
	var out []gjson.Result
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); gjson.Valid(line) {
			out = append(out, gjson.Parse(line))
		}
	}
	return out
}

// NewID returns a random session id.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

//go:build unix

package pluginfiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stubVar names the stub to the tests; the environment of a launcher is set in
// each test, so that it never gets there.
const stubVar = "OMC_HOOK_TEST_STUB"

// TestMain builds the stub, which is not instrumented: some tests start it
// hundreds of times.
func TestMain(m *testing.M) {
	os.Exit(withStub(m))
}

func withStub(m *testing.M) int {
	dir, err := os.MkdirTemp("", "stub")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	stub := filepath.Join(dir, "stub")
	build := exec.Command("go", "build", "-o", stub, "./testdata/stub")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build stub: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(stubVar, stub); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// call is what the stub prints of how it was started.
type call struct {
	Folder   string
	Args     []string
	Launcher string
	Stdin    string
}

// shells lists how each shell that a system may use as sh is started; a test
// skips those that this machine lacks.
func shells() map[string][]string {
	return map[string][]string{
		"dash":    {"dash"},
		"bash":    {"bash", "--posix"},
		"busybox": {"busybox", "sh"},
		"mksh":    {"mksh"},
	}
}

// inEachShell runs a test with the absolute command line of every shell there is.
func inEachShell(t *testing.T, test func(t *testing.T, shell []string)) {
	t.Helper()
	for name, shell := range shells() {
		t.Run("in "+name, func(t *testing.T) {
			path, err := exec.LookPath(shell[0])
			if err != nil {
				t.Skipf("no %s here", name)
			}
			test(t, append([]string{path}, shell[1:]...))
		})
	}
}

// hostPlatform is the folder that the launcher has to choose on this machine.
func hostPlatform(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOHOSTOS", "GOHOSTARCH").Output()
	if err != nil {
		t.Fatalf("ask go for this platform: %v", err)
	}
	return strings.Join(strings.Fields(string(out)), "-")
}

// install copies the launcher into a new plugin below root, with the stub as
// the binary of the given platforms, and returns the launcher's path.
func install(t *testing.T, root string, platforms ...string) string {
	t.Helper()
	launcher := filepath.Join(root, "bin", "omc-hook")
	write(t, launcher, string(read(t, "bin/omc-hook")), 0o755)
	for _, platform := range platforms {
		name := "omc-hook"
		if strings.HasPrefix(platform, "windows-") {
			name += ".exe"
		}
		folder := filepath.Join(root, "bin", platform)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(os.Getenv(stubVar), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return launcher
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// result is how a command ended.
type result struct {
	Status         int
	Stdout, Stderr string
}

// run runs a command line with an environment of exactly env.
func run(t *testing.T, dir string, env []string, stdin string, line ...string) result {
	t.Helper()
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(stdin)
	if env == nil {
		cmd.Env = []string{} // nil would mean this test's own
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	// A launcher without a binary leaves its input unread.
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) {
		t.Fatalf("run %q: %v", line, err)
	}
	return result{Status: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}

// parse reads what the stub printed.
func parse(t *testing.T, got result) call {
	t.Helper()
	var answer call
	if err := json.Unmarshal([]byte(got.Stdout), &answer); err != nil {
		t.Fatalf("stdout: got %q (status %d, stderr %q), want the stub's answer", got.Stdout, got.Status, got.Stderr)
	}
	return answer
}

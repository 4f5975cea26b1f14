package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"omc-hook/internal/disk"
)

// The sessions of the tests. S1 owns the loops.
const (
	s1 = "0f3a9c52-71be-4c0d-9a44-5d1e7b2c8f60"
	s2 = "7c1d2e3f-0000-4111-8222-333344445555"
	s3 = "9d8c7b6a-0000-4111-8222-333344445555"
)

func TestMain(m *testing.M) {
	testscript.Main(withBinary{m}, map[string]func(){
		"omc-hook": func() { os.Exit(Main(os.Args[1:], processEnv())) },
		"client":   func() { os.Exit(clientMain(os.Args[1:])) },
	})
}

// binaryVariable names the shipped program that was built for this run.
const binaryVariable = "OMC_TEST_BINARY"

// withBinary builds cmd/omc-hook before the tests run.
type withBinary struct{ *testing.M }

// Run runs the tests and takes the binary away again.
func (m withBinary) Run() int {
	dir, err := os.MkdirTemp("", "omc-hook-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "omc-hook"+exeSuffix())
	if out, err := exec.Command("go", "build", "-o", binary, "omc-hook/cmd/omc-hook").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(binaryVariable, binary); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.M.Run()
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// TestScripts runs each script in a fresh git repository below a path with a
// space and an umlaut, at a fixed time, with a home of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			root, home := filepath.Join(env.WorkDir, "my pröject"), filepath.Join(env.WorkDir, "home")
			for _, dir := range []string{root, home} {
				if err := os.Mkdir(dir, 0o755); err != nil {
					return err
				}
			}
			if out, err := exec.Command("git", "init", "-q", "-b", "main", root).CombinedOutput(); err != nil {
				return fmt.Errorf("git init: %w: %s", err, out)
			}
			env.Cd = root
			env.Vars = append(env.Vars, "ROOT="+root, "HOME="+home, "USERPROFILE="+home,
				"S1="+s1, "S2="+s2, "S3="+s3, "SESSION="+s1, "PROMPT_ID=p1",
				"CLAUDE_CODE_SESSION_ID="+s1, "OMC_TEST_NOW=2026-03-01T10:00:00Z",
				"STATE="+filepath.Join(root, ".omc", "state", "sessions", s1, "goal-loop-state.json"))
			return nil
		},
	})
}

// processEnv is the Env of cmd/omc-hook, except that OMC_TEST_NOW sets the
// clock and that the build is called "test".
func processEnv() Env {
	now := time.Now
	if fixed := os.Getenv("OMC_TEST_NOW"); fixed != "" {
		t, err := time.Parse(time.RFC3339, fixed)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(125)
		}
		now = func() time.Time { return t }
	}
	return Env{
		Version: "test", GOOS: runtime.GOOS,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Getwd: os.Getwd, Now: now, Started: time.Now(),
		Disk: disk.Real(), Exit: os.Exit,
	}
}

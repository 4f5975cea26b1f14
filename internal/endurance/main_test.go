// Package endurance holds no code: its tests run the whole of omc-hook where it
// is hard for it. Many processes of the shipped program work on one state at
// once, processes are killed at any moment, and every single operation on the
// disk fails.
//
// They check what people are promised: every counter exact, no torn file, no
// acknowledged record lost, no continuation whose count is not on disk, and that
// the next command repairs. They do not check what a single rule or a single
// file operation does; that stands with decide, state and disk.
package endurance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// binaryVariable names the shipped program that was built for this run.
const binaryVariable = "OMC_TEST_BINARY"

func TestMain(m *testing.M) { os.Exit(withBinary(m)) }

// withBinary builds cmd/omc-hook, runs the tests and takes the program away.
func withBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "omc-hook-endurance-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "omc-hook")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, "omc-hook/cmd/omc-hook").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(binaryVariable, binary); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// times is how often a test repeats something; -short takes a tenth.
func times(n int) int {
	if testing.Short() {
		return max(2, n/10)
	}
	return n
}

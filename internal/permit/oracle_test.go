package permit_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/permit"
)

// stub stands in for our program: it prints how it was called and what it was
// given to read.
const stub = `#!/bin/sh
printf '%s\0' "$#" "$@"
printf 'stdin\0'
exec /bin/cat
`

// shellOracle is what real shells make of a command: the independent judge of
// what Parse accepts.
type shellOracle struct {
	shells  []string
	path    string // holds the stub only
	scratch string
}

// failer is the part of testing.TB that rapid.T has too.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// newShellOracle finds the shells of this machine; none of them is no failure.
func newShellOracle(t testing.TB) shellOracle {
	t.Helper()
	o := shellOracle{path: t.TempDir(), scratch: t.TempDir()}
	if runtime.GOOS == "windows" {
		return o
	}
	for _, name := range []string{"bash", "zsh"} {
		if shell, err := exec.LookPath(name); err == nil {
			o.shells = append(o.shells, shell)
		}
	}
	if err := os.WriteFile(filepath.Join(o.path, permit.Program), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	return o
}

// agrees fails unless every shell runs our program once, with exactly the
// arguments and input of call, and does nothing else.
func (o shellOracle) agrees(t failer, command string, call permit.Call) {
	t.Helper()
	if len(command) > 100_000 { // more than one argument of a process may have
		return
	}
	want := fmt.Sprintf("%d\x00", len(call.Args))
	for _, arg := range call.Args {
		want += arg + "\x00"
	}
	want += "stdin\x00" + call.Stdin
	for _, shell := range o.shells {
		var out, errOut bytes.Buffer
		cmd := exec.Command(shell, "-c", `eval "$1"`, "shell", command)
		cmd.Dir, cmd.Stdout, cmd.Stderr = o.scratch, &out, &errOut
		cmd.Env = []string{"PATH=" + o.path, "HOME=" + o.scratch, "ZDOTDIR=" + o.scratch, "LC_ALL=C.UTF-8"}
		if err := cmd.Run(); err != nil || errOut.Len() > 0 {
			t.Fatalf("%s: %q: %v, stderr %q", shell, command, err, errOut.String())
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Fatalf("%s: %q (-parsed +ran):\n%s", shell, command, diff)
		}
	}
	if left, err := os.ReadDir(o.scratch); err != nil || len(left) > 0 {
		t.Fatalf("%q left %v behind, error %v", command, left, err)
	}
}

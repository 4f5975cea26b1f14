//go:build linux

package realclient

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// RequireVar is the environment variable that says what a machine without the
// client means: "require" fails the tests, "off" skips them, and without it
// they are skipped where the client cannot run.
const RequireVar = "OMC_HOOK_REALCLIENT"

// Variables that the outer process hands to the one inside the namespaces.
const (
	insideVar = "OMC_HOOK_REALCLIENT_INSIDE" // path of the client's binary
	absentVar = "OMC_HOOK_REALCLIENT_ABSENT" // why there is no client
)

// inner is the first process of the namespaces. A shell, and not the test
// binary, because process 1 has to reap orphans: a zombie looks alive to
// whoever asks by signal 0.
const inner = `ip link set lo up || exit 1
"$@"
exit $?`

// Main runs the tests of a package inside the namespaces and returns the exit
// status for os.Exit. It is all that a TestMain has to call. The packages named
// are fetched as well, for [World.Fetched].
func Main(m *testing.M, packages ...Package) int {
	flag.Parse()
	if os.Getenv(insideVar) != "" || os.Getenv(absentVar) != "" {
		return m.Run()
	}
	binary, err := prepare(packages)
	if err != nil {
		return runHere(m, err)
	}
	return reexec(binary)
}

// prepare checks what the tests need and returns the client's binary. It runs
// outside the namespaces, since fetching needs the network.
func prepare(packages []Package) (string, error) {
	switch {
	case os.Getenv(RequireVar) == "off":
		return "", fmt.Errorf("%s is off", RequireVar)
	case testing.Short():
		return "", errors.New("the tests are run with -short")
	}
	for _, tool := range []string{"unshare", "ip", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", err
		}
	}
	probe := exec.Command("unshare", append(unshareArgs(), "true")...)
	if out, err := probe.CombinedOutput(); err != nil {
		return "", fmt.Errorf("making a namespace: %w: %s", err, out)
	}
	for _, p := range packages {
		if err := p.fetch(); err != nil {
			return "", err
		}
	}
	return locateClient()
}

func unshareArgs() []string {
	return []string{"--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--"}
}

func runHere(m *testing.M, absent error) int {
	if err := os.Setenv(absentVar, absent.Error()); err != nil {
		fmt.Fprintln(os.Stderr, "realclient:", err)
		return 1
	}
	return m.Run()
}

// reexec runs this test binary with the same arguments inside the namespaces.
// The kernel ends it when this process dies: the parent of that promise is a
// thread, hence the lock.
func reexec(binary string) int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "realclient:", err)
		return 1
	}
	args := append(unshareArgs(), "sh", "-c", inner, "sh", self)
	cmd := exec.Command("unshare", append(args, os.Args[1:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), insideVar+"="+binary)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(os.Stderr, "realclient:", err)
		return 1
	}
	return 0
}

// clientBinary returns the client, or skips (fails, where it is required) the
// test with the reason why there is none.
func clientBinary(t testing.TB) string {
	t.Helper()
	if binary := os.Getenv(insideVar); binary != "" {
		return binary
	}
	reason := os.Getenv(absentVar)
	if reason == "" {
		reason = "TestMain does not call realclient.Main"
	}
	unavailable(t, "no real client: "+reason)
	return ""
}

// unavailable ends a test that this machine cannot run.
func unavailable(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(RequireVar) == "require" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

//go:build unix

package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// plugin is a plugin directory that any user may read, with the real launcher and
// the shipped binary for this platform.
func (f *field) plugin() (launcher string) {
	f.Helper()
	root, err := os.MkdirTemp("", "plugin")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = os.RemoveAll(root) })
	script, err := os.ReadFile(filepath.Join("..", "..", "bin", "omc-hook"))
	if err != nil {
		f.Fatal(err)
	}
	binary, err := os.ReadFile(f.binary)
	if err != nil {
		f.Fatal(err)
	}
	launcher = filepath.Join(root, "bin", "omc-hook")
	for path, data := range map[string][]byte{
		launcher: script, filepath.Join(root, "bin", runtime.GOOS+"-"+runtime.GOARCH, "omc-hook"): binary,
	} {
		f.mkdir(filepath.Dir(path))
		if err := os.WriteFile(path, data, 0o755); err != nil {
			f.Fatal(err)
		}
	}
	for dir := range map[string]bool{root: true, f.root: true, filepath.Dir(f.root): true, filepath.Dir(filepath.Dir(f.root)): true} {
		if err := os.Chmod(dir, 0o755); err != nil {
			f.Fatal(err)
		}
	}
	return launcher
}

// limited is how a hook ended under a limit of the system.
func limited(f *field, limit string, line ...string) (status int, stdout string) {
	f.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Skip("no bash here to set a limit")
	}
	cmd := exec.Command(line[0], line[1:]...)
	if limit != "" {
		cmd = exec.Command(bash, append([]string{"-c", "ulimit " + limit + ` || exit 99; exec "$0" "$@"`}, line...)...)
	}
	cmd.Dir, cmd.Stdin = f.root, strings.NewReader(string(newEvent(line[len(line)-1], s1, f.root).bytes()))
	cmd.Env = []string{"HOME=" + f.home, "CLAUDE_PROJECT_DIR=" + f.root, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		f.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestNoLimitOfTheSystemBlocksAStop runs each verb through the launcher under
// limits that keep the binary, the shell, or both from working. Whatever fails,
// it is not status 2. Below 12 files dash itself cannot read a script and ends
// with 2, which no script can help.
func TestNoLimitOfTheSystemBlocksAStop(t *testing.T) {
	f := newField(t)
	launcher := f.plugin()
	for _, limit := range []string{
		"-v 3000", "-v 50000", "-v 200000", "-v 1000000", "-n 12", "-n 13", "-n 16", "-f 0", "-f 1", "-S -t 0", "-t 1", "-s 64", "-d 0", "-m 1", "-l 0", "-c 0",
	} {
		for _, verb := range hookVerbNames {
			t.Run(limit+" "+verb, func(t *testing.T) {
				f := &field{T: t, binary: f.binary, root: f.root, home: f.home}
				f.live()
				status, stdout := limited(f, limit, launcher, verb)
				switch {
				case status == 99:
					t.Skip("this system has no such limit")
				case status == 2:
					t.Errorf("status 2, stdout %q", stdout)
				case stdout != "":
					f.formed(&answer{stdout: stdout})
				}
				f.wholeState(s1)
			})
		}
	}
}

// TestNoLimitOfTheSystemMakesTheBinaryBlock is the same without the launcher, for
// the limits that leave the runtime a start.
func TestNoLimitOfTheSystemMakesTheBinaryBlock(t *testing.T) {
	f := newField(t)
	for _, limit := range []string{"-n 8", "-n 10", "-n 12", "-f 0", "-s 64", "-d 100000", "-l 0"} {
		for _, verb := range hookVerbNames {
			f.live()
			if status, stdout := limited(f, limit, f.binary, verb); status != 0 && status != 1 && status != 99 {
				t.Errorf("%s %s: status %d, stdout %q", limit, verb, status, stdout)
			}
			f.wholeState(s1)
		}
	}
}

// TestAProcessLimitBlocksNoStop starts the launcher as a user who may have few
// processes: neither a shell that cannot fork nor a runtime that gets no thread
// ends with status 2.
func TestAProcessLimitBlocksNoStop(t *testing.T) {
	setpriv, err := exec.LookPath("setpriv")
	if os.Getuid() != 0 || err != nil {
		t.Skip("needs root and setpriv to become a user without other processes")
	}
	f := newField(t)
	launcher := f.plugin()
	for n := 1; n <= 8; n++ {
		limit := fmt.Sprintf("-u %d", n)
		inner := append([]string{setpriv, "--reuid", fmt.Sprint(64000 + n), "--clear-groups"}, "bash", "-c", "ulimit "+limit+`; exec dash "$0" "$1"`, launcher, "stop")
		if status, stdout := limited(f, "", inner...); status != 0 && status != 1 {
			t.Errorf("%s: status %d, stdout %q", limit, status, stdout)
		}
	}
}

// TestAForeignOrDamagedProgramBlocksNoStop: a launcher with Windows line ends is
// not started at all when a client runs it without a shell, which lets the Stop
// go; a binary of another machine is a status of 0 or 1.
func TestAForeignOrDamagedProgramBlocksNoStop(t *testing.T) {
	f := newField(t)
	launcher := f.plugin()
	binary := filepath.Join(filepath.Dir(launcher), runtime.GOOS+"-"+runtime.GOARCH, "omc-hook")
	good := f.read(binary)
	script := f.read(launcher)
	for name, data := range map[string]string{
		"of another machine": "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00" + strings.Repeat("\x00", 200),
		"cut short":          good[:4096], "empty": "", "not a program": "\x00\x01\x02",
	} {
		if err := os.WriteFile(binary, []byte(data), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, verb := range hookVerbNames {
			if status, stdout := limited(f, "", launcher, verb); status == 2 || verb != "session-start" && stdout != "" {
				t.Errorf("a binary %s, %s: status %d, stdout %q", name, verb, status, stdout)
			}
		}
	}
	if err := os.WriteFile(launcher, []byte(strings.ReplaceAll(script, "\n", "\r\n")), 0o755); err != nil {
		t.Fatal(err)
	}
	err := exec.Command(launcher, "stop").Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		t.Error("the launcher with Windows line ends: status 2")
	}
	if err == nil {
		t.Error("the launcher with Windows line ends was started")
	}
}

// TestASignalThatDumpsIsNoBlockThroughTheLauncher: the runtime answers SIGQUIT and
// its like with status 2, which the launcher turns into 1.
func TestASignalThatDumpsIsNoBlockThroughTheLauncher(t *testing.T) {
	f := newField(t)
	f.live()
	launcher := f.plugin()
	for _, signal := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGXCPU} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		s := f.begin(r, launcher, "stop")
		child := childOf(s.cmd.Process.Pid)
		if child == 0 {
			t.Skip("this system does not tell the children of a process")
		}
		_ = syscall.Kill(child, signal)
		_ = s.cmd.Wait()
		s.killed.Stop()
		_, _ = r.Close(), w.Close()
		if got := s.cmd.ProcessState.ExitCode(); got == 2 || s.out.Len() > 0 {
			t.Errorf("%s: status %d, stdout %q", signal, got, s.out.String())
		}
	}
	f.wantIteration(3)
}

// childOf waits until a process runs our binary as its child, and is 0 where that
// cannot be seen.
func childOf(pid int) int {
	for limit := time.Now().Add(inTime); time.Now().Before(limit); {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		if err != nil {
			return 0
		}
		child := 0
		_, _ = fmt.Sscan(string(data), &child)
		if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", child)); err == nil && strings.HasSuffix(exe, "omc-hook") {
			return child
		}
	}
	return 0
}

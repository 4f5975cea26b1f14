//go:build linux

package realclient

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// poll is how often a condition is looked at. Only how soon a test goes on
// depends on it, never whether it passes.
const poll = 50 * time.Millisecond

// grouped returns a command in a process group of its own, which is killed
// whole when the context ends.
func grouped(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// sweep kills whatever still runs with that home: background shells leave
// their process group, but not their environment.
func sweep(t testing.TB, home string) {
	t.Helper()
	mark := []byte("HOME=" + home)
	for range 40 {
		found := false
		entries, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Errorf("list processes: %v", err)
			return
		}
		for _, path := range entries {
			env, err := os.ReadFile(path)
			if err != nil || !holds(env, mark) {
				continue // gone meanwhile, or not ours
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid != os.Getpid() {
				found = true
				syscall.Kill(pid, syscall.SIGKILL) // it may just have ended
			}
		}
		if !found {
			return
		}
		wait(poll, nil)
	}
	t.Errorf("processes of %s are still running", home)
}

func holds(env, entry []byte) bool {
	for _, e := range bytes.Split(env, []byte{0}) {
		if bytes.Equal(e, entry) {
			return true
		}
	}
	return false
}

// wait passes the time, or less when the channel is closed before.
func wait(d time.Duration, gone <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-gone:
	}
}

//go:build !windows

package ladder

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// shell is the command in a session of its own: it leads a process group, and a
// question on the terminal fails at once where it would wait.
func shell(command string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// askGroup and killGroup end the group that p leads.
func askGroup(p *os.Process)  { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// sweepGroup ends what p, which has ended, has left of its group.
func sweepGroup(p *os.Process) { killGroup(p) }

// signalOf names the signal that ended a process, "" for none.
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// Interruptible is a context that ends when somebody asks this process to end.
func Interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

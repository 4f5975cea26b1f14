package ladder

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
)

// shell is the command in a process group of its own. The command line is given
// as it is: cmd does not read the quoting of other programs.
func shell(command string) *exec.Cmd {
	cmd := exec.Command("cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine: `cmd /d /s /c "` + command + `"`, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
	}
	return cmd
}

// askGroup kills: there is nothing that every program takes for a question.
func askGroup(p *os.Process) { killGroup(p) }

// killGroup ends p with the processes that it has started.
func killGroup(p *os.Process) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	_ = p.Kill()
}

// sweepGroup does nothing: the processes are found by the id of p, which may be
// another one's by now.
func sweepGroup(*os.Process) {}

// signalOf is "": there are no signals.
func signalOf(*os.ProcessState) string { return "" }

// Interruptible is a context that ends when somebody asks this process to end.
func Interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}

//go:build linux

package realclient

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Terminal is a session that a person sits in front of: the client in tmux.
type Terminal struct {
	Session string // session id

	traffic
	w        *World
	socket   string
	deadline time.Time
}

// prompt stands before the line that the client reads.
const prompt = "❯"

// columns is wide enough that few lines of the client are broken.
const columns, rows = "220", "60"

// Open starts a session in a terminal and waits until the client takes input.
// It is closed with the test.
func (w *World) Open(s Session) *Terminal {
	w.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		unavailable(w.t, fmt.Sprintf("no terminal: %v", err))
	}
	s = s.withDefaults(w)
	a, logs := w.begin(s)
	args := s.args()
	if s.Prompt != "" {
		args = append(args, s.Prompt)
	}
	t := &Terminal{
		Session: s.ID, traffic: traffic{a}, w: w, deadline: time.Now().Add(s.Timeout),
		socket: fmt.Sprintf("rc%d", w.sessions),
	}
	// tmux servers hand their own environment on, hence env -i inside.
	command := append([]string{"env", "-i"}, s.environment(w, a.url)...)
	command = append(append(command, w.client), args...)
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("the screen at the end:\n%s", t.Screen())
		}
		w.keep(filepath.Join(logs, "screen.txt"), t.Screen())
		t.Close()
	})
	w.reportFailure(a)
	t.mustTmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", rows, "-c", s.Dir,
		"exec "+shellWords(command))
	t.tmux("set-option", "-g", "remain-on-exit", "on") // keeps what the client said last
	t.WaitUntil("the client takes input", func(screen string) bool {
		return strings.Contains(screen, prompt) && !strings.Contains(screen, prompt+" 1.") // not a menu
	})
	return t
}

// Type types a text without sending it.
func (t *Terminal) Type(text string) {
	t.w.t.Helper()
	t.mustTmux("send-keys", "-l", "--", text)
}

// Press presses keys by tmux's names, such as "Enter", "Escape" or "C-c".
func (t *Terminal) Press(keys ...string) {
	t.w.t.Helper()
	t.mustTmux(append([]string{"send-keys"}, keys...)...)
}

// Submit types a line, waits until the client shows it, and sends it: keys that
// arrive together would count as a paste, whose end of line sends nothing.
func (t *Terminal) Submit(line string) {
	t.w.t.Helper()
	t.Type(line)
	want := squeeze(line)
	shown := func(screen string) bool {
		i := strings.LastIndex(screen, prompt)
		return i >= 0 && strings.Contains(squeeze(screen[i:]), want)
	}
	t.WaitUntil(fmt.Sprintf("the client shows the typed %q", line), shown)
	t.Press("Enter")
	// On a busy machine the list of completions may take the key.
	const again = 20
	polls := 0
	t.WaitUntil(fmt.Sprintf("the client takes %q", line), func(screen string) bool {
		if !shown(screen) {
			return true
		}
		if polls++; polls%again == 0 {
			t.Press("Enter")
		}
		return false
	})
}

// squeeze drops white space, and with it the places where a line is broken.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// Screen returns what the terminal shows, with the history above it.
func (t *Terminal) Screen() string {
	out, err := t.tmux("capture-pane", "-p", "-S", "-2000")
	if err != nil {
		return err.Error()
	}
	return out
}

// WaitFor waits until the screen shows a text.
func (t *Terminal) WaitFor(text string) {
	t.w.t.Helper()
	t.WaitUntil(fmt.Sprintf("the screen shows %q", text), func(screen string) bool { return strings.Contains(screen, text) })
}

// WaitUntil waits until a condition on the screen holds. The condition may look
// at anything else as well, such as a file or the requests.
func (t *Terminal) WaitUntil(what string, holds func(screen string) bool) {
	t.w.t.Helper()
	for {
		screen := t.Screen()
		if holds(screen) {
			return
		}
		if time.Now().After(t.deadline) {
			t.w.t.Fatalf("it never happened that %s", what)
		}
		wait(poll, nil)
	}
}

// WaitForRequests waits until the agent has sent n requests.
func (t *Terminal) WaitForRequests(n int) {
	t.w.t.Helper()
	t.WaitUntil(fmt.Sprintf("the model has %d requests", n), func(string) bool { return len(t.Requests()) >= n })
}

// WaitForGate waits until a request waits at a gate.
func (t *Terminal) WaitForGate(g *Gate) {
	t.w.t.Helper()
	select {
	case <-g.Reached():
	case <-time.After(time.Until(t.deadline)):
		t.w.t.Fatal("no request reached the gate")
	}
}

// Close ends the terminal and the client in it.
func (t *Terminal) Close() { t.tmux("kill-server") }

func (t *Terminal) mustTmux(args ...string) {
	t.w.t.Helper()
	if out, err := t.tmux(args...); err != nil {
		t.w.t.Fatalf("tmux: %v: %s", err, out)
	}
}

func (t *Terminal) tmux(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-L", t.socket}, args...)...)
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + t.w.Home, "LANG=C.UTF-8", "TERM=xterm-256color",
		"SHELL=/bin/sh", "TMUX_TMPDIR=" + filepath.Join(t.w.short, "tmux"),
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

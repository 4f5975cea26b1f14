package cli

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestFieldSwitch(t *testing.T) {
	tests := []struct {
		env string
		off bool
	}{
		{"DISABLE_OMC=1", true},
		{"DISABLE_OMC=true", true},
		{"DISABLE_OMC=TRUE", true},
		{"DISABLE_OMC=yes", true},
		{"DISABLE_OMC= 1 ", true},
		{"DISABLE_OMC=0", false},
		{"DISABLE_OMC=", false},
		{"OMC_HOOK_DISABLE=1", true},
		{"OMC_SKIP_HOOKS=a, stop ,b", true},
		{"OMC_SKIP_HOOKS=STOP", true},
		{"OMC_SKIP_HOOKS=omc-hook", true},
		{"OMC_SKIP_HOOKS=stop-hook", false},
		{"OMC_SKIP_HOOKS=,", false},
	}
	for _, tc := range tests {
		t.Run("case 66: "+tc.env, func(t *testing.T) {
			f := newField(t)
			f.live()
			a := f.stop(f.in(), tc.env)
			if got := a.decision == ""; got != tc.off {
				t.Errorf("let go %v, want %v: %q", got, tc.off, a.stdout)
			}
			status := f.run(strings.NewReader(""), f.root, []string{"CLAUDE_CODE_SESSION_ID=" + s1, tc.env}, "status")
			name, _, _ := strings.Cut(tc.env, "=")
			if tc.off && (status.status != 3 || !strings.Contains(status.stdout, "switched off by "+name)) {
				t.Errorf("status %d: %q", status.status, status.stdout)
			}
			start := f.run(strings.NewReader("make"), f.root, []string{"CLAUDE_CODE_SESSION_ID=" + s2, tc.env}, "goal", "start", "--stdin")
			if tc.off && (start.status != 1 || !strings.Contains(start.stderr, "switched off by "+name)) {
				t.Errorf("start: status %d, stderr %q", start.status, start.stderr)
			}
		})
	}
}

// TestSwitchedOffHookReadsNothing has a standard input that never ends: a switch
// that is looked at first lets every verb go all the same.
func TestSwitchedOffHookReadsNothing(t *testing.T) {
	f := newField(t)
	f.live()
	for _, verb := range hookVerbNames {
		never, hold := io.Pipe()
		cmd := exec.Command(f.binary, verb)
		cmd.Env, cmd.Dir, cmd.WaitDelay = []string{"HOME=" + f.home, "DISABLE_OMC=1"}, f.root, time.Millisecond
		cmd.Stdin = never
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		state, err := cmd.Process.Wait()
		_ = hold.Close()
		_ = cmd.Wait()
		// Who typed a command is told; every other event is let pass in silence.
		if told := strings.Contains(out.String(), "switched off by DISABLE_OMC"); told != (verb == "expand") || !told && out.Len() > 0 {
			t.Errorf("%s: output %q", verb, out.String())
		}
		if err != nil || state.ExitCode() != 0 {
			t.Errorf("%s: %v, %v, output %q", verb, err, state, out.String())
		}
	}
	f.wantIteration(3)
}

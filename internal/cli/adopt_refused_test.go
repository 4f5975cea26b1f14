package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAdoptRefusesAndChangesNothing(t *testing.T) {
	elsewhere := func(f *inside) {
		f.write(filepath.Join(f.root, ".goal-loop", "GOAL-WORKLOG.md"), "# of somebody else\n")
	}
	tests := []struct {
		name    string
		prepare func(f *inside)
		from    string
		says    string
	}{
		{"a session without a loop", nil, s3, "there is none"},
		{"the session itself", nil, s2, "cannot adopt its own loop"},
		{"no session id", nil, "../" + s1, "name both sessions"},
		{"an inactive loop", func(f *inside) { f.set(s1, "active", false) }, s1, "is not active (inactive)"},
		{"an ended loop", func(f *inside) { f.command(s1, "", "cancel") }, s1, "is not active (CANCELLED)"},
		{"a state that cannot be read", func(f *inside) { f.write(f.field.state(s1), `{"active":tr`) }, s1, "goal-loop-state.json: "},
		{"an ambiguous state", func(f *inside) { f.write(f.field.state(s1), `{"active":true,"active":false}`) }, s1, "occurs twice"},
		{"a state of a newer build", func(f *inside) { f.set(s1, "schema", 2) }, s1, "written by a newer omc-hook"},
		{"a state that names another session", func(f *inside) { f.set(s1, "session_id", s3) }, s1, "names another session"},
		{"a state of another program", func(f *inside) { f.live() }, s1, ""},
		{"records of another run", func(f *inside) { f.set(s1, "run_id", "g0000000a") }, s1, "is not of run g0000000a"},
		{"records that somebody replaced", elsewhere, s1, "is not of run"},
		{"records of which one is gone", func(f *inside) { _ = os.Remove(filepath.Join(f.root, ".goal-loop", "GOAL.md")) }, s1, "ERROR"},
		{"records that are gone", func(f *inside) { _ = os.RemoveAll(filepath.Join(f.root, ".goal-loop")) }, s1, ".goal-loop"},
		{"a state directory outside the repository", func(f *inside) { f.set(s1, "state_dir", "../../etc") }, s1, "lies outside"},
		{"a session that has a loop", func(f *inside) { f.start(s2, "--state-dir=.second another") }, s1, "goal-loop is active in session " + s2},
		{"a session whose own state cannot be read", func(f *inside) { f.write(f.field.state(s2), "[]") }, s1, s2 + "/goal-loop-state.json cannot be used"},
		{"a session in which OMC is active", func(f *inside) {
			f.write(filepath.Join(f.dir(s2), "ralph-state.json"), string(liveState("session_id", s2)))
		}, s1, "OMC's ralph is active"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f := runningLoop(t)
			f.beat(s2)
			if tc.prepare != nil {
				tc.prepare(f)
			}
			f.unchanged(f.root, func() {
				a := f.adopt(tc.from, s2)
				if a.status != 1 || a.stdout != "" || !strings.Contains(filepath.ToSlash(a.stderr), tc.says) {
					t.Errorf("status %d, stdout %q, stderr %q, want 1 and %q", a.status, a.stdout, a.stderr, tc.says)
				}
				if lines := strings.Count(a.stderr, "\n"); lines < 1 || lines > 2 {
					t.Errorf("stderr %q has %d lines", a.stderr, lines)
				}
			})
		})
	}
}

// TestAdoptWakesNoRunThatHasEnded: the call is made again after the new owner has
// ended the run, with and without the end in the records.
func TestAdoptWakesNoRunThatHasEnded(t *testing.T) {
	for _, recorded := range []bool{true, false} {
		f := runningLoop(t)
		f.beat(s2)
		f.adopt(s1, s2)
		before := f.worklog()
		f.command(s2, "", "cancel")
		if !recorded {
			f.write(filepath.Join(f.root, ".goal-loop", "GOAL-WORKLOG.md"), before)
		}
		f.unchanged(f.root, func() {
			if a := f.adopt(s1, s2); a.status != 1 || !strings.Contains(a.stderr, "CANCELLED") {
				t.Errorf("recorded %v: status %d, %q", recorded, a.status, a.stderr)
			}
		})
		f.wantNote(f.stop(f.in("session_id", s2)), "CANCELLED")
	}
}

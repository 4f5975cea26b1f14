package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestFieldOwner(t *testing.T) {
	tests := []struct {
		name string
		run  func(f *field)
	}{
		{"case 1: a state without an owner captures nobody", func(f *field) {
			for _, owner := range []any{"", nil, "null", "undefined", "unknown", " ", s1} {
				f.live("session_id", owner)
				f.write(f.state(s2), string(liveState("session_id", owner)))
				f.write(filepath.Join(f.root, ".omc", "state", "goal-loop-state.json"), string(liveState("session_id", owner)))
				f.unchanged(f.root, func() { f.wantQuiet(f.stop(f.in("session_id", s2, "x", owner))) })
			}
		}},
		{"case 1: a Stop without a session id captures nothing", func(f *field) {
			f.live()
			for _, id := range []any{nil, "", 7, true, []string{s1}, map[string]string{"id": s1}} {
				f.unchanged(f.root, func() { f.wantQuiet(f.stop(f.in("session_id", id))) })
			}
			f.unchanged(f.root, func() { f.wantQuiet(f.hook("stop", []byte(`{"hook_event_name":"Stop","session_id":null}`))) })
		}},
		{"case 1: a start without a session id is refused and says how to pass one", func(f *field) {
			for _, id := range []string{"", " ", "null/../x"} {
				a := f.command(id, f.root, "make", "goal", "start", "--stdin")
				if a.status != 1 || !strings.Contains(a.stderr, "--session=ID") {
					f.Errorf("session %q: status %d, stderr %q", id, a.status, a.stderr)
				}
			}
			f.unchanged(f.root, func() {})
		}},
		{"case 24: after the session id changed, the new session is not captured and takes the loop up by its own start", func(f *field) {
			f.start(s1, "make")
			f.wantQuiet(f.stop(f.in("session_id", s2)))
			a := f.command(s2, f.root, `{"planned":"a","next":"b"}`, "goal", "record", "--stdin")
			if a.status != 1 {
				f.Errorf("a record of the other session: status %d", a.status)
			}
			f.wantNote(f.hook("session-start", newEvent("session-start", s2, f.root).bytes()), s1)
		}},
		{"case 30: leftovers of others are neither read nor counted", func(f *field) {
			f.write(f.state(s2), string(liveState("session_id", s2)))
			f.write(filepath.Join(f.root, ".omc", "state", "goal-loop-state.json"), string(liveState()))
			for _, name := range []string{"tmp", s1 + ".bak", s1 + "x"} {
				f.write(filepath.Join(f.dir(name), "goal-loop-state.json"), string(liveState()))
			}
			for i := range 300 {
				f.write(filepath.Join(f.home, "todos", fmt.Sprint(i)+".json"), `{"status":"pending"}`)
			}
			f.unchanged(f.root, func() { f.wantQuiet(f.stop(f.in())) })
			f.unchanged(f.home, func() { f.wantQuiet(f.stop(f.in())) })
		}},
		{"case 32: the loop of another session is told of at the start of this one, not at its stops", func(f *field) {
			f.live()
			f.wantNote(f.hook("session-start", newEvent("session-start", s2, f.root).bytes()), s1, f.state(s1))
			for range 3 {
				f.wantQuiet(f.stop(f.in("session_id", s2)))
			}
			a := f.command("", f.root, "", "status")
			if !strings.Contains(a.stdout, s1) {
				f.Errorf("status without a session does not list it: %q", a.stdout)
			}
		}},
		{"case 63: a session without a loop changes not one byte over 50 stops", func(f *field) {
			f.start(s1, "make")
			f.unchanged(f.root, func() {
				for i := range 50 {
					f.wantQuiet(f.stop(f.in("session_id", s2, "last_assistant_message", fmt.Sprint("turn ", i))))
				}
			})
		}},
		{"case 65: a subagent's stop is let go and counts nothing", func(f *field) {
			f.live()
			f.unchanged(f.root, func() {
				for i := range 10 {
					f.wantQuiet(f.stop(f.in("agent_id", fmt.Sprint("a", i), "agent_type", "reviewer")))
				}
				f.wantQuiet(f.stop(f.in("hook_event_name", "SubagentStop")))
			})
			f.wantBlock(f.stop(f.in("agent_id", "")))
			f.wantIteration(4)
		}},
		{"case 81: a record goes to the run that it names, never to a dead session's", func(f *field) {
			f.start(s1, "make")
			before := f.read(filepath.Join(f.root, ".goal-loop", "GOAL-WORKLOG.md"))
			for _, args := range [][]string{{}, {"--run", "g12345678"}, {"--session", s3}} {
				a := f.command(s2, f.root, `{"planned":"a","next":"b"}`, append([]string{"goal", "record", "--stdin"}, args...)...)
				if a.status != 1 || a.stdout != "" || strings.Count(a.stderr, "\n") > 2 {
					f.Errorf("%v: status %d, stdout %q, stderr %q", args, a.status, a.stdout, a.stderr)
				}
			}
			if f.read(filepath.Join(f.root, ".goal-loop", "GOAL-WORKLOG.md")) != before {
				f.Error("the worklog changed")
			}
		}},
		{"case 82: a session id that is no plain name opens nothing", func(f *field) {
			f.live()
			f.write(filepath.Join(f.root, "goal-loop-state.json"), string(liveState()))
			for _, id := range strangeNames() {
				f.unchanged(filepath.Dir(f.root), func() { f.wantQuiet(f.stop(f.in("session_id", id))) })
				a := f.command(s1, f.root, "", "status", "--session="+id)
				if id != "" && a.status == 0 {
					f.Errorf("--session=%q: status 0", id)
				}
			}
			f.wantIteration(3)
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { tc.run(newField(t)) })
	}
}

// strangeNames are session ids that would leave the state directory, or name
// something else on some disk.
func strangeNames() []string {
	return []string{
		"../../etc/x", "..", ".", "a/b", `a\b`, "/abs", `C:\x`, "%2e%2e", "aux.txt", s1 + " ", " " + s1, "-rf", "--all",
		strings.Repeat("a", 300), s1 + "\n" + s2, "ѕ1", s1 + "*", "@this", "#", "a.b", "_x", "../sessions/" + s1,
	}
}

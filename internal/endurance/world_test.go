package endurance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"omc-hook/internal/loop/goal"
)

// The sessions of most tests. owner has the loop.
const (
	owner = "0f3a9c52-71be-4c0d-9a44-5d1e7b2c8f60"
	other = "7c1d2e3f-0000-4111-8222-333344445555"
)

// world is one repository with a home of its own.
type world struct {
	testing.TB
	root, home string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return worldIn(t, t.TempDir())
}

// newWorldInMemory is newWorld where syncing costs nothing, if there is such a
// place: for a test whose faults come from the seam and not from the disk.
func newWorldInMemory(t testing.TB) *world {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "omc-hook-endurance-")
	if err != nil {
		return newWorld(t)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return worldIn(t, dir)
}

func worldIn(t testing.TB, top string) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(top)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, root: filepath.Join(top, "p"), home: filepath.Join(top, "home")}
	for _, dir := range []string{filepath.Join(w.root, ".git"), w.home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// request is one run of the program: a hook verb with an event, or a command of
// the model's shell.
type request struct {
	args    []string
	stdin   []byte
	session string
	hook    bool
}

// event is a hook verb with the event that the client sends.
func (w *world) event(verb, name, session string, fields map[string]any) request {
	e := map[string]any{
		"hook_event_name": name, "session_id": session, "cwd": w.root, "prompt_id": "p1",
		"permission_mode": "default", "transcript_path": filepath.Join(w.root, "none.jsonl"),
	}
	for key, value := range fields {
		e[key] = value
	}
	return request{args: []string{verb}, stdin: w.encode(e), session: session, hook: true}
}

func (w *world) encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		w.Fatal(err)
	}
	return data
}

// stop is the end of a turn with an answer of the model.
func (w *world) stop(session, answer string) request {
	return w.event("stop", "Stop", session, map[string]any{
		"stop_hook_active": false, "last_assistant_message": answer, "background_tasks": []any{},
	})
}

// typed is what the person typed after /goal-loop.
func (w *world) typed(session, args string) request {
	return w.event("expand", "UserPromptExpansion", session, map[string]any{"command_name": "omc-hook:goal-loop", "command_args": args})
}

// seen is the event that shows that the hook lives in a session.
func (w *world) seen(session string) request {
	return w.event("session-start", "SessionStart", session, map[string]any{"source": "startup"})
}

// command is a command of the model's shell.
func (w *world) command(session string, stdin []byte, args ...string) request {
	return request{args: args, stdin: stdin, session: session}
}

// record is `goal record` of a round that nothing else is like.
func (w *world) record(session, what string) request {
	entry := goal.Entry{
		Planned: what, Changed: []string{what + ".go"}, Next: "go on after " + what,
		Verification: []goal.Check{{Command: "make test", Result: what}},
		Review:       []goal.Review{{Reviewer: "self", Findings: "none"}},
		Progress:     []goal.Progress{{Kind: "criterion", What: what, Evidence: "it passes"}},
	}
	return w.command(session, w.encode(entry), "goal", "record", "--stdin")
}

// finish is `goal finish ERROR`.
func (w *world) finish(session string) request {
	return w.command(session, []byte(`{"reason":"the compiler crashes on every file","needs":"another compiler"}`), "goal", "finish", "ERROR", "--stdin")
}

// environ is the environment of the client's hooks or of the model's shell.
func (w *world) environ(r request) map[string]string {
	env := map[string]string{"HOME": w.home, "USERPROFILE": w.home, "LOCALAPPDATA": w.home, "PATH": os.Getenv("PATH")}
	if r.hook {
		env["CLAUDE_PROJECT_DIR"], env["AI_AGENT"] = w.root, "claude-code_2-1-332_harness"
	} else {
		env["CLAUDE_CODE_SESSION_ID"] = r.session
	}
	return env
}

func (w *world) sessionDir(session string) string {
	return filepath.Join(w.root, ".omc", "state", "sessions", session)
}

// begin starts a loop of a session in process and wants it to have started.
func (w *world) begin(session, args string) {
	w.Helper()
	if a := w.here(w.typed(session, args)); !a.started() {
		w.Fatalf("start of %s: %s", session, a)
	}
}

// must runs a request in process that nothing stands against.
func (w *world) must(r request) answer {
	w.Helper()
	a := w.here(r)
	if a.status != 0 || a.refused() {
		w.Fatalf("%v: %s", r.args, a)
	}
	return a
}

func (r request) String() string { return fmt.Sprint(r.args) }

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// field is one repository with a home, as the field cases have it, in which the
// shipped binary runs.
type field struct {
	*testing.T
	binary, root, home string
	env                []string
}

func newField(t *testing.T) *field {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &field{T: t, binary: os.Getenv(binaryVariable), root: filepath.Join(top, "p"), home: filepath.Join(top, "home")}
	f.mkdir(filepath.Join(f.root, ".git"))
	f.mkdir(f.home)
	return f
}

func (f *field) mkdir(path string) {
	f.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		f.Fatal(err)
	}
}

func (f *field) write(path, data string) {
	f.Helper()
	f.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		f.Fatal(err)
	}
}

func (f *field) read(path string) string {
	f.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.Fatal(err)
	}
	return string(data)
}

// dir is D(session) and state its goal-loop state.
func (f *field) dir(session string) string {
	return filepath.Join(f.root, ".omc", "state", "sessions", session)
}

func (f *field) state(session string) string {
	return filepath.Join(f.dir(session), "goal-loop-state.json")
}

// live is the fixture LIVE with other values; nil takes a field away.
func (f *field) live(pairs ...any) string {
	f.Helper()
	data := string(liveState(pairs...))
	f.write(f.state(s1), data)
	return data
}

func liveState(pairs ...any) []byte {
	now := time.Now().UTC()
	return event{
		"active": true, "session_id": s1, "mode": "goal-loop", "iteration": 3, "max_iterations": 10,
		"started_at": now.Add(-20 * time.Minute), "updated_at": now.Add(-time.Minute), "prompt": "finish the parser",
	}.with(pairs...).bytes()
}

// in is the fixture IN with other values.
func (f *field) in(pairs ...any) event {
	e := newEvent("stop", s1, f.root)
	delete(e, "prompt_id")
	return e.with(pairs...)
}

// answer is what one run ended with.
type answer struct {
	status           int
	stdout, stderr   string
	decision, reason string
	note             string
}

// run runs the binary with standard input; env is added to a bare environment.
func (f *field) run(stdin io.Reader, cwd string, env []string, args ...string) answer {
	f.Helper()
	cmd := exec.Command(f.binary, args...)
	cmd.Dir, cmd.Stdin = cwd, stdin
	cmd.Env = append([]string{"HOME=" + f.home, "USERPROFILE=" + f.home, "LOCALAPPDATA=" + f.home, "PATH=" + os.Getenv("PATH")}, f.env...)
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		f.Fatal(err)
	}
	return answer{status: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
}

// hook sends bytes to a hook verb and checks the form of what comes back.
func (f *field) hook(verb string, data []byte, env ...string) answer {
	f.Helper()
	a := f.run(bytes.NewReader(data), f.root, append([]string{"CLAUDE_PROJECT_DIR=" + f.root}, env...), verb)
	f.formed(&a)
	return a
}

// stop sends a Stop.
func (f *field) stop(e event, env ...string) answer {
	f.Helper()
	return f.hook("stop", e.bytes(), env...)
}

// formed holds for every answer of a hook: status 0, nothing on standard error,
// one JSON document or nothing, never a continue field.
func (f *field) formed(a *answer) {
	f.Helper()
	if a.status != 0 || a.stderr != "" {
		f.Errorf("status %d, stderr %q, want 0 and nothing", a.status, a.stderr)
	}
	if a.stdout == "" {
		return
	}
	var doc struct {
		Decision, Reason, SystemMessage string
		Continue                        *bool
		HookSpecificOutput              struct{ AdditionalContext string }
	}
	dec := json.NewDecoder(strings.NewReader(a.stdout))
	if err := dec.Decode(&doc); err != nil {
		f.Errorf("stdout %q is no JSON: %v", a.stdout, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		f.Errorf("stdout %q holds more than one document", a.stdout)
	}
	if doc.Continue != nil {
		f.Errorf("stdout %q holds a continue field", a.stdout)
	}
	a.decision, a.reason, a.note = doc.Decision, doc.Reason, doc.SystemMessage
	if doc.HookSpecificOutput.AdditionalContext != "" {
		a.decision, a.reason = "block", doc.HookSpecificOutput.AdditionalContext
	}
}

// wantBlock is BLOCK of the field cases: continued, with a reason.
func (f *field) wantBlock(a answer) {
	f.Helper()
	if a.decision != "block" || strings.TrimSpace(a.reason) == "" {
		f.Errorf("got %q, want a continuation", a.stdout)
	}
}

// wantAllow is ALLOW, with or without a note.
func (f *field) wantAllow(a answer) {
	f.Helper()
	if a.decision != "" {
		f.Errorf("got %q, want the turn to end", a.stdout)
	}
}

// wantQuiet is ALLOW without a word.
func (f *field) wantQuiet(a answer) {
	f.Helper()
	if a.stdout != "" {
		f.Errorf("got %q, want nothing", a.stdout)
	}
}

// wantNote is NOTE: allowed, with a line for the person.
func (f *field) wantNote(a answer, words ...string) {
	f.Helper()
	f.wantAllow(a)
	if a.note == "" || strings.Contains(a.note, "\n") {
		f.Errorf("got %q, want one line for the person", a.stdout)
	}
	for _, w := range words {
		if !strings.Contains(a.note, w) {
			f.Errorf("note %q does not say %q", a.note, w)
		}
	}
}

// iteration is the counter on disk.
func (f *field) iteration() int {
	f.Helper()
	var s struct{ Iteration int }
	if err := json.Unmarshal([]byte(f.read(f.state(s1))), &s); err != nil {
		f.Errorf("read the counter: %v", err)
	}
	return s.Iteration
}

func (f *field) wantIteration(want int) {
	f.Helper()
	if got := f.iteration(); got != want {
		f.Errorf("iteration %d, want %d", got, want)
	}
}

// tree is every file below dir with its content, links with their target. The
// hook's own trace and lock are left out.
func (f *field) tree(dir string) map[string]string {
	f.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[path] = "-> " + target
			return err
		case d.Name() == "omc-hook-trace.jsonl" || d.Name() == "omc-hook.lock":
		case d.IsDir():
			all[path+"/"] = ""
		case d.Type().IsRegular():
			all[path] = f.read(path)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.Fatal(err)
	}
	return all
}

// unchanged runs fn and wants every file below dir to be as it was before.
func (f *field) unchanged(dir string, fn func()) {
	f.Helper()
	before := maps.Clone(f.tree(dir))
	fn()
	if diff := cmp.Diff(before, f.tree(dir)); diff != "" {
		f.Errorf("something changed below %s (-before +after):\n%s", dir, diff)
	}
}

// command runs a command as the model's shell of session does, in cwd.
func (f *field) command(session, cwd, stdin string, args ...string) answer {
	f.Helper()
	a := f.run(strings.NewReader(stdin), cwd, []string{"CLAUDE_CODE_SESSION_ID=" + session}, args...)
	if a.status != 0 && a.status != 1 && a.status != 3 {
		f.Errorf("omc-hook %s: status %d, want 0, 1 or 3", strings.Join(args, " "), a.status)
	}
	return a
}

// start starts a goal-loop of a session by what the person typed.
func (f *field) start(session, args string) {
	f.Helper()
	a := f.hook("expand", newEvent("expand", session, f.root).with("command_args", args).bytes())
	if !strings.Contains(a.note, "goal-loop started") {
		f.Fatalf("start: %s%s", a.stdout, a.stderr)
	}
}

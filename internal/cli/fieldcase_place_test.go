package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"omc-hook/internal/permit"
)

// TestFieldPlace holds the cases about where things lie: the plugin, the
// repository, worktrees, what is committed, what others left.
func TestFieldPlace(t *testing.T) {
	tests := []struct {
		name string
		run  func(f *inside)
	}{
		{"case 11: a state keeps what another version wrote into it", func(f *inside) {
			f.start(s1, "make")
			f.set(s1, "new_field", map[string]any{"a": []int{1, 2}})
			f.set(s1, "another.deep", "kept")
			f.wantBlock(f.stop(f.in()))
			f.command(s1, oneRound, "goal", "record", "--stdin")
			f.expand(s1, "pause")
			f.expand(s1, "resume")
			f.expand(s1, "extend 2")
			state := f.read(f.field.state(s1))
			if gjson.Get(state, "new_field.a.1").Int() != 2 || gjson.Get(state, "another.deep").String() != "kept" {
				f.Errorf("unknown fields were lost: %s", state)
			}
		}},
		{"case 12: each command of a shipped text is one program and is allowed, or is the person's", shippedCommands},
		{"case 49: whatever way a loop ends, its state and its records are kept and told", everyEnding},
		{"case 85: what a loop writes is private, ignored by git, and repeats no secret", private},
		{"case 90: what a lock file says of a process decides nothing", lockText},
		{"case 91: leftovers of a write are never state, and only ours are swept", leftovers},
		{"case 93: data of others is never a path into the state", pathsAsData},
		{"case 93: an event with two sessions is none", func(f *inside) {
			f.live()
			f.unchanged(f.root, func() {
				for _, data := range []string{
					`{"hook_event_name":"Stop","session_id":"` + s2 + `","session_id":"` + s1 + `"}`, `{"hook_event_name":"Stop","session_id":"` + s1 + `","\u0073ession_id":"` + s2 + `"}`,
				} {
					f.wantQuiet(f.hook("stop", []byte(data)))
				}
			})
		}},
		{"case 103: state and work have a place each, and neither is guessed", func(f *inside) {
			f.start(s1, "--state-dir=deep/er make")
			state := f.read(f.field.state(s1))
			for field, want := range map[string]string{"project_path": f.root, "work_dir": f.root, "state_dir": "deep/er"} {
				if got := gjson.Get(state, field).String(); got != want {
					f.Errorf("%s is %q, want %q", field, got, want)
				}
			}
			if err := os.RemoveAll(filepath.Join(f.root, "deep")); err != nil {
				f.Fatal(err)
			}
			f.mkdir(filepath.Join(f.root, ".goal-loop"))
			a := f.command(s1, oneRound, "goal", "record", "--stdin")
			if a.status != 1 || !strings.Contains(filepath.ToSlash(a.stderr), "deep/er of run") || exists(filepath.Join(f.root, "deep")) {
				f.Errorf("a record without its directory: status %d, %q", a.status, a.stderr)
			}
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			withoutPrograms(t)
			tc.run(insideOf(newField(t)))
		})
	}
}

// shippedCommands looks at each fenced or quoted command of the skills.
func shippedCommands(f *inside) {
	files, err := filepath.Glob(filepath.Join("..", "..", "skills", "*", "*.md"))
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, file := range files {
		for _, line := range commandLines(f.read(file)) {
			command := "omc-hook " + strings.TrimSpace(line)
			if strings.Contains(command, "…") || beginsCommands(line) {
				continue
			}
			c, _, _ := find(strings.Fields(line))
			books := c.class == permit.Read || c.class == permit.Record
			if strings.Contains(command, "--stdin") {
				command += " <<'EOF'\n{}\nEOF"
			}
			if _, err := permit.Parse(command); err != nil {
				f.Errorf("%s: %q is not one plain command: %v", filepath.Base(file), command, err)
			} else if got := answerTo(command, false); books && got != permit.Allow || got == permit.Deny {
				f.Errorf("%s: %q: got %v", filepath.Base(file), command, got)
			}
		}
		if strings.Contains(f.read(file), "!`") || strings.Contains(f.read(file), "$ARGUMENTS") {
			f.Errorf("%s has the shell run what a person typed", file)
		}
	}
}

// beginsCommands holds for the words that several commands begin with, as a rule
// of allowed-tools names them.
func beginsCommands(line string) bool {
	for _, c := range commands() {
		if strings.HasPrefix(c.words, strings.TrimSpace(line)+" ") {
			return true
		}
	}
	return false
}

func everyEnding(f *inside) {
	end := map[string]func(session string){
		"CANCELLED": func(s string) { f.command(s, "", "cancel") },
		"BLOCKED": func(s string) {
			f.command(s, `{"kind":"external","reason":"no access","needs":"a token"}`, "goal", "finish", "BLOCKED", "--stdin")
		},
		"ERROR":    func(s string) { f.command(s, `{"reason":"broken"}`, "goal", "finish", "ERROR", "--stdin") },
		"BUDGET":   func(s string) { f.command(s, `{"planned":"a","next":"b"}`, "goal", "record", "--stdin") },
		"inactive": func(s string) { f.set(s, "active", false) },
		"unreadable": func(s string) {
			f.write(f.field.state(s), `{"active":tr`)
			f.command(s, "", "cancel")
		},
		"paused": func(s string) { f.expand(s, "pause") },
		"active": func(s string) { f.set(s, "updated_at", "2001-01-01T00:00:00Z", "started_at", "2001-01-01T00:00:00Z") },
	}
	n := 0
	for outcome, do := range end {
		n++
		session, dir := fmt.Sprintf("session-%d", n), fmt.Sprintf(".g%d", n)
		f.start(session, "--max-iterations=1 --state-dir="+dir+" make "+outcome)
		do(session)
		f.stop(f.in("session_id", session))
		f.stop(f.in("session_id", session, "last_assistant_message", "b"))
		for _, name := range []string{"GOAL.md", "GOAL-WORKLOG.md"} {
			if f.read(filepath.Join(f.root, dir, name)) == "" {
				f.Errorf("%s: %s is gone", outcome, name)
			}
		}
		if outcome == "inactive" {
			continue
		}
		told := gjson.Get(f.command("", "", "history", "--json").stdout, `#(outcome="`+outcome+`").file`).String()
		if !strings.Contains(told, session) || f.read(told) == "" {
			f.Errorf("history names %q for %s of %s", told, outcome, session)
		}
	}
}

func private(f *inside) {
	const secret = "sk-live-0123456789 password=hunter2"
	f.start(s1, "use the key "+secret)
	a := f.stop(f.in("last_assistant_message", "the key is "+secret, "prompt", secret))
	f.wantBlock(a)
	f.command(s1, "", "status")
	for path, data := range f.tree(filepath.Dir(f.root)) {
		if strings.Contains(data, "hunter2") && !strings.HasSuffix(path, "GOAL.md") && !strings.HasSuffix(path, "goal-loop-state.json") {
			f.Errorf("%s repeats the secret", path)
		}
	}
	for _, text := range []string{a.reason, a.note, f.read(filepath.Join(f.dir(s1), "omc-hook-trace.jsonl")), f.read(f.personLog())} {
		if strings.Contains(text, "hunter2") {
			f.Errorf("repeats the secret: %q", text)
		}
	}
	for _, dir := range []string{".omc", ".goal-loop"} {
		if got := f.read(filepath.Join(f.root, dir, ".gitignore")); got != "*\n" {
			f.Errorf("%s/.gitignore holds %q", dir, got)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, top := range []string{filepath.Join(f.root, ".omc"), filepath.Join(f.root, ".goal-loop"), filepath.Dir(f.personLog())} {
		for path := range f.tree(top) {
			info, err := os.Lstat(path)
			if err != nil {
				f.Fatal(err)
			}
			if info.Mode().Perm()&0o077 != 0 {
				f.Errorf("%s has mode %v", path, info.Mode())
			}
		}
	}
}

func lockText(f *inside) {
	lock := filepath.Join(f.dir(s1), "omc-hook.lock")
	for i, text := range []string{"", "1\n", "0", "-1", "x", fmt.Sprint(os.Getpid()), `{"pid":1,"host":"elsewhere"}`, strings.Repeat("9", 4096)} {
		for _, when := range []time.Duration{-72 * time.Hour, 0, 72 * time.Hour} {
			f.live()
			f.write(lock, text)
			if err := os.Chtimes(lock, time.Now().Add(when), time.Now().Add(when)); err != nil {
				f.Fatal(err)
			}
			f.wantBlock(f.stop(f.in("last_assistant_message", fmt.Sprint(i, when))))
			f.wantIteration(4)
			if f.read(lock) != text {
				f.Errorf("the lock file %.20q was written to", text)
			}
		}
	}
	defer f.held(lock)()
	began := time.Now()
	if a := f.command(s1, "", "cancel"); a.status != 1 || !strings.Contains(a.stderr, "is locked by another process") {
		f.Errorf("a command whose parent holds the lock: status %d, %q", a.status, a.stderr)
	}
	if took := time.Since(began); took > inTime {
		f.Errorf("it took %s", took)
	}
}

func leftovers(f *inside) {
	old := time.Now().Add(-time.Hour)
	files := map[string]bool{"goal-loop-state.json1094249761": true, "goal-loop-state.json.tmp": true, "goal-loop-state.json~": true, ".omc-hook-new-abc": false, ".omc-hook-new-": false, "x.lock": true}
	for name := range files {
		path := filepath.Join(f.dir(s1), name)
		f.write(path, string(liveState()))
		if err := os.Chtimes(path, old, old); err != nil {
			f.Fatal(err)
		}
	}
	f.write(filepath.Join(f.dir(s1), ".omc-hook-new-young"), "")
	f.unchanged(f.root, func() {
		f.wantQuiet(f.stop(f.in()))
		f.command(s1, "", "status")
		f.command(s1, "", "lint")
	})
	f.hook("session-start", newEvent("session-start", s1, f.root).bytes())
	for name, kept := range files {
		if got := exists(filepath.Join(f.dir(s1), name)); got != kept {
			f.Errorf("%s is there %v, want %v", name, got, kept)
		}
	}
	if !exists(filepath.Join(f.dir(s1), ".omc-hook-new-young")) {
		f.Error("a file that may be in use was swept")
	}
}

func pathsAsData(f *inside) {
	f.start(s1, "make")
	for _, id := range []string{"a.b", "*", "#", "@this", "a|@reverse", "active", "session_id", `a\.b`, "0", "", "-1", "é"} {
		f.command(s1, "", "wait", "--for=1m", "--", id)
		f.command(s1, "", "wait", id, "--for=1m")
		e := f.in("last_assistant_message", id, "background_tasks", []any{map[string]any{"id": id, "type": "shell", "status": "running"}})
		f.stop(e)
		state := f.read(f.field.state(s1))
		if !gjson.Valid(state) || !gjson.Get(state, "active").Bool() || gjson.Get(state, "session_id").String() != s1 {
			f.Fatalf("%q: the state is %s", id, state)
		}
		f.expand(s1, "resume")
	}
	for _, run := range []string{"@this", "*", "#", "a.b", "../x"} {
		if a := f.command(s1, oneRound, "goal", "record", "--stdin", "--run="+run); a.status != 1 {
			f.Errorf("--run=%q: status %d", run, a.status)
		}
	}
}

// TestAFlatStateIsIgnoredAndNamed: OMC also reads a state that lies outside any
// session's directory. This hook does not, and status says so.
func TestAFlatStateIsIgnoredAndNamed(t *testing.T) {
	withoutPrograms(t)
	f := insideOf(newField(t))
	flat := filepath.Join(f.root, ".omc", "state", "goal-loop-state.json")
	f.write(flat, string(liveState()))
	f.unchanged(f.root, func() {
		for _, verb := range hookVerbNames {
			f.wantQuiet(f.hook(verb, newEvent(verb, s1, f.root).with("command_name", "x").bytes()))
		}
		a := f.command(s1, "", "status")
		if a.status != 3 || !strings.Contains(a.stdout, flat+": a state outside a session's directory is never read") {
			t.Errorf("status %d: %q", a.status, a.stdout)
		}
		a = f.command(s1, "", "status", "--json")
		if got := gjson.Get(a.stdout, "flat_states_ignored.0").String(); got != flat || gjson.Get(a.stdout, "continues").Bool() {
			t.Errorf("status --json names %q: %s", got, a.stdout)
		}
	})
	f.start(s1, "make")
	if a := f.command(s1, "", "status"); a.status != 0 || !strings.Contains(a.stdout, flat) {
		t.Errorf("beside a loop of the session: status %d: %q", a.status, a.stdout)
	}
}

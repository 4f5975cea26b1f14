package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
	"omc-hook/internal/permit"
)

// alone runs a command in this process, in an empty directory without a session.
func alone(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	status = Main(args, Env{
		Version: "test", GOOS: "linux", Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Getwd: func() (string, error) { return dir, nil },
		Now: time.Now, Started: time.Now(), Disk: disk.Real(), Exit: func(int) {},
	})
	return status, out.String(), errs.String()
}

func TestEveryCommandExplainsItself(t *testing.T) {
	overview := overview()
	for _, c := range commands() {
		t.Run(c.words, func(t *testing.T) {
			if c.usage == "" || c.short == "" || c.example == "" || c.run == nil {
				t.Errorf("the row %+v lacks something", c)
			}
			if !strings.HasPrefix(c.example, "omc-hook "+c.words) {
				t.Errorf("the example %q is of another command", c.example)
			}
			if !strings.Contains(overview, "  "+c.words+" ") || !strings.Contains(overview, c.short) {
				t.Errorf("help does not list it")
			}
			for name := range c.flags {
				if !regexp.MustCompile(`--` + name + `\b`).MatchString(c.usage) {
					t.Errorf("usage %q does not name --%s", c.usage, name)
				}
			}
			for _, m := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(c.usage+" "+c.example, -1) {
				if _, ok := c.flags[m[1]]; !ok && m[1] != "max-iterations" {
					t.Errorf("usage or example names --%s, which is no flag", m[1])
				}
			}
			for _, ask := range []string{"--help", "-h", "help"} {
				status, stdout, stderr := alone(t, "", append(strings.Fields(c.words), ask)...)
				if status != 0 || stderr != "" || !strings.Contains(stdout, c.usage) || !strings.Contains(stdout, c.example) {
					t.Errorf("%s: status %d, stdout %q, stderr %q", ask, status, stdout, stderr)
				}
			}
		})
	}
}

func TestHelpNamesEveryHookVerb(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"--help"}, {"-h"}} {
		status, stdout, stderr := alone(t, "", args...)
		if status != 0 || stderr != "" {
			t.Errorf("%v: status %d, stderr %q", args, status, stderr)
		}
		for _, verb := range hookVerbNames {
			if !strings.Contains(stdout, verb) {
				t.Errorf("%v does not name %s", args, verb)
			}
		}
	}
}

func TestWrongUseIsOneLineWithAHint(t *testing.T) {
	wrong := map[string][]string{
		"an unknown command":      {"stat"},
		"half a command":          {"goal"},
		"an unknown half":         {"goal", "recrod"},
		"a command with a colour": {"\x1b[31mstatus\x1b[0m"},
		"an empty command":        {""},
		"a verb in capitals":      {"Stop"},
	}
	for _, c := range commands() {
		words := strings.Fields(c.words)
		wrong[c.words+" with an unknown flag"] = append(slices.Clone(words), "--no-such-flag")
		wrong[c.words+" with a broken flag"] = append(slices.Clone(words), "---\x1b[2J")
		wrong[c.words+" with too much"] = append(slices.Clone(words), slices.Repeat([]string{"b\nc"}, len(c.operands)+1)...)
		for name, kind := range c.flags {
			if kind != permit.Bare {
				wrong[c.words+" with --"+name+" and no value"] = append(slices.Clone(words), "--"+name)
			}
		}
	}
	for name, args := range wrong {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := alone(t, "", args...)
			lines := strings.SplitAfter(stderr, "\n")
			if status != 1 || stdout != "" || len(lines) != 3 || lines[2] != "" {
				t.Fatalf("status %d, stdout %q, stderr %q, want 1, nothing and two lines", status, stdout, stderr)
			}
			if !strings.HasPrefix(lines[0], "omc-hook: ") || !strings.HasPrefix(lines[1], "hint: omc-hook ") || strings.Contains(stderr, "\x1b") {
				t.Errorf("stderr %q", stderr)
			}
		})
	}
}

// TestJSONHasItsKeys holds the documented keys of each --json in a repository
// with a running loop.
func TestJSONHasItsKeys(t *testing.T) {
	round := `{"planned":"a","progress":[{"kind":"criterion","what":"w","evidence":"e"}],"next":"b"}`
	end := `{"reason":"no access","kind":"external","needs":"a token"}`
	questionKeys := []string{"id", "open", "pass_due", "pass_had", "recorded_now", "run", "segment"}
	askKeys := []string{"id", "recorded_now", "run", "segment", "uncommunicated"}
	tests := []struct {
		args, stdin string
		status      int
		keys        []string
	}{
		{"version --json", "", 0, []string{"arch", "go", "goal_state_format", "mode_state_schema", "os", "version"}},
		{"status --json", "", 0, []string{
			"build", "continues", "detail", "hook", "last_stop", "modes", "root", "root_found_by", "rule", "session",
		}},
		{"why --json", "", 0, []string{"action", "at", "build", "detail", "event", "inputs", "mode", "rule", "run"}},
		{"show --json", "", 0, []string{
			"changed", "counters", "faults", "folder", "goal", "last_round", "limits", "next_action", "outcome", "owner", "segment",
		}},
		{"history --json", "", 0, []string{"file", "goal", "mode", "outcome", "planned", "rounds", "run", "session", "started_at", "updated_at"}},
		{"wait b1 --for 1m --json", "", 0, []string{"id", "until"}},
		{"goal question add --stdin --json", `{"context":"the licence","evidence":"LICENSE is absent","why":"the owner's right","answer":"its name"}`, 0, questionKeys},
		{"goal question resolve --stdin --json", `{"question":"Q1","class":"stale","premise":"there is one","basis":"LICENSE:1"}`, 0, questionKeys},
		{"goal questions --json", "", 0, []string{"faults", "pass_due", "pass_had", "passes", "questions", "segment"}},
		{"goal ask add --stdin --json", `{"asked":"a flag","anchor":"#12","work":"it is read"}`, 0, askKeys},
		{"goal ask decline --stdin --json", `{"ask":"A1","why":"it is there"}`, 0, askKeys},
		{"goal ask told --stdin --json", `{"ask":"A1","to":"Ada","channel":"mail","link":"x.go:1","observation":"sent 10:02"}`, 0, askKeys},
		{"goal asks --json", "", 0, []string{"asks", "faults", "segment", "uncommunicated"}},
		{"goal check-owned --json", "", 0, []string{"faults", "paths"}},
		{"goal authorizations --json", "", 0, []string{"authorizations", "gated", "run", "session"}},
		{"goal record --stdin --json", round, 0, []string{"counters", "limits", "next_action", "outcome", "round", "run", "segment", "state_file"}},
		{"goal finish BLOCKED --stdin --json", end, 0, []string{"counters", "limits", "next_action", "outcome", "round", "run", "segment", "state_file"}},
		{"cancel --json", "", 0, []string{"cancelled", "unreadable_archived"}},
		{"status --json", "", 3, []string{
			"build", "continues", "detail", "hook", "last_stop", "modes", "note", "root", "root_found_by", "rule", "session",
		}},
	}
	f := newField(t)
	f.start(s1, "make")
	f.wantBlock(f.stop(f.in()))
	for _, tc := range tests {
		a := f.command(s1, f.root, tc.stdin, strings.Fields(tc.args)...)
		if a.status != tc.status || a.stderr != "" {
			t.Errorf("%s: status %d, stderr %q", tc.args, a.status, a.stderr)
		}
		if diff := cmp.Diff(tc.keys, keysOf(t, a.stdout)); diff != "" {
			t.Errorf("%s: keys (-want +got):\n%s", tc.args, diff)
		}
	}
}

// keysOf are the keys of a JSON object, or of the first one in an array.
func keysOf(t *testing.T, text string) []string {
	t.Helper()
	var one map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &one); err == nil {
		return slices.Sorted(maps.Keys(one))
	}
	var list []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) == 0 {
		t.Errorf("%q is neither an object nor a list of them: %v", text, err)
		return nil
	}
	return slices.Sorted(maps.Keys(list[0]))
}

func TestHookVerbsAreThoseOfTheHooksFile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "hooks", "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Hooks map[string][]struct{ Hooks []struct{ Args []string } }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, groups := range file.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				got[strings.Join(h.Args, " ")] = name
			}
		}
	}
	if diff := cmp.Diff(eventNames, got); diff != "" {
		t.Errorf("hooks.json and the verbs differ (-verbs +hooks.json):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(eventNames)), slices.Sorted(slices.Values(hookVerbNames[:]))); diff != "" {
		t.Errorf("hookVerbNames differs:\n%s", diff)
	}
	for _, name := range hookVerbNames {
		v, ok := hookVerbFor(name)
		if !ok || v.run == nil || v.soft <= 0 || v.hard < v.soft {
			t.Errorf("hookVerbFor(%q) = %+v, %v", name, v, ok)
		}
	}
	for _, name := range []string{"", "Stop", "status", "help"} {
		if _, ok := hookVerbFor(name); ok {
			t.Errorf("hookVerbFor(%q) is a verb", name)
		}
	}
}

func TestNoCommandIsNamedLikeAHookVerb(t *testing.T) {
	seen := map[string]bool{}
	for _, verb := range permitTable() {
		words := strings.Join(verb.Words, " ")
		if seen[words] {
			t.Errorf("%q stands twice in what is permitted", words)
		}
		seen[words] = true
		if _, hook := hookVerbFor(verb.Words[0]); hook != (verb.Class == permit.Hook) {
			t.Errorf("%q is of class %v", words, verb.Class)
		}
	}
}

// TestDocumentedCommandsExist reads each command line of the README and of the
// skills, and wants the command and its flags in the table.
func TestDocumentedCommandsExist(t *testing.T) {
	root := filepath.Join("..", "..")
	files := []string{filepath.Join(root, "README.md")}
	err := filepath.WalkDir(filepath.Join(root, "skills"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandLines(string(data)) {
			checkDocumented(t, filepath.Base(path), line)
		}
	}
}

// commandLines are the arguments of omc-hook in code: in backticks, in a rule of
// allowed-tools, or on a line of their own.
func commandLines(text string) []string {
	var lines []string
	for _, m := range regexp.MustCompile("(?m)`omc-hook ([^`]+)`|Bash\\(omc-hook ([^:)]+):|^\\s*omc-hook ([a-z].*)$").FindAllStringSubmatch(text, -1) {
		line, _, _ := strings.Cut(m[1]+m[2]+m[3], "<<")
		line, _, _ = strings.Cut(line, " #")
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

func checkDocumented(t *testing.T, file, line string) {
	t.Helper()
	words := strings.Fields(line)
	if isHelp(words[0]) {
		return
	}
	if _, hook := hookVerbFor(words[0]); hook {
		return
	}
	c, rest, ok := find(words)
	if !ok {
		t.Errorf("%s names %q, which is no command", file, "omc-hook "+line)
		return
	}
	for _, word := range rest {
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if _, known := c.flags[name]; strings.HasPrefix(word, "--") && !known && !isHelp(word) {
			t.Errorf("%s names %q, and %s has no --%s", file, "omc-hook "+line, c.words, name)
		}
	}
}

package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"omc-hook/internal/ledger"
)

// The files in which faults are planted, below the repository.
var (
	goalMD     = filepath.Join(".goal-loop", "GOAL.md")
	worklogMD  = filepath.Join(".goal-loop", "GOAL-WORKLOG.md")
	ownState   = filepath.Join(".omc", "state", "sessions", s1, "goal-loop-state.json")
	ownTrace   = filepath.Join(".omc", "state", "sessions", s1, "omc-hook-trace.jsonl")
	archiveDir = filepath.Join(".omc", "state", "omc-hook-archive")
)

// lintable is a repository with a running loop of two rounds and a second goal,
// a trace, and the archived state of another session.
func lintable(t *testing.T) *inside {
	t.Helper()
	f := runningLoop(t)
	if a := f.command(s1, strings.Replace(oneRound, `"w"`, `"v"`, 1), "goal", "record", "--stdin"); a.status != 0 {
		t.Fatal(a.stderr)
	}
	f.command(s1, "", "cancel")
	f.stop(f.in("last_assistant_message", "c"))
	f.start(s1, "--continue --max-iterations=9 also make the docs right")
	for _, what := range []string{"x", "y"} {
		if a := f.command(s1, strings.Replace(oneRound, `"w"`, `"`+what+`"`, 1), "goal", "record", "--stdin"); a.status != 0 {
			t.Fatal(a.stderr)
		}
	}
	f.wantBlock(f.stop(f.in("last_assistant_message", "d")))
	f.start(s2, "--state-dir=.second another goal")
	f.command(s2, "", "cancel")
	f.stop(f.in("session_id", s2))
	return f
}

// edit changes a file below the repository.
func (f *inside) edit(name string, change func(data string) string) {
	f.Helper()
	path := filepath.Join(f.root, name)
	before := f.read(path)
	after := change(before)
	if before == after {
		f.Fatalf("%s: the edit changed nothing", name)
	}
	f.write(path, after)
}

// swap is an edit that replaces the last place of a text, and of once the first.
func swap(from, to string) func(string) string {
	return func(data string) string {
		i := strings.LastIndex(data, from)
		if i < 0 {
			return data
		}
		return data[:i] + to + data[i+len(from):]
	}
}

func once(from, to string) func(string) string {
	return func(data string) string { return strings.Replace(data, from, to, 1) }
}

// blocks splits a file of records behind each block.
func blocks(data string) []string { return strings.SplitAfter(data, "\n```\n") }

// reblock edits the list of blocks.
func reblock(change func(list []string) []string) func(string) string {
	return func(data string) string { return strings.Join(change(blocks(data)), "") }
}

// forge changes the body of one record, from the end at -1, and renders the file
// anew with a chain that is right.
func (f *inside) forge(name string, at int, change func(body string) string) {
	f.Helper()
	path := filepath.Join(f.root, name)
	file, err := ledger.Parse([]byte(f.read(path)))
	if err != nil {
		f.Fatal(err)
	}
	if at < 0 {
		at += len(file.Records)
	}
	var out bytes.Buffer
	var forged ledger.File
	out.WriteString("# forged\n")
	for i, r := range file.Records {
		body := string(r.Body)
		if i == at {
			if body = change(body); body == string(r.Body) {
				f.Fatalf("%s: the forgery of %s changed nothing", name, body)
			}
		}
		next, err := forged.New(r.Kind, r.At, json.RawMessage(body))
		if err != nil {
			f.Fatal(err)
		}
		text, err := ledger.Render(next, "forged", "")
		if err != nil {
			f.Fatal(err)
		}
		forged.Records = append(forged.Records, next)
		out.Write(text)
	}
	f.write(path, out.String())
}

// archived is the one file of the archive.
func (f *inside) archived() string {
	f.Helper()
	list, err := filepath.Glob(filepath.Join(f.root, archiveDir, "*"+s2+".json"))
	if err != nil || len(list) != 1 {
		f.Fatalf("archive: %v, %v", list, err)
	}
	rel, err := filepath.Rel(f.root, list[0])
	if err != nil {
		f.Fatal(err)
	}
	return rel
}

// action is how a repair begins to be of use: a command, or what to do.
var action = []string{
	"omc-hook ", "/goal-loop", "restore ", "move ", "delete ", "update ", "moves ", "give ", "the next record",
}

// TestLintFindsEveryPlantedFault plants one fault at a time into a clean tree.
func TestLintFindsEveryPlantedFault(t *testing.T) {
	line := regexp.MustCompile(`^(.+):(\d+): (.+?); (.+)$`)
	all := append(append(plantedStates(), plantedRecords()...), plantedElsewhere()...)
	if len(all) < 40 {
		t.Errorf("%d faults, want at least 40", len(all))
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			f := lintable(t)
			if a := f.command("", "", "lint"); a.status != 0 {
				t.Fatalf("before: %s", a.stdout)
			}
			p.plant(f)
			a := f.command("", "", "lint")
			if a.status != 1 || a.stderr != "" {
				t.Errorf("status %d, stderr %q, want 1 and nothing", a.status, a.stderr)
			}
			found := false
			lines := strings.Split(strings.TrimSuffix(a.stdout, "\n"), "\n")
			for _, text := range lines[:len(lines)-1] {
				m := line.FindStringSubmatch(text)
				if m == nil || m[2] == "0" {
					t.Errorf("%q is no file, line, fault and repair", text)
					continue
				}
				found = found || strings.Contains(m[1], p.file) && strings.Contains(m[3]+m[4], p.what)
				if !startsAnAction(text) {
					t.Errorf("%q says nothing to do", text)
				}
			}
			if !found {
				t.Errorf("not found in %s (%q):\n%s", p.file, p.what, a.stdout)
			}
		})
	}
}

func startsAnAction(text string) bool {
	for _, word := range action {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// TestLintOfACleanTreeFindsNothing: a loop that runs, one that has ended, none at
// all, and what a kill leaves that the next command repairs.
func TestLintOfACleanTreeFindsNothing(t *testing.T) {
	f := lintable(t)
	for _, args := range [][]string{{"lint"}, {"lint", "--session=" + s1}, {"lint", "--session=" + s2}, {"lint", "--session=" + s3}} {
		if a := f.command(s1, "", args...); a.status != 0 || !strings.HasPrefix(a.stdout, "0 faults in ") {
			t.Errorf("%v: status %d, %q", args, a.status, a.stdout)
		}
	}
	f.write(filepath.Join(f.root, ".goal-loop", "GOAL-WORKLOG.md.torn-20260101T000000"), "half")
	f.write(filepath.Join(f.dir(s1), ".omc-hook-new-x1"), `{"active":tr`)
	if a := f.command("", "", "lint"); a.status != 0 {
		t.Errorf("leftovers: %s", a.stdout)
	}
	withoutPrograms(t)
	empty := insideOf(newField(t))
	empty.unchanged(empty.root, func() {
		if a := empty.command("", "", "lint"); a.status != 0 || a.stdout != "0 faults in 0 files\n" {
			t.Errorf("an empty tree: status %d, %q", a.status, a.stdout)
		}
	})
}

// TestLintChangesNothing: it is safe while a loop works.
func TestLintChangesNothing(t *testing.T) {
	f := lintable(t)
	f.edit(worklogMD, func(d string) string { return d[:len(d)-40] })
	f.unchanged(filepath.Dir(f.root), func() {
		defer f.held(filepath.Join(f.root, ".goal-loop", "omc-hook.lock"))()
		defer f.held(filepath.Join(f.dir(s1), "omc-hook.lock"))()
		f.command("", "", "lint")
		f.command("", "", "lint", "--json")
	})
}

// TestLintIsTheSameEachTime holds the order of its lines.
func TestLintIsTheSameEachTime(t *testing.T) {
	f := lintable(t)
	f.edit(worklogMD, once(`"seq":3`, `"seq":8`))
	f.edit(goalMD, once(`"text":"make the tests pass"`, `"text":"make coffee"`))
	f.edit(filepath.Join(".second", "GOAL-WORKLOG.md"), once(`"seq":1`, `"seq":2`))
	first := f.command("", "", "lint", "--json").stdout
	for range 10 {
		if again := f.command("", "", "lint", "--json").stdout; again != first {
			t.Fatalf("first %s, then %s", first, again)
		}
	}
}

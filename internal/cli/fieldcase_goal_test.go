package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestFieldGoal holds the cases about what a goal is, what starts a loop, and
// what ends one.
func TestFieldGoal(t *testing.T) {
	tests := []struct {
		name string
		run  func(f *inside)
	}{
		{"case 13: a goal is kept byte for byte, typed or on standard input", goalsByteForByte},
		{"case 13: a goal that no file of text can keep is refused", func(f *inside) {
			f.unchanged(f.root, func() {
				for _, goal := range []string{"a\x00b", "a\xffb", "\xed\xa0\x80"} {
					if a := f.command(s1, goal, "goal", "start", "--stdin"); a.status != 1 || !strings.Contains(a.stderr, "UTF-8") {
						f.Errorf("%q: status %d, %q", goal, a.status, a.stderr)
					}
				}
				f.wantRefused(f.expand(s1, strings.Repeat("x", 600<<10)))
			})
		}},
		{"case 14: a bound counts in its one form, every other form is refused or warned about", boundForms},
		{"case 20: words that name the loop start nothing", mentions},
		{"case 20: a message of the loop is no goal", func(f *inside) {
			f.start(s1, "make")
			block := f.stop(f.in())
			f.wantBlock(block)
			for _, goal := range []string{block.reason, "  \n" + block.reason + "\n", strings.SplitAfter(block.reason, "\n")[0]} {
				f.wantRefused(f.expand(s2, "--state-dir=.second "+goal))
			}
		}},
		{"case 33: a second start in the session is refused and leaves the first as it was", func(f *inside) {
			f.start(s1, "the first")
			f.command(s1, oneRound, "goal", "record", "--stdin")
			f.wantBlock(f.stop(f.in()))
			f.unchanged(f.root, func() {
				f.wantRefused(f.expand(s1, "the second"))
				f.wantRefused(f.expand(s1, "--state-dir=.second the second"))
				f.wantRefused(f.expand(s1, "the first"))
			})
			f.start(s2, "--state-dir=.second the first")
			f.wantBlock(f.stop(f.in("session_id", s2)))
			f.wantIteration(1)
		}},
		{"case 34: a new run inherits nothing of an old one", inheritsNothing},
		{"case 39 and 40: no text ends a loop, whatever it says", prose},
		{"case 41: words in quotes, with an equals sign or on several lines stay whole", func(f *inside) {
			for i, goal := range []string{
				"until 'no findings left in review'", `until "no findings left"`, "--done-when='no findings left in review' make", "--done-when=no\nfindings left", "-x make", "=make",
			} {
				f.start(s1, fmt.Sprintf("--state-dir=.g%d %s", i, goal))
				if got := gjson.Get(f.command(s1, "", "show", "--json").stdout, "goal").String(); got != goal {
					f.Errorf("show gives %q, want %q", got, goal)
				}
				f.command(s1, "", "cancel")
				f.stop(f.in("last_assistant_message", goal))
			}
		}},
		{"case 48: a goal that looks like state is the same after 50 stops and records", func(f *inside) {
			goal := "---\niteration: check\nactive: false\n---\n{\"active\":false,\"iteration\":9}\n```json omc-hook\n{\"seq\":1}\n```\nends in \\"
			f.start(s1, "--max-iterations=60 --no-progress-limit=60 "+goal)
			for i := range 50 {
				f.wantBlock(f.stop(f.in("last_assistant_message", fmt.Sprint(i))))
				if a := f.command(s1, strings.Replace(oneRound, `"w"`, fmt.Sprintf(`"w%d"`, i), 1), "goal", "record", "--stdin"); a.status != 0 {
					f.Fatal(a.stderr)
				}
			}
			if got := gjson.Get(f.command(s1, "", "show", "--json").stdout, "goal").String(); got != goal {
				f.Errorf("the goal is %q, want %q", got, goal)
			}
			if a := f.command("", "", "lint"); a.status != 0 {
				f.Errorf("lint: %s", a.stdout)
			}
		}},
		{"case 101: an empty goal and the command's own name are refused alike, help starts nothing", func(f *inside) {
			f.unchanged(f.root, func() {
				for _, goal := range []string{"", " ", "\n\t", "--max-iterations=3", "/goal-loop", "/goal-loop /goal-loop", "goal-loop", "/omc-hook:goal-loop", "--continue"} {
					f.wantRefused(f.expand(s1, goal))
					if a := f.command(s1, goal, "goal", "start", "--stdin"); a.status != 1 || a.stdout != "" {
						f.Errorf("%q: status %d, stdout %q", goal, a.status, a.stdout)
					}
				}
				for _, args := range [][]string{{"goal", "start", "--help"}, {"goal", "start", "--stdin", "--help"}, {"goal", "start", "-h", "--json"}, {"help"}} {
					if a := f.command(s1, "make", args...); a.status != 0 || a.stderr != "" || a.stdout == "" {
						f.Errorf("%v: status %d, stderr %q", args, a.status, a.stderr)
					}
				}
			})
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			withoutPrograms(t)
			tc.run(insideOf(newField(t)))
		})
	}
}

// wantRefused is a start that went back to the person.
func (f *inside) wantRefused(a answer) {
	f.Helper()
	if a.decision != "block" || !strings.HasPrefix(a.reason, "omc-hook: goal-loop: ") {
		f.Errorf("got %q, want a refusal", a.stdout)
	}
}

func goalsByteForByte(f *inside) {
	for i, goal := range []string{
		"Fix Bob's bug", `a "b" c`, "use `x`", "$(touch pwn)", "close #12, #13 --max 25", "a; b && c | d > e", "*?[x]{a,b}", "--help", "-n", "tab\there", "one\r\ntwo\n",
		"\U0001f980 emoji", "\u202eright to left", "a\n---\nb", "-- --max-iterations=3", "%s %n", `\`, strings.Repeat("long ", 40_000), "${HOME} ~ !!",
	} {
		for how, start := range map[string]func(args string) string{
			"typed":             func(args string) string { return f.expand(s1, args).note },
			"on standard input": func(args string) string { return f.command(s1, args+"\n", "goal", "start", "--stdin").stdout },
		} {
			args := fmt.Sprintf("--max-iterations=7 --state-dir=.g/%d-%d %s", i, len(how), goal)
			if got := start(args); !strings.Contains(got, "started") {
				f.Errorf("%.40q %s: %q", goal, how, got)
				continue
			}
			shown := f.command(s1, "", "show", "--json").stdout
			if got := gjson.Get(shown, "goal").String(); got != goal {
				f.Errorf("%.40q %s: kept as %.60q", goal, how, got)
			}
			if got := gjson.Get(shown, "limits.max_iterations").Int(); got != 7 {
				f.Errorf("%.40q %s: planned %d, want the 7 of the person", goal, how, got)
			}
			f.command(s1, "", "cancel")
			f.stop(f.in("last_assistant_message", args))
		}
	}
	if exists(filepath.Join(f.root, "pwn")) {
		f.Error("a goal was run")
	}
}

// boundForms are the forms of case 14. The specification of the workflow takes
// what is not exactly an option for text of the goal; then the person is warned.
func boundForms(f *inside) {
	tests := []struct {
		args    string
		planned int64
		warned  bool
	}{
		{"--max-iterations=3 make", 3, false},
		{"--max-iterations 3 make", 50, true},
		{"--max_iterations 3 make", 50, true},
		{"–max-iterations 3 make", 50, true},
		{"--maxiterations 3 make", 50, true},
		{"--max-iterations", 50, true},
		{"make --max-iterations=3", 50, true},
		{"--max-iterations=0 make", 0, false},
		{"--max-iterations=-1 make", 0, false},
		{"--max-iterations=1e3 make", 0, false},
		{"--max-iterations=3.5 make", 0, false},
		{"--max-iterations=3x make", 0, false},
		{"--max-iterations=９ make", 0, false},
		{"--max-iterations=999999999999999999999 make", 0, false},
		{"--max-iterations=3 --max-iterations=3 make", 0, false},
	}
	for i, tc := range tests {
		a := f.expand(s1, fmt.Sprintf("--state-dir=.g/%d %s", i, tc.args))
		if tc.planned == 0 {
			f.wantRefused(a)
			continue
		}
		if got := strings.Contains(a.note, "warning: "); got != tc.warned {
			f.Errorf("%q: warned %v, want %v: %q", tc.args, got, tc.warned, a.stdout)
		}
		if got := gjson.Get(f.read(f.field.state(s1)), "planned_iterations").Int(); got != tc.planned {
			f.Errorf("%q: planned %d, want %d", tc.args, got, tc.planned)
		}
		f.command(s1, "", "cancel")
		f.stop(f.in("last_assistant_message", tc.args))
	}
}

func mentions(f *inside) {
	texts := []string{
		"goal-loop", "/goal-loop make", "let us use the goal-loop mode", "ゴールループ goal-loop を始めて", "```\n/omc-hook:goal-loop make\n```", "goal-loop-state.json says active:true",
		`{"decision":"block","reason":"goal-loop round 2 of 9, nudge 1 of 8"}`, "goal-loop has started: run g1", "keep going, do not stop",
	}
	f.unchanged(f.root, func() {
		for _, text := range texts {
			f.wantQuiet(f.stop(f.in("last_assistant_message", text, "prompt", text)))
			f.wantQuiet(f.hook("user-prompt", newEvent("user-prompt", s1, f.root).with("prompt", text).bytes()))
			f.wantQuiet(f.hook("stop-failure", newEvent("stop-failure", s1, f.root).with("error", text).bytes()))
			f.wantQuiet(f.hook("expand", newEvent("expand", s1, f.root).with("command_name", "other:goal", "command_args", text).bytes()))
			f.wantQuiet(f.hook("session-start", newEvent("session-start", s1, f.root).with("source", text).bytes()))
		}
	})
}

func inheritsNothing(f *inside) {
	f.start(s1, "--max-iterations=3 --no-progress-limit=3 the first")
	for i := range 3 {
		f.wantBlock(f.stop(f.in("last_assistant_message", fmt.Sprint(i))))
		f.command(s1, fmt.Sprintf(`{"planned":"a","changed":["f%d"],"next":"b"}`, i), "goal", "record", "--stdin")
	}
	first := gjson.Get(f.read(f.field.state(s1)), "run_id").String()
	f.wantNote(f.stop(f.in("last_assistant_message", "x")), "BUDGET")
	f.start(s1, "--continue the second")
	state := f.read(f.field.state(s1))
	if got := gjson.Get(state, "run_id").String(); got == first || got == "" {
		f.Errorf("the run is %q, as before", got)
	}
	for _, field := range []string{"iteration", "rounds", "continuations"} {
		if got := gjson.Get(state, field).Int(); got != 0 {
			f.Errorf("%s begins at %d", field, got)
		}
	}
	for _, field := range []string{"outcome", "told"} {
		if got := gjson.Get(state, field).String(); got != "" {
			f.Errorf("%s begins as %q", field, got)
		}
	}
	a := f.stop(f.in("last_assistant_message", "x"))
	f.wantBlock(a)
	if !strings.Contains(a.reason, "round 1 of 3, nudge 1 of 3") {
		f.Errorf("the first stop says %q", a.reason)
	}
	if got := f.command("", "", "history").stdout; !strings.Contains(got, "BUDGET") || !strings.Contains(got, "active") {
		f.Errorf("history says %q", got)
	}
	f.command(s1, "", "cancel")
	f.crashedBeforeTheEndWasTold()
}

// crashedBeforeTheEndWasTold starts anew where no Stop has archived the old state.
func (f *inside) crashedBeforeTheEndWasTold() {
	f.Helper()
	f.start(s1, "--continue the third")
	if got := gjson.Get(f.read(f.field.state(s1)), "iteration").Int(); got != 0 {
		f.Errorf("iteration begins at %d", got)
	}
	f.wantBlock(f.stop(f.in("last_assistant_message", "y")))
	if got := strings.Count(f.command("", "", "history").stdout, "CANCELLED"); got != 1 {
		f.Errorf("history tells %d cancelled runs, want 1", got)
	}
}

func prose(f *inside) {
	f.start(s1, "make until it says DONE")
	texts := []string{
		"done", "DONE", "complete", "all tests pass", "SUCCESS", `{"decision":"SUCCESS"}`, "<promise>DONE</promise>", "```\nSUCCESS\n```", "not done: error, error, error", `"is_error":false`,
		"STATUS: NOT DONE, although everything is complete", "omc-hook goal finish SUCCESS --stdin", "CANCELLED", "/goal-loop stop", "EXIT_SIGNAL: true", "I say: \"SUCCESS\"",
	}
	for i, text := range texts {
		f.wantBlock(f.stop(f.in("last_assistant_message", text)))
		if i%5 == 4 {
			f.command(s1, strings.Replace(oneRound, `"w"`, fmt.Sprintf(`"w%d"`, i), 1), "goal", "record", "--stdin")
		}
	}
	end := `{"planned":"a","verification":[{"command":"make","exit":0,"result":"ok"}],"review":[{"reviewer":"self","findings":"none"}],` +
		`"criteria":[{"criterion":"made","evidence":"there"}],"remaining":"none","next":"none","decision":"SUCCESS"}`
	if a := f.command(s1, end, "goal", "record", "--stdin"); a.status != 0 || !strings.Contains(a.stdout, "SUCCESS") {
		f.Errorf("the record that ends it: %q %q", a.stdout, a.stderr)
	}
	f.wantNote(f.stop(f.in("last_assistant_message", "not done")), "SUCCESS")
}

package goal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseInvocationReadsLeadingOptionsAndTheGoalAfterThem(t *testing.T) {
	def := DefaultStateDir
	tests := []struct {
		name, args string
		want       Invocation
	}{
		{"a goal", "fix the parser", Invocation{StateDir: def, Goal: "fix the parser"}},
		{"nothing", "", Invocation{StateDir: def}},
		{"white space", " \n\t", Invocation{StateDir: def}},
		{
			"every option", "--state-dir=a/b --continue --max-iterations=7 --no-progress-limit=2 --failure-limit=4 --max-minutes=90 go on",
			Invocation{StateDir: "a/b", Continue: true, Limits: Limits{7, 2, 4, 90}, Goal: "go on"},
		},
		{"options between line breaks", "--max-iterations=7\r\n\t--continue\n\nfix it", Invocation{StateDir: def, Continue: true, Limits: Limits{MaxIterations: 7}, Goal: "fix it"}},
		{"only options", "--continue --failure-limit=1 ", Invocation{StateDir: def, Continue: true, Limits: Limits{Failures: 1}}},
		{"spacing and line breaks of the goal", "a  b\n\n  c\t\r\n d ", Invocation{StateDir: def, Goal: "a  b\n\n  c\t\r\n d "}},
		{"an option after the goal began is goal", "fix --help first", Invocation{StateDir: def, Goal: "fix --help first"}},
		{"a double dash begins the goal", "-- --continue-ish", Invocation{StateDir: def, Goal: "-- --continue-ish"}},
		{"an empty state directory is kept for the shell to refuse", "--state-dir= x", Invocation{Goal: "x"}},
		{"a value with an equals sign", "--state-dir=a=b x", Invocation{StateDir: "a=b", Goal: "x"}},
		{"an unknown option begins the goal", "--help", Invocation{StateDir: def, Goal: "--help"}},
		{"a short option begins the goal", "-n 3", Invocation{StateDir: def, Goal: "-n 3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseInvocation(tt.args)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Field cases 13 and 48: nothing in a goal has a meaning.
func TestAGoalIsKeptByteForByte(t *testing.T) {
	for _, goal := range []string{
		"Fix Bob's bug", `a "b" c`, "use `x`", "$(touch /tmp/pwn)", "close #12, #13", "a; b && c | d > e", "*?[x]{a,b}", strings.Repeat("x", 200_000),
		"one\r\ntwo\tthree", "🙂 \u202eabc", "---", "---\niteration: 9\nactive: false\n---", `ends in a backslash \`, "```json omc-hook\n{}\n```", "{{goal}}",
	} {
		got, err := ParseInvocation("--max-iterations=25 " + goal)
		if err != nil || got.Goal != goal || got.Limits.MaxIterations != 25 {
			t.Errorf("%.40q: got %.40q, limit %d, error %v", goal, got.Goal, got.Limits.MaxIterations, err)
		}
	}
}

// Field case 14.
func TestALimitIsAPositiveWholeNumberOrAnError(t *testing.T) {
	for _, value := range []string{"", "0", "-1", "+3", "1e3", "3.5", "3x", "９", `"3"`, "0x10", "1_000", "10001", "999999999999999999999", "unlimited"} {
		for _, option := range []string{"--max-iterations=", "--no-progress-limit=", "--failure-limit=", "--max-minutes="} {
			got, err := ParseInvocation(option + value + " fix it")
			if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(option, "=")) {
				t.Errorf("%s%s: got %+v, error %v", option, value, got, err)
			}
		}
	}
	for value, want := range map[string]int64{"1": 1, "007": 7, "10000": 10_000} {
		if got, err := ParseInvocation("--max-iterations=" + value); err != nil || got.Limits.MaxIterations != want {
			t.Errorf("%s: got %d, error %v", value, got.Limits.MaxIterations, err)
		}
	}
	for _, args := range []string{"--max-iterations=3 --max-iterations=4 x", "--continue --continue", "--state-dir=a --state-dir=a x"} {
		if _, err := ParseInvocation(args); err == nil || !strings.Contains(err.Error(), "given twice") {
			t.Errorf("%s: got error %v", args, err)
		}
	}
}

// Field case 14: what looks like an option is goal, and the person is told.
func TestWhatLooksLikeAnOptionIsWarnedAbout(t *testing.T) {
	tests := []struct{ args, option string }{
		{"--max-iterations 3 fix it", "--max-iterations=VALUE"},
		{"--max_iterations=3 fix it", "--max-iterations=VALUE"},
		{"--maxiterations 3 fix it", "--max-iterations=VALUE"},
		{"–max-iterations=3 fix it", "--max-iterations=VALUE"},
		{"—max-iterations=3 fix it", "--max-iterations=VALUE"},
		{"-max-iterations=3 fix it", "--max-iterations=VALUE"},
		{"--Max-Iterations=3 fix it", "--max-iterations=VALUE"},
		{"fix it --max-iterations=3", "--max-iterations=VALUE"},
		{"close #12 --max 25", "--max-iterations=VALUE"},
		{"--state-dir x fix it", "--state-dir=VALUE"},
		{"--failure_limit=2 fix it", "--failure-limit=VALUE"},
		{"—continue fix it", "--continue,"},
		{"--continue=true fix it", "--continue,"},
		{"fix it --continue", "--continue,"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			got, err := ParseInvocation(tt.args)
			if err != nil || got.Goal != tt.args || got.Limits != (Limits{}) || got.Continue {
				t.Errorf("got %+v, error %v", got, err)
			}
			if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], tt.option) {
				t.Errorf("got warnings %q, want one with %q", got.Warnings, tt.option)
			}
		})
	}
	for _, goal := range []string{"continue the work", "raise the max - iterations", "add a --verbose option", "the --maximum", "- max of both"} {
		if got, err := ParseInvocation(goal); err != nil || got.Warnings != nil {
			t.Errorf("%s: got warnings %q, error %v", goal, got.Warnings, err)
		}
	}
	if got, _ := ParseInvocation(strings.Repeat("--max 3 ", 1_000)); len(got.Warnings) != maxWarnings {
		t.Errorf("got %d warnings", len(got.Warnings))
	}
}

// Field cases 13, 20 and 101.
func TestTextThatIsNoGoalIsRefused(t *testing.T) {
	continued := Continuation(viewOf(12), 1)
	for name, args := range map[string]string{
		"the command's own name":              "/goal-loop",
		"its long name":                       "/omc-hook:goal-loop",
		"its name twice":                      "goal-loop /goal-loop",
		"its name after an option":            "--continue /goal-loop",
		"a continuation of this loop":         continued,
		"a continuation with space before it": "\n  " + continued,
		"the text of a start":                 Started(Run{}),
		"a NUL":                               "a\x00b",
		"bytes that are not UTF-8":            "a\xff",
		"more than can be kept":               strings.Repeat("x", maxGoalBytes+1),
	} {
		if got, err := ParseInvocation(args); err == nil {
			t.Errorf("%s: got the goal %.60q", name, got.Goal)
		}
	}
	for _, goal := range []string{"goal-loop has a bug", "fix /goal-loop", "src/main.go", strings.Repeat("x", maxGoalBytes)} {
		if _, err := ParseInvocation(goal); err != nil {
			t.Errorf("%.60s: got error %v", goal, err)
		}
	}
}

func TestWhatResumesARunIsReadBack(t *testing.T) {
	for _, dir := range []string{DefaultStateDir, "a/b"} {
		for _, outcome := range append([]string{""}, outcomeNames()...) {
			args, _ := strings.CutPrefix(ResumeCommand(outcomeOf(outcome), dir), "/goal-loop")
			got, err := ParseInvocation(args)
			if err != nil || got.StateDir != dir || got.Continue != (outcome != "") || (got.Goal != "") != (outcome == "SUCCESS") {
				t.Errorf("%s in %s: got %+v, error %v", outcome, dir, got, err)
			}
		}
	}
}

func FuzzParseInvocation(f *testing.F) {
	for _, seed := range []string{
		"", "fix it", "--continue --max-iterations=3 x", "--max-iterations=3 --max-iterations=4", "–max-iterations 3", "--state-dir= \u00a0x", "--continue\x00", `--verify="go test ./..." --verify=make x`, "--verify='a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		got, err := ParseInvocation(args)
		if err != nil {
			if got.Goal != "" || got.Continue {
				t.Errorf("an error and values: %+v", got)
			}
			return
		}
		if !strings.HasSuffix(args, got.Goal) {
			t.Errorf("the goal %q is no end of %q", got.Goal, args)
		}
		for _, token := range strings.Fields(strings.TrimSuffix(args, got.Goal)) {
			if _, _, ok := match(token); !ok && len(got.Verify) == 0 {
				t.Errorf("%q was swallowed", token)
			}
		}
		if len(got.Verify) > 0 && CheckCommands(got.Verify) != nil {
			t.Errorf("the commands %q", got.Verify)
		}
		if _, _, ok := match(firstToken(got.Goal)); ok {
			t.Errorf("the goal %q begins with an option", got.Goal)
		}
		for _, n := range []int64{got.Limits.MaxIterations, got.Limits.NoProgress, got.Limits.Failures, got.Limits.MaxMinutes} {
			if n < 0 || n > maxLimit {
				t.Errorf("the limit %d", n)
			}
		}
	})
}

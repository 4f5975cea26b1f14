package goal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"omc-hook/internal/gitrepo"
	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
	"omc-hook/internal/testcount"
)

func TestTypedCommandsAreReadWordForWord(t *testing.T) {
	tests := []struct {
		name, args string
		want       []string
		goal       string
	}{
		{"one word", "--verify=make go on", []string{"make"}, "go on"},
		{"double quotes", `--verify="go test -run 'A B' ./..." go on`, []string{"go test -run 'A B' ./..."}, "go on"},
		{"single quotes", `--verify='grep "x" $HOME | wc -l && true' x`, []string{`grep "x" $HOME | wc -l && true`}, "x"},
		{"several, among other options", "--verify=a --max-iterations=3 --verify='b c' --continue\n--verify=d x", []string{"a", "b c", "d"}, "x"},
		{"two spaces within", "--verify='a  b' x", []string{"a  b"}, "x"},
		{"a backslash is a backslash", `--verify='a\' x`, []string{`a\`}, "x"},
		{"an option within the quotes", "--verify='x --continue' y", []string{"x --continue"}, "y"},
		{"quotes that begin in the middle", `--verify=a"b x`, []string{`a"b`}, "x"},
		{"no goal", "--verify='a b'", []string{"a b"}, ""},
		{"an equals sign", "--verify=A=1 x", []string{"A=1"}, "x"},
		{"after the goal began it is goal", "fix --verify='a b'", nil, "fix --verify='a b'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseInvocation(tt.args)
			if diff := cmp.Diff(tt.want, got.Verify); diff != "" || err != nil || got.Goal != tt.goal {
				t.Errorf("goal %q, error %v (-want +got):\n%s", got.Goal, err, diff)
			}
		})
	}
}

func TestACommandThatIsNotShownAsItIsRunIsRefused(t *testing.T) {
	for name, args := range map[string]string{
		"nothing": "--verify= x", "empty quotes": "--verify='' x", "blanks": "--verify='  ' x", "an open quote": "--verify='go test x",
		"text behind the quote": `--verify="a"b x`, "the other kind of quotes behind it": `--verify="a \"b\"" x`, "curly quotes": "--verify=“go test” x",
		"a line break": "--verify='a\nb' x", "a tab": "--verify='a\tb' x", "an escape": "--verify='a\x1b[2J' x", "what turns the direction": "--verify='a\u202eb' x",
		"a space that is none": "--verify='a\u00a0b' x", "what has no width": "--verify='a\u200bb' x", "a soft hyphen": "--verify='a\u00adb' x",
		"a byte that is no text": "--verify='a\xff' x", "a space at the end": "--verify='a ' x", "twice the same": "--verify=a --verify='a' x",
		"too long": "--verify='" + strings.Repeat("x", maxCommandBytes+1) + "' x", "too many": func() string {
			args := ""
			for i := range MaxCommands + 1 {
				args += "--verify=" + strings.Repeat("a", i+1) + " "
			}
			return args + "x"
		}(),
	} {
		got, err := ParseInvocation(args)
		if err == nil || !strings.HasPrefix(err.Error(), "--verify ") || strings.ContainsAny(err.Error(), "\n\x1b\u202e") {
			t.Errorf("%s: got %q, error %v", name, got.Verify, err)
		}
	}
	if got, err := ParseInvocation("--verify go test ./..."); err != nil || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "--verify=VALUE") {
		t.Errorf("without the equals sign: got %+v, error %v", got, err)
	}
}

func TestARunOfACommandPassesOnlyByItsEndAndItsTests(t *testing.T) {
	counts := func(passed, failed, skipped int64) *testcount.Counts {
		return &testcount.Counts{Runner: "pytest", Unit: testcount.Tests, Passed: passed, Failed: failed, Skipped: skipped}
	}
	tests := []struct {
		name string
		ran  Ran
		want string
	}{
		{"status 0", Ran{Ended: "exit"}, ""},
		{"status 0 with tests", Ran{Ended: "exit", Counts: counts(3, 0, 1)}, ""},
		{"status 1", Ran{Ended: "exit", Exit: 1, Counts: counts(3, 0, 0)}, "exit status 1"},
		{"status 0 without a test", Ran{Ended: "exit", Counts: counts(0, 0, 0)}, "ran no test"},
		{"status 0 with skipped tests alone", Ran{Ended: "exit", Counts: counts(0, 0, 4)}, "ran no test"},
		{"status 0 with failed tests", Ran{Ended: "exit", Counts: counts(3, 1, 0)}, "reports 1 failed"},
		{"a signal", Ran{Ended: "signal", Detail: "killed", Exit: -1}, "killed by a signal"},
		{"the time limit", Ran{Ended: "timeout", Detail: "after 10m0s", Exit: -1}, "its time was over after 10m0s"},
		{"a cancel", Ran{Ended: "cancelled", Exit: -1}, "cancelled"},
		{"no start", Ran{Ended: "not-started", Detail: "no such directory", Exit: -1}, "could not be started"},
		{"an unknown end", Ran{Ended: "passed"}, "could not be started"},
		{"no end", Ran{}, "could not be started"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.ran.Fault()
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			whole := Verification{Ran: []Ran{tt.ran}}.Fault()
			if (whole == "") != (tt.want == "") {
				t.Errorf("the verification: got %q", whole)
			}
		})
	}
	for name, v := range map[string]Verification{"nothing was run": {}, "one was not run": {Ran: []Ran{{Ended: "exit"}}, NotRun: []string{"b"}}} {
		if v.Fault() == "" {
			t.Errorf("%s: it passed", name)
		}
	}
}

func tree(content string) gitrepo.Tree {
	return gitrepo.NewTree("c1", []gitrepo.TreePath{{Path: "a.go", State: content}})
}

// verified is a run with two approved commands and one verification of them.
func verified(t *testing.T, change func(v *Verification)) Run {
	t.Helper()
	commands := []string{"go vet ./...", "go test ./..."}
	v := Verification{
		Digest: CommandsDigest(commands), Ran: []Ran{{Command: commands[0], Ended: "exit"}, {Command: commands[1], Ended: "exit"}}, Tree: tree("1"),
	}
	if change != nil {
		change(&v)
	}
	return steps(t, Run{}, startSignal("--verify='go vet ./...' --verify='go test ./...' x"), fresh("a", nil),
		BeginVerify{commands}, EndVerify{commands, v})
}

func TestSuccessNeedsAPassingAndFreshVerificationWhereCommandsAreApproved(t *testing.T) {
	commands := []string{"go vet ./...", "go test ./..."}
	approved := Evidence{Approved: commands, Tree: tree("1")}
	begun := steps(t, Run{}, startSignal("--verify='go vet ./...' --verify='go test ./...' x"), fresh("a", nil))
	tests := []struct {
		name     string
		run      Run
		evidence Evidence
		want     string
	}{
		{"all of it", verified(t, nil), approved, ""},
		{"no command is approved", steps(t, Run{}, startSignal("x"), fresh("a", nil)), Evidence{}, ""},
		{"no evidence", begun, approved, "none is on record for the 2 approved commands; omc-hook goal verify"},
		{"a verification that has not ended", steps(t, verified(t, nil), BeginVerify{commands}), approved, "the one that began at 2026-03-01T12:00:00Z has not ended"},
		{"a failing command", verified(t, func(v *Verification) { v.Ran[1].Exit, v.Ran[1].Log = 2, "verify/1.log" }), approved, `"go test ./...": exit status 2, see verify/1.log; mend it`},
		{"a command that was not run", verified(t, func(v *Verification) { v.Ran, v.NotRun = v.Ran[:1], commands[1:] }), approved, "not every command was run"},
		{"a tree that changed", verified(t, nil), Evidence{commands, tree("2")}, "the tree changed since the verification at 2026-03-01T12:00:00Z (a.go)"},
		{"a tree that changed while they ran", verified(t, func(v *Verification) { v.Changed = []string{"out.xml"} }), approved, "while the commands ran, the tree changed (out.xml)"},
		{"a tree that cannot be compared", verified(t, nil), Evidence{commands, gitrepo.Tree{NotComparable: "too large"}}, "too large"},
		{"a tree that could not be compared", verified(t, func(v *Verification) { v.Tree = gitrepo.Tree{NotComparable: "too large"} }), approved, "too large"},
		{"an approval that is gone", verified(t, nil), Evidence{Tree: tree("1")}, `approval in this session of "go vet ./...", "go test ./..."`},
		{"an approval of another command", verified(t, nil), Evidence{[]string{commands[0], "true"}, tree("1")}, `differ in "go test ./...", "true"`},
		{"an approval in another order", verified(t, nil), Evidence{[]string{commands[1], commands[0]}, tree("1")}, "differ in their order"},
		{"an approval that the worklog does not know", steps(t, Run{}, startSignal("x"), fresh("a", nil)), approved, "differ in"},
		{"commands that were approved later", steps(t, verified(t, nil), Approve{[]string{"make"}, HowAccepted}), Evidence{[]string{"make"}, tree("1")}, "of other commands"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			success := fresh("b", claims(loop.Success))
			success.Evidence = tt.evidence
			for _, signal := range []Signal{success, Finish{Outcome: loop.Success, Entry: round(), Evidence: tt.evidence}} {
				run, _, err := Step(tt.run, signal, noon())
				switch {
				case tt.want == "" && (err != nil || run.Outcome != loop.Success):
					t.Errorf("%T: got outcome %q, error %v", signal, run.Outcome, err)
				case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
					t.Errorf("%T: got error %v, want %q", signal, err, tt.want)
				}
			}
			for _, signal := range []Signal{fresh("b", nil), fresh("b", claims(loop.Blocked)), Finish{Outcome: loop.Error, Entry: round()}} {
				if _, _, err := Step(tt.run, signal, noon()); err != nil {
					t.Errorf("%T without SUCCESS: %v", signal, err)
				}
			}
		})
	}
}

func TestATerminalEntrySaysWhoRanTheChecks(t *testing.T) {
	for want, run := range map[string]Run{
		"reported by the model, not run by omc-hook": steps(t, Run{}, startSignal("x"), fresh("a", nil)),
		"omc-hook ran the 2 approved commands at":    verified(t, nil),
	} {
		e := Evidence{Approved: run.Verify.Commands, Tree: tree("1")}
		_, drafts, err := Step(run, Finish{Outcome: loop.Success, Entry: round(), Evidence: e}, noon())
		if err != nil || !strings.Contains(drafts[0].Body.(Terminal).Verified, want) || !strings.Contains(drafts[0].Prose, want) {
			t.Errorf("want %q, got %+v, error %v", want, drafts, err)
		}
	}
}

func TestASegmentBeginsWithoutWhatWasApprovedBefore(t *testing.T) {
	run := steps(t, verified(t, nil), Finish{Outcome: loop.Error, Entry: round()}, Close{"x"}, startSignal("--continue"))
	if diff := cmp.Diff(Verify{}, run.Verify, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCommandsThatThePersonDidNotTypeAreOnlyProposed(t *testing.T) {
	s := startSignal("--verify=make x")
	s.Unapproved = true
	run := steps(t, Run{}, s)
	if run.Verify.Commands != nil || !cmp.Equal(run.Verify.Proposed, []string{"make"}) {
		t.Errorf("got %+v", run.Verify)
	}
}

func TestThePersonIsShownWhatWouldBeApproved(t *testing.T) {
	found := startSignal("x")
	found.Preflight.Commands = []string{"make test", "bad\x1b"}
	run := steps(t, Run{}, found)
	proposed := steps(t, run, Propose{[]string{"make", "make lint"}})
	tests := []struct {
		name  string
		run   Run
		typed []string
		want  []string
	}{
		{"what the preflight found", run, nil, []string{"make test"}},
		{"what the model proposed", proposed, nil, []string{"make", "make lint"}},
		{"what was typed stays first", proposed, []string{"make lint", "go vet"}, []string{"make lint", "go vet", "make"}},
		{"what was approved before", steps(t, proposed, Approve{[]string{"make"}, HowAccepted}), nil, []string{"make"}},
		{"nothing", steps(t, Run{}, startSignal("x")), nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.run.Candidates(tt.typed), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestARefusedVerificationChangesNothing(t *testing.T) {
	a, b := []string{"a"}, []string{"b"}
	begun := steps(t, Run{}, startSignal("--verify=a x"))
	running := steps(t, begun, BeginVerify{a})
	ended := steps(t, begun, Finish{Outcome: loop.Error, Entry: round()})
	result := Verification{Digest: CommandsDigest(a), Ran: []Ran{{Command: "a", Ended: "exit"}}}
	tests := []struct {
		name   string
		run    Run
		signal Signal
		want   string
	}{
		{"a proposal of nothing", begun, Propose{}, "1 to 20 commands"},
		{"a proposal that cannot be shown", begun, Propose{[]string{"a\u202e"}}, "U+202E"},
		{"a proposal after the end", ended, Propose{a}, "ended with ERROR"},
		{"an approval after the end", ended, Approve{a, HowAccepted}, "ended with ERROR"},
		{"an approval of nothing", begun, Approve{nil, HowAccepted}, "1 to 20 commands"},
		{"a run where nothing is approved", steps(t, Run{}, startSignal("x")), BeginVerify{}, "approved no command"},
		{"a run of what was only proposed", steps(t, Run{}, startSignal("x"), Propose{b}), BeginVerify{}, `not approved: "b"`},
		{"a run of another command", begun, BeginVerify{b}, `differ in "a", "b"`},
		{"a run without the person's approval", begun, BeginVerify{}, "approval in this session"},
		{"a run after the end", ended, BeginVerify{a}, "ended with ERROR"},
		{"a result without a run", begun, EndVerify{a, result}, "counts for nothing"},
		{"a result of other commands", running, EndVerify{a, Verification{Digest: CommandsDigest(b)}}, "counts for nothing"},
		{"a result of what was approved anew", steps(t, running, Approve{b, HowAccepted}), EndVerify{b, result}, "counts for nothing"},
		{"a result whose approval is gone", running, EndVerify{nil, result}, "counts for nothing"},
		{"a result after the end", steps(t, running, Cancel{"x"}), EndVerify{a, result}, "ended with CANCELLED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, drafts, err := Step(tt.run, tt.signal, noon())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
			if diff := cmp.Diff(tt.run, got); diff != "" || drafts != nil {
				t.Errorf("%d records, run (-before +after):\n%s", len(drafts), diff)
			}
		})
	}
	for _, again := range []Signal{Propose{a}, Approve{a, HowTyped}} {
		run := steps(t, begun, Propose{a})
		if got, drafts, err := Step(run, again, noon()); err != nil || drafts != nil || !cmp.Equal(run, got) {
			t.Errorf("%T of the same: got %d records, error %v", again, len(drafts), err)
		}
	}
}

func anyRan(t *rapid.T) Ran {
	s := func(label string) string { return hostile().Draw(t, label) }
	r := Ran{
		Command: s("command"), Ended: rapid.SampledFrom([]string{"exit", "signal", "timeout", "x"}).Draw(t, "ended"), Detail: s("detail"),
		Exit: rapid.IntRange(-1, 255).Draw(t, "exit"), Millis: rapid.Int64Range(0, 1e9).Draw(t, "ms"), Bytes: 7, SHA256: s("sum"), Log: s("log"),
	}
	if rapid.Bool().Draw(t, "counts") {
		r.Counts = &testcount.Counts{Runner: s("runner"), Unit: testcount.Tests, Passed: 1, Failed: 2, Skipped: 3}
	}
	return r
}

func TestRecordsOfVerificationAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyStrings(t, "commands")
		readBack[CommandList](t, commandsDraft(2, Approve{list, hostile().Draw(t, "how")}, noon()))
		readBack[CommandList](t, proposalDraft(CommandList{Segment: 2, Commands: list, Digest: CommandsDigest(list)}, noon()))
		readBack[Verifying](t, verifyingDraft(Verifying{2, hostile().Draw(t, "digest"), noon()}, noon()))
		readBack[Verification](t, verificationDraft(Verification{
			Segment: 2, Digest: hostile().Draw(t, "digest"), Ran: []Ran{anyRan(t), anyRan(t)}, NotRun: list, At: noon(), Changed: anyStrings(t, "changed"),
			Tree: gitrepo.NewTree(hostile().Draw(t, "head"), []gitrepo.TreePath{{Path: hostile().Draw(t, "path"), State: hostile().Draw(t, "state")}}),
		}, noon()))
	})
}

func TestTheRecordsOfVerificationTellTheSameRun(t *testing.T) {
	lists := [][]string{{"a"}, {"a", "b c"}, {"go test ./..."}, nil}
	rapid.Check(t, func(t *rapid.T) {
		h := &history{}
		draw := func(t *rapid.T) []string { return rapid.SampledFrom(lists).Draw(t, "list") }
		try := func(t *rapid.T, s Signal) {
			_, _, err := Step(h.run, s, noon())
			h.take(t, s, err == nil)
		}
		t.Repeat(map[string]func(*rapid.T){
			"start": func(t *rapid.T) {
				args := rapid.SampledFrom([]string{"--verify=a x", "--verify=a --verify='b c' --continue y", "x", "--continue z"}).Draw(t, "args")
				s := startSignal(args)
				s.Preflight.Commands, s.Unapproved = []string{"make"}, rapid.Bool().Draw(t, "unapproved")
				try(t, s)
			},
			"propose": func(t *rapid.T) { try(t, Propose{draw(t)}) },
			"approve": func(t *rapid.T) { try(t, Approve{draw(t), HowAccepted}) },
			"begin":   func(t *rapid.T) { try(t, BeginVerify{h.run.Verify.Commands}) },
			"end": func(t *rapid.T) {
				list := h.run.Verify.Commands
				try(t, EndVerify{list, Verification{Digest: CommandsDigest(list), Ran: []Ran{anyRan(t)}, Tree: tree("1")}})
			},
			"error": func(t *rapid.T) { try(t, Finish{Outcome: loop.Error, Entry: round()}) },
			"": func(t *rapid.T) {
				goals, _ := ledger.Parse(h.goals)
				worklog, _ := ledger.Parse(h.worklog)
				run, faults := Fold(goals, worklog)
				if len(faults) > 0 {
					t.Fatalf("faults: %v", faults)
				}
				if diff := cmp.Diff(h.run, run, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("the records tell another run (-step +fold):\n%s", diff)
				}
			},
		})
	})
}

func TestFoldFindsAVerificationThatContradictsTheRecordsBefore(t *testing.T) {
	begin := []Draft{segmentDraft(Segment{Format: Format, Segment: 1}, noon()), preflightDraft(Preflight{Segment: 1}, noon())}
	d := CommandsDigest([]string{"a"})
	intent := verifyingDraft(Verifying{1, d, noon()}, noon())
	tests := []struct {
		name   string
		drafts []Draft
		want   string
	}{
		{"a whole one", []Draft{commandsDraft(1, Approve{[]string{"a"}, HowTyped}, noon()), intent, verificationDraft(Verification{Segment: 1, Digest: d}, noon())}, ""},
		{"one that never began", []Draft{verificationDraft(Verification{Segment: 1, Digest: d}, noon())}, "no verification had begun"},
		{"one of other commands", []Draft{intent, verificationDraft(Verification{Segment: 1, Digest: "x"}, noon())}, "of other commands"},
		{"one of another segment", []Draft{intent, verificationDraft(Verification{Segment: 2, Digest: d}, noon())}, "segment 2 within segment 1"},
		{"commands of another digest", []Draft{proposalDraft(CommandList{Segment: 1, Commands: []string{"b"}, Digest: d}, noon())}, "not those of its digest"},
		{"commands that cannot be shown", []Draft{commandsDraft(1, Approve{[]string{"a\u202e"}, HowTyped}, noon())}, "U+202E"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := Append(ledger.File{}, append(append([]Draft(nil), begin...), tt.drafts...), noon())
			if err != nil {
				t.Fatal(err)
			}
			file, err := ledger.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			_, faults := Fold(ledger.File{}, file)
			if (tt.want == "") != (len(faults) == 0) || tt.want != "" && !strings.Contains(faults[0].What, tt.want) {
				t.Errorf("got faults %v, want %q", faults, tt.want)
			}
		})
	}
}

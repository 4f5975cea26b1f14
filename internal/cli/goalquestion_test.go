package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// The forms of the model, as the tests of broken-off writes have them.
const (
	licenceQuestion = `{"context":"the licence","evidence":"LICENSE is absent","why":"it is the owner's right","answer":"its name"}`
	regionQuestion  = `{"context":"the region","evidence":"no file names one","why":"it is a matter of law","answer":"its name"}`
	wholePass       = `{"questions":[{"question":"Q1","class":"stale","premise":"there is one","basis":"LICENSE:1"},{"question":"Q2","class":"human-only"}]}`
	oneAsk          = `{"asked":"a flag","anchor":"#12","work":"it is read"}`
	otherAsk        = `{"asked":"a dry run","anchor":"#13","work":"TestDryRun passes"}`
	askDone         = `{"ask":"A1","by":"x.go","evidence":"a test","direction":"given"}`
	askNews         = `{"ask":"A1","to":"Ada","channel":"mail","link":"x.go:1","observation":"sent 10:02"}`
)

// TestAWriteThatWasBrokenOffIsMadeGoodByTheSameCommand cuts a record at every
// part of its length, as a kill leaves it, and gives the same command again.
func TestAWriteThatWasBrokenOffIsMadeGoodByTheSameCommand(t *testing.T) {
	const cuts = 12
	tests := []struct {
		name, file string
		// before are commands with their standard input, last the one that is cut.
		before [][2]string
		last   [2]string
		// list shows all of it without the times.
		list string
	}{
		{
			"a question", "DEFERRED-QUESTIONS.md",
			[][2]string{{"goal question add", licenceQuestion}},
			[2]string{"goal question add", regionQuestion},
			"goal questions",
		},
		{
			"a pass that resolves", "DEFERRED-QUESTIONS.md",
			[][2]string{{"goal question add", licenceQuestion}, {"goal question add", regionQuestion}},
			[2]string{"goal question pass", wholePass},
			"goal questions",
		},
		{"an ask", "OUTSTANDING-ASKS.md", [][2]string{{"goal ask add", oneAsk}}, [2]string{"goal ask add", otherAsk}, "goal asks"},
		{
			"news of an ask", "OUTSTANDING-ASKS.md",
			[][2]string{{"goal ask add", oneAsk}, {"goal ask satisfy", askDone}},
			[2]string{"goal ask told", askNews},
			"goal asks",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newField(t)
			f.start(s1, "make")
			path := filepath.Join(f.root, ".goal-loop", tt.file)
			for _, c := range tt.before {
				f.must(c[0]+" --stdin", c[1])
			}
			short := f.read(path)
			f.must(tt.last[0]+" --stdin", tt.last[1])
			whole, want := f.read(path), f.must(tt.list, "")
			for i := range cuts {
				at := len(short) + i*(len(whole)-len(short))/cuts
				f.write(path, whole[:at])
				f.must(tt.last[0]+" --stdin", tt.last[1])
				if got := f.must(tt.list, ""); withoutTimes(got) != withoutTimes(want) {
					t.Errorf("cut at %d of %d: got\n%s\nwant\n%s", at, len(whole), got, want)
				}
				f.must("lint", "")
			}
		})
	}
}

// must runs a command of session s1 that must succeed.
func (f *field) must(command, stdin string) string {
	f.Helper()
	a := f.command(s1, f.root, stdin, strings.Fields(command)...)
	if a.status != 0 || a.stderr != "" {
		f.Fatalf("%s: status %d, stderr %q, stdout %q", command, a.status, a.stderr, a.stdout)
	}
	return a.stdout
}

// withoutTimes is a list without how long ago each entry was made.
func withoutTimes(list string) string {
	var out []string
	for line := range strings.Lines(list) {
		before, _, found := strings.Cut(line, ", iteration ")
		if found {
			line = before + "\n"
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}

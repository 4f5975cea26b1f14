package goal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"omc-hook/internal/ledger"
)

// dirtyStart is a first run in a tree in which paths were changed before.
func dirtyStart(goal string, d Dirty) Start {
	s := startSignal(goal)
	s.Preflight = Preflight{Dirty: d.Paths, DirtyMore: d.More, StatusUnknown: d.Unknown}
	return s
}

func file(path, digest string) OwnedPath {
	return OwnedPath{Path: path, SHA256: digest, Mode: "0644", Size: 3, Identity: "7"}
}

func TestAPathOfThePersonIsOwnedOnThePersonsWordAlone(t *testing.T) {
	dirty := Dirty{Paths: []string{"a.go", "sub/b c.go", "new/", "Makefile", "x.md"}}
	tests := []struct {
		name, goal string
		dirty      Dirty
		given      []string
		path, want string
	}{
		{"a path that was clean", "make it", dirty, nil, "clean.go", ""},
		{"a path that was dirty", "make it", dirty, nil, "a.go", "was changed before the loop began"},
		{"one with a space", "make it", dirty, nil, "sub/b c.go", "was changed before"},
		{"one in a directory that was untracked", "make it", dirty, nil, "new/deep/x.go", "lies in new/"},
		{"a name that begins like the directory", "make it", dirty, nil, "newer.go", ""},
		{"a name of the same beginning", "make it", dirty, nil, "a.go2", ""},
		{"one that the person gave", "make it", dirty, []string{"a.go"}, "a.go", ""},
		{"one beside what the person gave", "make it", dirty, []string{"a.go"}, "x.md", "was changed before"},
		{"one that the goal names", "mend a.go please", dirty, nil, "a.go", ""},
		{"one that the goal names at the end of a sentence", "mend a.go.", dirty, nil, "a.go", ""},
		{"one that the goal names from here", "mend ./a.go", dirty, nil, "a.go", ""},
		{"one that the goal names in quotes", "mend `sub/b c.go`", dirty, nil, "sub/b c.go", ""},
		{"one that the goal has in a longer name", "mend lib/a.go and a.go.bak", dirty, nil, "a.go", "was changed before"},
		{"a file whose name is a word", "make the Makefile better", dirty, nil, "Makefile", "was changed before"},
		{"a file whose name is a word, quoted", "make the 'Makefile' better", dirty, nil, "Makefile", ""},
		{"more dirty paths than were listed", "make it", Dirty{More: 3}, nil, "clean.go", "too many paths"},
		{"more dirty paths than were listed, and the goal names it", "mend clean.go", Dirty{More: 3}, nil, "clean.go", ""},
		{"git could not be asked", "make it", Dirty{Unknown: "git status: timeout"}, nil, "clean.go", "git could not be asked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := steps(t, Run{}, dirtyStart(tt.goal, tt.dirty))
			if len(tt.given) > 0 {
				run = steps(t, run, Transfer{tt.given})
			}
			got := run.Persons().Why(tt.path)
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			_, drafts, err := Step(run, Own{"own", []OwnedPath{file(tt.path, "d1")}}, noon())
			if (err == nil) != (tt.want == "") || err == nil && len(drafts) != 1 {
				t.Errorf("owning it gave %d records and %v", len(drafts), err)
			}
		})
	}
}

func TestAGoalOfAnEarlierSegmentGivesNothing(t *testing.T) {
	run := steps(t, Run{}, dirtyStart("mend a.go", Dirty{Paths: []string{"a.go"}}), Cancel{"enough"}, Close{"inactive"})
	again := dirtyStart("--continue", Dirty{Paths: []string{"a.go"}})
	if got := steps(t, run, again).Persons().Why("a.go"); got == "" {
		t.Error("the goal of segment 1 gives a path in segment 2")
	}
	named := dirtyStart("--continue now mend a.go for good", Dirty{Paths: []string{"a.go"}})
	if got := steps(t, run, named).Persons().Why("a.go"); got != "" {
		t.Errorf("the goal of segment 2 does not give the path: %s", got)
	}
}

func TestWhatIsOnRecordIsNotRecordedAgain(t *testing.T) {
	run := steps(t, Run{}, startSignal("make it"), Own{"own", []OwnedPath{file("a", "d1")}})
	before := run.Owned["a"]
	_, drafts, err := Step(run, Own{"own", []OwnedPath{file("a", "d1")}}, noon().Add(time.Hour))
	if err != nil || drafts != nil {
		t.Errorf("the same again gave %d records and %v", len(drafts), err)
	}
	next, drafts, err := Step(run, Own{"own", []OwnedPath{file("a", "d1"), file("b", Absent)}}, noon().Add(time.Hour))
	if err != nil || len(drafts) != 1 || len(drafts[0].Body.(Owned).Paths) != 1 {
		t.Fatalf("got %+v, %v", drafts, err)
	}
	if len(run.Owned) != 1 || len(next.Owned) != 2 || next.Owned["a"] != before {
		t.Errorf("two steps share their paths: %v, %v", run.Owned, next.Owned)
	}
	if _, _, err := Step(run, Own{"own", make([]OwnedPath, MaxOwnedPaths+1)}, noon()); err == nil {
		t.Error("a record without a bound was taken")
	}
}

func TestNothingIsOwnedWithoutARun(t *testing.T) {
	ended := steps(t, Run{}, startSignal("make it"), Cancel{"enough"})
	for name, run := range map[string]Run{"before the first": {}, "after the end": ended} {
		for _, s := range []Signal{Own{"own", []OwnedPath{file("a", "d")}}, Transfer{[]string{"a"}}} {
			if _, _, err := Step(run, s, noon()); err == nil {
				t.Errorf("%s: %T was taken", name, s)
			}
		}
	}
}

func TestOnlyAPathOfThePersonIsTransferred(t *testing.T) {
	run := steps(t, Run{}, dirtyStart("make it", Dirty{Paths: []string{"a.go"}}))
	var refused *Refused
	if _, _, err := Step(run, Transfer{[]string{"b.go"}}, noon()); !errors.As(err, &refused) {
		t.Errorf("a clean path: %v", err)
	}
	run = steps(t, run, Transfer{[]string{"a.go"}})
	if _, _, err := Step(run, Transfer{[]string{"a.go"}}, noon()); !errors.As(err, &refused) {
		t.Errorf("a path that is given already: %v", err)
	}
}

func TestDiffersSaysWhatChanged(t *testing.T) {
	was := file("a", "d1")
	tests := []struct {
		name, want string
		was        OwnedPath
		now        OwnedPath
	}{
		{"nothing", "", was, file("a", "d1")},
		{"nothing, where nothing was", "", OwnedPath{SHA256: Absent}, OwnedPath{SHA256: Absent}},
		{"the content", "its content is another", was, file("a", "d2")},
		{"it is gone", "it is gone", was, OwnedPath{SHA256: Absent}},
		{"it has appeared", "something stands where nothing was", OwnedPath{SHA256: Absent}, was},
		{"the mode", "its mode is 0755 and was 0644", was, OwnedPath{SHA256: "d1", Mode: "0755", Identity: "7"}},
		{"the file", "another file of the same content", was, OwnedPath{SHA256: "d1", Mode: "0644", Identity: "8"}},
		{"a system without identities", "", was, OwnedPath{SHA256: "d1", Mode: "0644"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.was.Differs(tt.now); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTwinsDifferInTheCaseOfLettersAlone(t *testing.T) {
	run := steps(t, Run{}, dirtyStart("make it", Dirty{Paths: []string{"README.md"}}), Own{"own", []OwnedPath{file("Lib/ä.go", "d")}})
	for path, want := range map[string]string{"readme.md": "README.md", "README.md": "", "lib/Ä.go": "Lib/ä.go", "other": ""} {
		if got := run.Twin(path); got != want {
			t.Errorf("Twin(%q) is %q, want %q", path, got, want)
		}
	}
}

// The records tell the same owned and transferred paths as the steps did, for
// any order of signals and over segments.
func TestTheRecordsTellTheSameOwnedPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{}
		names := []string{"a", "b/c d", "ü\nx", "e`\"'", "F", "f"}
		dirty := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 3, rapid.ID[string]).Draw(t, "dirty")
		given := map[string]bool{}
		h.take(t, dirtyStart("make it", Dirty{Paths: dirty}), true)
		h.model.start(Invocation{Goal: "make it"})
		t.Repeat(map[string]func(*rapid.T){
			"own": func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "name")
				h.take(t, Own{"own", []OwnedPath{file(name, rapid.SampledFrom([]string{"d1", "d2", Absent}).Draw(t, "digest"))}},
					!slices.Contains(dirty, name) || given[name])
			},
			"transfer": func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "name")
				fits := slices.Contains(dirty, name) && !given[name]
				h.take(t, Transfer{[]string{name}}, fits)
				given[name] = given[name] || fits
			},
			"a new segment": func(t *rapid.T) {
				if rapid.IntRange(0, 4).Draw(t, "really") > 0 {
					t.Skip()
				}
				h.take(t, Cancel{"enough"}, true)
				s := dirtyStart("--continue", Dirty{Paths: dirty})
				for _, p := range h.run.Owned {
					if !slices.Contains(dirty, p.Path) {
						s.Carried = append(s.Carried, p)
					}
				}
				given = map[string]bool{}
				h.take(t, s, true)
				h.model = model{segment: h.run.Segment, limits: h.run.Limits, goal: h.run.Goal}
			},
			"": h.check,
		})
	})
}

func TestARecordOfPathsIsReadBackAsItWasRendered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := hostile().Draw(t, "text")
		readBack[Owned](t, ownedDraft(Owned{2, text, []OwnedPath{{text, Absent, "", 0, "", noon()}, {text, text, text, 1 << 40, text, noon()}}}, noon()))
		readBack[Transferred](t, transferredDraft(Transferred{2, []string{text, "b"}}, noon()))
	})
}

func TestEachTerminalStateAllowsWhatTheSpecificationSays(t *testing.T) {
	limits := "--max-iterations=7 --no-progress-limit=4 --failure-limit=5 "
	for _, outcome := range outcomeNames() {
		for _, tt := range []struct {
			args string
			want bool
		}{
			{"", false},
			{"another goal", false},
			{"--continue", outcome != "SUCCESS"},
			{"--continue the goal", outcome != "SUCCESS"},
			{"--continue another goal", true},
			{"--continue --failure-limit=9 another goal", true},
		} {
			t.Run(fmt.Sprintf("%s, %q", outcome, tt.args), func(t *testing.T) {
				run := steps(t, Run{}, startSignal(limits+"the goal"), fresh("a", nil))
				run, _ = end(run, outcomeOf(outcome), "reason", Entry{}, noon())
				next, drafts, err := Step(run, startSignal(tt.args), noon())
				if (err == nil) != tt.want {
					t.Fatalf("got %v, want it allowed: %v", err, tt.want)
				}
				if err != nil {
					var refused *Refused
					if !errors.As(err, &refused) || refused.Hint == "" || drafts != nil {
						t.Errorf("the refusal is %v with %d records", err, len(drafts))
					}
					return
				}
				want := Limits{7, 4, 5, 0}
				if strings.Contains(tt.args, "--failure-limit=9") {
					want.Failures = 9
				}
				if next.Segment != 2 || next.Counters != (Counters{}) || next.Limits != want || next.Outcome != "" {
					t.Errorf("the next segment is %+v", next)
				}
			})
		}
	}
}

// A start that was killed between the two files has put its goal on record
// alone. The same command finishes it, after SUCCESS too.
func TestAContinuationThatWasBrokenOffIsFinishedByTheSameCommand(t *testing.T) {
	for _, outcome := range outcomeNames() {
		t.Run(outcome, func(t *testing.T) {
			run := steps(t, Run{}, startSignal("the goal"), fresh("a", nil))
			run, _ = end(run, outcomeOf(outcome), "reason", Entry{}, noon())
			broken := run
			broken.Goal, broken.GoalSegment = "another goal", 2
			whole, _, err := Step(run, startSignal("--continue another goal"), noon())
			if err != nil {
				t.Fatal(err)
			}
			finished, drafts, err := Step(broken, startSignal("--continue another goal"), noon())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(whole, finished, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-whole +finished):\n%s", diff)
			}
			for _, d := range drafts {
				if d.File == GoalFile {
					t.Error("the goal is put on record twice")
				}
			}
		})
	}
}

func TestAFormatOfTheFutureIsTold(t *testing.T) {
	for name, files := range map[string][2]any{
		"in the goals":      {GoalText{Format: 2, Segment: 1, Text: "x"}, Segment{Format: 1, Segment: 1}},
		"in the worklog":    {GoalText{Format: 1, Segment: 1, Text: "x"}, Segment{Format: 2, Segment: 1}},
		"of the far future": {GoalText{Format: 9, Segment: 1, Text: "x"}, Segment{Format: 9, Segment: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var parsed [2]ledger.File
			for i, d := range []Draft{{File: GoalFile, Kind: kindGoal, Body: files[0]}, {File: WorklogFile, Kind: kindSegment, Body: files[1]}} {
				text, err := Append(ledger.File{}, []Draft{d}, noon())
				if err != nil {
					t.Fatal(err)
				}
				if parsed[i], err = ledger.Parse(text); err != nil {
					t.Fatal(err)
				}
			}
			if run, _ := Fold(parsed[0], parsed[1]); run.Format <= Format {
				t.Errorf("the run is of format %d", run.Format)
			}
		})
	}
}

func FuzzNamesFindsWholeWordsAlone(f *testing.F) {
	f.Add("mend a.go.", "a.go")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, text, path string) {
		if Names(text, path) && !strings.Contains(text, path) {
			t.Errorf("%q does not hold %q", text, path)
		}
		if path != "" && !Names("x `"+path+"` y", path) && !strings.Contains(path, "`") {
			t.Errorf("%q is not found in quotes", path)
		}
	})
}

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// oneRound is one recorded round with progress in it.
const oneRound = `{"planned":"a","progress":[{"kind":"criterion","what":"w","evidence":"e"}],"next":"b"}`

// runningLoop has a loop of S1 in its second round with two stops used.
func runningLoop(t *testing.T) *inside {
	t.Helper()
	withoutPrograms(t)
	f := insideOf(newField(t))
	f.start(s1, "--max-iterations=9 make the tests pass")
	if a := f.command(s1, oneRound, "goal", "record", "--stdin"); a.status != 0 {
		t.Fatal(a.stderr)
	}
	f.wantBlock(f.stop(f.in("last_assistant_message", "a")))
	f.wantBlock(f.stop(f.in("last_assistant_message", "b")))
	return f
}

func (f *inside) worklog() string {
	return f.read(filepath.Join(f.root, ".goal-loop", "GOAL-WORKLOG.md"))
}

// set changes fields of the mode state of a session by hand.
func (f *inside) set(session string, pairs ...any) {
	f.Helper()
	data := f.read(f.field.state(session))
	for i := 0; i < len(pairs); i += 2 {
		var err error
		if pairs[i+1] == nil {
			data, err = sjson.Delete(data, pairs[i].(string))
		} else {
			data, err = sjson.Set(data, pairs[i].(string), pairs[i+1])
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	f.write(f.field.state(session), data)
}

func (f *inside) adopt(from, to string) answer {
	f.Helper()
	return f.command("", "", "adopt", "--from="+from, "--to="+to)
}

// wantOwner wants exactly one session to be continued, the run in its hands.
func (f *inside) wantOwner(session string) {
	f.Helper()
	for _, id := range []string{s1, s2, s3} {
		a := f.command(id, "", "status", "--json")
		if got, want := gjson.Get(a.stdout, "continues").Bool(), id == session; got != want {
			f.Errorf("session %s continues %v, want %v: %s", id, got, want, gjson.Get(a.stdout, "detail"))
		}
	}
	if a := f.command("", "", "lint"); a.status != 0 {
		f.Errorf("lint: %s", a.stdout)
	}
}

// beat lets the hooks of a session be seen, as its first event does.
func (f *inside) beat(session string) {
	f.Helper()
	f.hook("session-start", newEvent("session-start", session, f.root).bytes())
}

func TestAdoptKeepsTheLoopAsItWas(t *testing.T) {
	f := runningLoop(t)
	f.beat(s2)
	old := f.read(f.field.state(s1))
	goalText := f.read(filepath.Join(f.root, ".goal-loop", "GOAL.md"))
	before := f.worklog()
	if a := f.adopt(s1, s2); a.status != 0 || !strings.Contains(a.stdout, "session "+s2+" owns run "+gjson.Get(old, "run_id").String()+" now, in round 2 of 9") {
		t.Fatalf("status %d, %q %q", a.status, a.stdout, a.stderr)
	}
	now := f.read(f.field.state(s2))
	for _, field := range []string{"run_id", "iteration", "rounds", "planned_iterations", "max_iterations", "continuations", "prompt", "next_action", "state_dir", "work_dir", "started_at"} {
		if diff := cmp.Diff(gjson.Get(old, field).Raw, gjson.Get(now, field).Raw); diff != "" {
			t.Errorf("%s (-old +new):\n%s", field, diff)
		}
	}
	if f.read(filepath.Join(f.root, ".goal-loop", "GOAL.md")) != goalText {
		t.Error("GOAL.md changed")
	}
	added, kept := strings.CutPrefix(f.worklog(), before)
	if !kept || strings.Count(added, "## ") != 1 || !strings.Contains(added, "session "+s2+" took the run over from session "+s1) {
		t.Errorf("the worklog got %q", added)
	}
	if got := gjson.Get(f.read(f.field.state(s1)), adoptedBy).String(); got != s2 {
		t.Errorf("the old directory names %q as the new owner", got)
	}
	f.wantOwner(s2)
	f.wantQuiet(f.stop(f.in("last_assistant_message", "late")))
	f.wantBlock(f.stop(f.in("session_id", s2)))
	if a := f.command(s2, strings.Replace(oneRound, `"a"`, `"c"`, 1), "goal", "record", "--stdin"); !strings.Contains(a.stdout, "round 2 of 9") {
		t.Errorf("a record of the new owner: %q %q", a.stdout, a.stderr)
	}
}

func TestAdoptHasOneWinner(t *testing.T) {
	t.Run("case 24: one after the other", func(t *testing.T) {
		f := runningLoop(t)
		f.beat(s2)
		f.beat(s3)
		f.adopt(s1, s2)
		before := f.tree(f.root)
		a := f.adopt(s1, s3)
		if a.status != 1 || !strings.Contains(a.stderr, s2+" has taken this loop over") {
			t.Errorf("the second: status %d, %q", a.status, a.stderr)
		}
		a = f.adopt(s1, s2)
		if a.status != 0 || !strings.Contains(a.stdout, s2+" owns") {
			t.Errorf("the winner again: status %d, %q", a.status, a.stderr)
		}
		if diff := cmp.Diff(before, f.tree(f.root)); diff != "" {
			t.Errorf("something changed (-before +after):\n%s", diff)
		}
		f.wantOwner(s2)
	})
	t.Run("case 24: at once, from four processes each", func(t *testing.T) {
		f := newField(t)
		for n := range 5 {
			f.start(s1, fmt.Sprintf("--state-dir=.g%d make", n))
			f.hook("session-start", newEvent("session-start", s2, f.root).bytes())
			f.hook("session-start", newEvent("session-start", s3, f.root).bytes())
			answers := f.atOnce(8, func(i int) answer {
				return f.command("", f.root, "", "adopt", "--from="+s1, "--to="+[]string{s2, s3}[i%2])
			})
			winners := map[string]bool{}
			for i, a := range answers {
				if a.status == 0 {
					winners[[]string{s2, s3}[i%2]] = true
				}
			}
			if len(winners) != 1 {
				t.Errorf("round %d: %d sessions won: %+v", n, len(winners), answers)
			}
			f.wantQuiet(f.stop(f.in("last_assistant_message", fmt.Sprint(n))))
			for id := range winners {
				f.wantBlock(f.stop(f.in("session_id", id)))
				f.command(id, f.root, "", "cancel")
				f.stop(f.in("session_id", id, "last_assistant_message", "c"))
			}
		}
	})
}

func TestAdoptGoesOnFromOwnerToOwner(t *testing.T) {
	f := runningLoop(t)
	for _, id := range []string{s1, s2, s3} {
		f.beat(id)
	}
	for _, step := range [][2]string{{s1, s2}, {s2, s3}, {s3, s1}, {s1, s2}} {
		if a := f.adopt(step[0], step[1]); a.status != 0 {
			t.Fatalf("from %s to %s: %s", step[0], step[1], a.stderr)
		}
		f.wantOwner(step[1])
	}
	if got := gjson.Get(f.read(f.field.state(s2)), "iteration").Int(); got != 2 {
		t.Errorf("%d stops counted, want the 2 of the first owner", got)
	}
}

// TestAdoptIsFinishedByTheSameCall has the call killed after each of its steps.
func TestAdoptIsFinishedByTheSameCall(t *testing.T) {
	kills := map[string]func(f *inside, worklog string){
		"after the old state was marked": func(f *inside, worklog string) {
			f.write(filepath.Join(f.root, ".goal-loop", "GOAL-WORKLOG.md"), worklog)
			_ = os.RemoveAll(f.dir(s2))
		},
		"after the record was written":        func(f *inside, _ string) { _ = os.RemoveAll(f.dir(s2)) },
		"in the middle of the record":         func(f *inside, worklog string) { f.cutWorklog(worklog); _ = os.RemoveAll(f.dir(s2)) },
		"after the new directory was made":    func(f *inside, _ string) { _ = os.Remove(f.field.state(s2)) },
		"before it could say that it is done": func(*inside, string) {},
	}
	for name, kill := range kills {
		t.Run("case 105: "+name, func(t *testing.T) {
			f := runningLoop(t)
			f.beat(s2)
			worklog := f.worklog()
			f.adopt(s1, s2)
			kill(f, worklog)
			f.wantQuiet(f.stop(f.in("last_assistant_message", "late")))
			if a := f.adopt(s1, s3); a.status != 1 {
				t.Errorf("another session took it: %q", a.stdout)
			}
			if a := f.adopt(s1, s2); a.status != 0 {
				t.Fatalf("the same call: %s", a.stderr)
			}
			if got := strings.Count(f.worklog(), "took the run over"); got == 0 {
				t.Error("the worklog does not tell of the new owner")
			}
			if got := strings.Count(f.worklog(), `"kind":"resumed"`); got != 1 {
				t.Errorf("%d records of it, want 1", got)
			}
			f.wantOwner(s2)
		})
	}
}

// cutWorklog leaves half of what was appended after the given part.
func (f *inside) cutWorklog(before string) {
	f.Helper()
	all := f.worklog()
	f.write(filepath.Join(f.root, ".goal-loop", "GOAL-WORKLOG.md"), all[:len(before)+(len(all)-len(before))/2])
}

func TestAdoptOfAPausedOrStaleLoopGoesOn(t *testing.T) {
	f := runningLoop(t)
	f.beat(s2)
	f.expand(s1, "pause")
	if a := f.adopt(s1, s2); a.status != 0 {
		t.Fatal(a.stderr)
	}
	state := f.read(f.field.state(s2))
	if gjson.Get(state, "paused").Type != gjson.Null || gjson.Get(state, "iteration").Int() != 0 {
		t.Errorf("the pause of the old owner holds: %s", state)
	}
	f.wantOwner(s2)
	f.beat(s3)
	f.set(s2, "updated_at", "2001-01-01T00:00:00Z", "started_at", "2001-01-01T00:00:00Z", "last_checked_at", nil)
	if a := f.adopt(s2, s3); a.status != 0 {
		t.Fatal(a.stderr)
	}
	f.wantOwner(s3)
}

// TestAdoptWithoutAHookIsRefused: where no hook was seen in the new session,
// nothing would continue the loop there.
func TestAdoptWithoutAHookIsRefused(t *testing.T) {
	f := runningLoop(t)
	f.unchanged(f.root, func() {
		a := f.command("", "", "adopt", "--from="+s1, "--to="+s2)
		if a.status != 1 || !strings.Contains(a.stderr, "no hook of session "+s2) || !strings.Contains(a.stderr, "/goal-loop adopt "+s1) {
			t.Errorf("status %d, %q", a.status, a.stderr)
		}
	})
	f.wantBlock(f.stop(f.in("last_assistant_message", "c")))
	f.beat(s2)
	a := f.command("", "", "adopt", "--from="+s1, "--to="+s2, "--json")
	var got struct {
		Run, From, To string
		State         string `json:"state_file"`
	}
	if err := json.Unmarshal([]byte(a.stdout), &got); err != nil || got.From != s1 || got.To != s2 || got.State != f.field.state(s2) || got.Run == "" {
		t.Errorf("%q: %+v, %v", a.stdout, got, err)
	}
	f.wantOwner(s2)
}

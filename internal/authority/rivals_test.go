package authority_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/authority"
	"omc-hook/internal/decide"
	"omc-hook/internal/state"
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// omcModes are the modes of the specification and omc-teams.
var omcModes = []string{"ralph", "ultragoal", "autopilot", "ultrapilot", "swarm", "ultrawork", "ultraqa", "pipeline", "team", "omc-teams"}

// newSession is a store in a fresh repository and the location of session S1.
func newSession(t *testing.T) (state.Store, state.Location) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(dir, "repo")
	if err := os.MkdirAll(filepath.Join(repo, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	store := state.Store{Place: state.Place{ProjectDir: repo, Home: dir, PersonDir: filepath.Join(dir, "person")}, Now: noon}
	loc, err := store.Locate("S1")
	if err != nil {
		t.Fatal(err)
	}
	return store, loc
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

const ralph = `{"active":true,"session_id":"S1","iteration":2,"max_iterations":10,"started_at":"2026-03-01T11:00:00.000Z","prompt":"x"}`

func TestEachOfOMCsModesIsARival(t *testing.T) {
	for _, mode := range omcModes {
		t.Run(mode, func(t *testing.T) {
			store, loc := newSession(t)
			path := filepath.Join(loc.Dir, mode+"-state.json")
			write(t, path, ralph)
			want := []decide.Rival{{Name: "OMC's " + mode, Path: path}}
			if diff := cmp.Diff(want, authority.Rivals(store, loc, noon())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyAnActiveFreshStateOfThisSessionIsARival(t *testing.T) {
	tests := []struct {
		name, old, next string
		want            bool
	}{
		{"as it is", "", "", true},
		{"of no session", `"session_id":"S1",`, "", true},
		{"touched within two hours only by its update", `"started_at":"2026-03-01T11:00:00.000Z"`, `"started_at":"2026-02-01T11:00:00Z","updated_at":"2026-03-01T10:00:00Z"`, true},
		{"checked within two hours", `"started_at":"2026-03-01T11:00:00.000Z"`, `"last_checked_at":"2026-03-01T12:30:00+01:00"`, true},
		{"of another session", `"S1"`, `"S2"`, false},
		{"inactive", `"active":true`, `"active":false`, false},
		{"active as text", `"active":true`, `"active":"true"`, false},
		{"older than two hours", "11:00:00.000Z", "09:59:59.000Z", false},
		{"without a time", `"started_at":"2026-03-01T11:00:00.000Z"`, `"x":1`, false},
		{"cut off", `"prompt":"x"}`, `"prom`, false},
		{"too deep", `"x"}`, `"x","y":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}", false},
		{"too large", `"x"}`, `"` + strings.Repeat("x", 2<<20) + `"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, loc := newSession(t)
			write(t, filepath.Join(loc.Dir, "ralph-state.json"), strings.Replace(ralph, tt.old, tt.next, 1))
			if got := len(authority.Rivals(store, loc, noon())) == 1; got != tt.want {
				t.Errorf("got rival %v, want %v", got, tt.want)
			}
		})
	}
}

func TestOurOwnAndOtherSessionsFilesAreNoRivals(t *testing.T) {
	store, loc := newSession(t)
	for _, name := range []string{"goal-loop-state.json", "refine-state.json", "ralph-state.json123", "ralph-state.json.tmp", "unknown-state.json"} {
		write(t, filepath.Join(loc.Dir, name), ralph)
	}
	write(t, filepath.Join(filepath.Dir(loc.Dir), "S2", "ralph-state.json"), ralph)
	write(t, filepath.Join(loc.StateRoot, "state", "ralph-state.json"), ralph)
	if got := authority.Rivals(store, loc, noon()); got != nil {
		t.Errorf("got %+v", got)
	}
}

func TestASessionWithoutADirectoryHasNoRivals(t *testing.T) {
	store, loc := newSession(t)
	if got := authority.Rivals(store, loc, noon()); got != nil {
		t.Errorf("got %+v", got)
	}
	if _, err := os.Lstat(loc.StateRoot); !os.IsNotExist(err) {
		t.Errorf("looking made a directory: %v", err)
	}
}

func TestTheFrontMatterOfRalphLoopIsARivalWhereItIsActive(t *testing.T) {
	front := func(lines ...string) string {
		return "---\n" + strings.Join(lines, "\n") + "\n---\n\nDo it. active: true\n"
	}
	tests := []struct {
		name, text string
		want       bool
	}{
		{"active here", front("active: true", "iteration: 1", "session_id: S1", "max_iterations: 0"), true},
		{"active with quotes", front(`active: "true"`, `session_id: 'S1'`), true},
		{"active for no session", front("active: true"), true},
		{"active for the session null", front("active: true", "session_id: null"), true},
		{"active with CRLF", strings.ReplaceAll(front("active: true", "session_id: S1"), "\n", "\r\n"), true},
		{"active elsewhere", front("active: true", "session_id: S2"), false},
		{"inactive", front("active: false", "session_id: S1"), false},
		{"active only in the text", front("session_id: S1"), false},
		{"no front matter", "active: true\n", false},
		{"empty", "", false},
		{"too large", front("active: true") + strings.Repeat("x", 64<<10), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, loc := newSession(t)
			path := filepath.Join(loc.Root, ".claude", "ralph-loop.local.md")
			write(t, path, tt.text)
			var want []decide.Rival
			if tt.want {
				want = []decide.Rival{{Name: "the ralph-loop plugin", Path: path}}
			}
			if diff := cmp.Diff(want, authority.Rivals(store, loc, noon())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestManyRivalsAreListedInOneOrder(t *testing.T) {
	store, loc := newSession(t)
	for _, mode := range omcModes {
		write(t, filepath.Join(loc.Dir, mode+"-state.json"), ralph)
	}
	write(t, filepath.Join(loc.Root, ".claude", "ralph-loop.local.md"), "---\nactive: true\n---\n")
	first := fmt.Sprint(authority.Rivals(store, loc, noon()))
	for range 20 {
		if again := fmt.Sprint(authority.Rivals(store, loc, noon())); again != first {
			t.Fatalf("got %s, then %s", first, again)
		}
	}
	if got := len(authority.Rivals(store, loc, noon())); got != len(omcModes)+1 {
		t.Errorf("got %d rivals", got)
	}
}

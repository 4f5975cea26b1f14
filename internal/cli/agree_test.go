package cli

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/sjson"

	"omc-hook/internal/disk"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
)

// TestStatusAndHookAgree is cases 56 and 57: over 2,000 random state trees
// status says that the session continues exactly where the hook then continues
// an ordinary Stop of it.
func TestStatusAndHookAgree(t *testing.T) {
	const trees = 2_000
	f := newField(t)
	now := time.Now()
	outcomes := map[string]int{}
	for seed := range uint64(trees) {
		tree := &treeMaker{field: f, Rand: rand.New(rand.NewPCG(1, seed)), now: now, env: map[string]string{"HOME": f.home, "CLAUDE_PROJECT_DIR": f.root}}
		tree.grow()
		env := tree.processEnv()
		store := env.store(f.root)
		loc, err := store.Locate(s1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := buildReport(env, store, loc)
		if err != nil {
			t.Fatalf("tree %d: %v", seed, err)
		}
		continued := tree.stop(env, seed)
		if r.Continues != continued {
			t.Fatalf("tree %d: status says %v by rule %s (%s), the hook continued %v; state:\n%s", seed, r.Continues, r.Rule, r.Detail, continued, tree.last)
		}
		outcomes[r.Rule]++
	}
	for _, rule := range []string{"continue", "paused", "not-fresh", "not-active", "unreadable-state", "lease-used", "no-mode-state", "rival", "kill-switch", "switched-off"} {
		if outcomes[rule] < 10 {
			t.Errorf("rule %s decided %d trees, want at least 10 for the test to mean something", rule, outcomes[rule])
		}
	}
}

// treeMaker makes one random state tree.
type treeMaker struct {
	*field
	*rand.Rand
	now  time.Time
	env  map[string]string
	last string
}

// one is true once in n times.
func (m *treeMaker) one(n int) bool { return m.IntN(n) == 0 }

func pick[T any](m *treeMaker, values ...T) T { return values[m.IntN(len(values))] }

// grow writes the tree of one repository anew.
func (m *treeMaker) grow() {
	for _, path := range []string{filepath.Join(m.root, ".omc"), filepath.Join(m.root, ".goal-loop"), filepath.Join(m.root, ".claude")} {
		if err := os.RemoveAll(path); err != nil {
			m.Fatal(err)
		}
	}
	if m.one(12) {
		return
	}
	m.last = m.state()
	m.write(m.field.state(s1), m.last)
	if m.one(4) {
		m.write(m.field.state(s2), m.state())
	}
	if m.one(15) {
		m.write(filepath.Join(m.root, ".goal-loop", "STOP"), "")
	}
	if m.one(15) {
		m.write(filepath.Join(m.root, ".claude", "ralph-loop.local.md"), "---\nactive: "+pick(m, "true", "false")+"\n---\n")
	}
	if m.one(15) {
		m.write(filepath.Join(m.dir(s1), "ralph-state.json"), fmt.Sprintf(`{"active":%t,"updated_at":%q}`, m.one(2), m.moment().Format(time.RFC3339)))
	}
	m.env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] = pick(m, "", "", "", "1", "3", "0", "x", "50")
	m.env["DISABLE_OMC"] = pick(m, "", "", "", "", "", "", "", "", "", "1")
}

// state is one mode state: a whole one with a few fields of chance.
func (m *treeMaker) state() string {
	planned := int64(pick(m, 1, 2, 12, 50))
	s := modestate.State{
		Mode: "goal-loop", Active: !m.one(12), SessionID: s1, RunID: "g1", Iteration: m.Int64N(4), MaxIterations: loop.LeaseFor(planned),
		Planned: planned, Rounds: m.Int64N(3), Lease: m.Int64N(3), Continuations: m.Int64N(12), ProjectPath: m.root, StateDir: ".goal-loop",
		WorkDir: m.root, Authority: "omc-hook", StartedAt: m.moment(), UpdatedAt: m.moment(), LastCheckedAt: m.moment(), Prompt: "make",
	}
	s.HighWater = modestate.HighWater{Lease: s.Lease, Iteration: m.Int64N(6)}
	if m.one(8) {
		s.Paused = modestate.Pause{Cause: pick(m, "person", "lease", "rate-limit"), Until: pick(m, time.Time{}, m.moment())}
	}
	if m.one(12) {
		s.Deadline = m.moment()
	}
	if m.one(12) {
		s.Outcome, s.Told = pick(m, "SUCCESS", "CANCELLED", "odd"), pick(m, "", "outcome")
	}
	if m.one(12) {
		s.Same = modestate.Same{Digest: "d", Count: 7}
	}
	data := modestate.New(s)
	for m.one(3) {
		data = m.mutate(data)
	}
	return string(data)
}

// mutate changes one field to something that it may not be, or the bytes.
func (m *treeMaker) mutate(data []byte) []byte {
	field := pick(m, "active", "session_id", "iteration", "max_iterations", "planned_iterations", "rounds", "schema", "project_path",
		"authority", "paused", "updated_at", "high_water", "deadline", "unknown", "mode", "waits", "same")
	var out []byte
	var err error
	switch m.IntN(8) {
	case 0:
		out, err = sjson.DeleteBytes(data, field)
	case 1:
		return data[:m.IntN(len(data))]
	case 2:
		return bytes.Replace(data, []byte(`"`+field+`"`), []byte(`"`+strings.ToUpper(field)+`"`), 1)
	default:
		value := pick(m, "null", "true", `"x"`, "0", "1", "7", "200", "-1", "1e9", "7.5", "[]", "{}", `"`+s2+`"`, `"/elsewhere"`)
		out, err = sjson.SetRawBytes(data, field, []byte(value))
	}
	if err != nil {
		return data
	}
	return out
}

// moment is a time around the edges of what counts as fresh.
func (m *treeMaker) moment() time.Time {
	return m.now.Add(pick(m, -time.Minute, -time.Minute, -119*time.Minute, -121*time.Minute, -30*time.Hour, time.Minute, 16*time.Minute))
}

func (m *treeMaker) processEnv() Env {
	return Env{
		Version: "test", GOOS: "linux", Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
		Getenv: func(name string) string { return m.env[name] }, Getwd: func() (string, error) { return m.root, nil },
		Now: func() time.Time { return m.now }, Started: time.Now(), Disk: disk.Real(), Exit: func(int) {},
	}
}

// stop sends an ordinary Stop and reports whether it was continued.
func (m *treeMaker) stop(env Env, seed uint64) bool {
	m.Helper()
	var out bytes.Buffer
	env.Stdin = bytes.NewReader(m.in("prompt_id", "new", "last_assistant_message", fmt.Sprint("answer ", seed)).bytes())
	env.Stdout = &out
	status := Main([]string{"stop"}, env)
	a := answer{status: status, stdout: out.String()}
	m.formed(&a)
	return a.decision != ""
}

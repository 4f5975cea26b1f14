package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestFieldState(t *testing.T) {
	tests := []struct {
		name string
		run  func(f *field)
	}{
		{"case 22: a state that nothing touched for two hours is let go with a note and kept", freshness},
		{"case 26: a torn or foreign file is let go with a note and kept as it is", func(f *field) {
			whole := string(liveState())
			for _, data := range []string{
				"", whole[:min(157, len(whole)-1)], whole + `"x":1}`, strings.Repeat("\x00", 64), whole + "\x00\x00", whole + whole, "garbage", "[]", "null",
				strings.Repeat(`{"a":`, 200), whole[:len(whole)-1],
			} {
				f.write(f.state(s1), data)
				f.unchanged(f.root, func() { f.wantNote(f.stop(f.in()), "goal-loop-state.json", "cancel") })
				if a := f.command(s1, f.root, "", "status"); a.status != 3 || !strings.Contains(a.stdout, "unusable") {
					f.Errorf("state %.20q: status %d, %q", data, a.status, a.stdout)
				}
			}
			if a := f.command(s1, f.root, "", "cancel"); !strings.Contains(a.stdout, "moved to the archive") {
				f.Errorf("cancel of a broken state: %q", a.stdout)
			}
			f.wantQuiet(f.stop(f.in()))
		}},
		{"case 44: a counter that vanished or says nothing is not zero", func(f *field) {
			for _, data := range []string{"{}", "[]", `{"iteration":0}`, `{"active":true,"session_id":"` + s1 + `"}`} {
				f.write(f.state(s1), data)
				f.wantAllow(f.stop(f.in()))
			}
			f.live()
			if err := os.Remove(f.state(s1)); err != nil {
				f.Fatal(err)
			}
			f.wantQuiet(f.stop(f.in()))
			if f.read(f.state(s1)) != "" {
				f.Error("the hook made a state")
			}
		}},
		{"case 44: what cannot be counted on disk is not continued", func(f *field) {
			if runtime.GOOS == "windows" {
				f.Skip("needs a lock file that is a directory")
			}
			before := f.live()
			f.mkdir(filepath.Join(f.dir(s1), "omc-hook.lock"))
			f.wantNote(f.stop(f.in()), "could not be put on disk")
			if f.read(f.state(s1)) != before {
				f.Error("the state changed")
			}
		}},
		{"case 46: a state in any layout is counted, an ambiguous one refused", layouts},
		{"case 47: only the boolean true is active", func(f *field) {
			for _, active := range []any{false, "false", 0, nil, "true", 1, "", []any{true}, json.RawMessage("null")} {
				f.live("active", active)
				f.wantAllow(f.stop(f.in()))
				f.wantIteration(3)
			}
		}},
		{"cases 15 and 16: a counter of nonsense is no continuation, a bound of nonsense the built-in one", func(f *field) {
			for _, n := range []string{"-5", `"7"`, "7.5", "9223372036854775807", "1e3", "010", "null", "true"} {
				f.write(f.state(s1), strings.Replace(string(liveState()), `"iteration":3`, `"iteration":`+n, 1))
				f.wantNote(f.stop(f.in()))
			}
			for _, n := range []string{"0", "-1", "null", `"10"`, "1e400", "9223372036854775808", "10.9"} {
				f.write(f.state(s1), strings.Replace(string(liveState("iteration", 8)), `"max_iterations":10`, `"max_iterations":`+n, 1))
				f.wantAllow(f.stop(f.in()))
			}
			f.live("iteration", 200, "max_iterations", 300)
			f.wantNote(f.stop(f.in()))
		}},
		{"case 55: a state of a mode that is not ours continues nothing", func(f *field) {
			for _, name := range []string{"foo-state.json", "ralph-state.json", "Goal-Loop-state.json", "goal-loop-state.json1234", "goal-loop-state.json.tmp"} {
				if runtime.GOOS != "linux" && strings.EqualFold(name, "goal-loop-state.json") {
					continue
				}
				f.write(filepath.Join(f.dir(s1), name), string(liveState("mode", "foo")))
			}
			f.unchanged(f.root, func() { f.wantQuiet(f.stop(f.in())) })
		}},
		{"case 58: a continuation stays short whatever the goal, with the way out in the first one", func(f *field) {
			f.start(s1, "run everything again from the start "+strings.Repeat("and over ", 20_000))
			for i := range 4 {
				a := f.stop(f.in("last_assistant_message", fmt.Sprint("part ", i)))
				f.wantBlock(a)
				if n := len([]rune(a.reason)); n > 600 || strings.Count(a.reason, "\n") > 3 {
					f.Errorf("the reason has %d characters and %d lines", n, strings.Count(a.reason, "\n")+1)
				}
				for _, want := range []string{"goal record --run g", "SUCCESS", "BLOCKED"} {
					if !strings.Contains(a.reason, want) {
						f.Errorf("reason %d does not say %q: %q", i+1, want, a.reason)
					}
				}
			}
		}},
		{"case 96: a loop whose directories were cleaned away ends in silence and is not made again", func(f *field) {
			f.start(s1, "make")
			if err := os.RemoveAll(filepath.Join(f.root, ".omc")); err != nil {
				f.Fatal(err)
			}
			for range 5 {
				f.unchanged(f.root, func() { f.wantQuiet(f.stop(f.in())) })
			}
			a := f.command(s1, f.root, `{"planned":"a","next":"b"}`, "goal", "record", "--stdin")
			if a.status != 1 || !strings.Contains(a.stderr, "hint: ") {
				f.Errorf("record: status %d, stderr %q", a.status, a.stderr)
			}
			f.start(s1, "")
			f.wantBlock(f.stop(f.in()))
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { tc.run(newField(t)) })
	}
}

func freshness(f *field) {
	now := time.Now().UTC()
	at := func(d time.Duration) string { return now.Add(d).Format(time.RFC3339Nano) }
	long := at(-32 * time.Hour)
	tests := []struct {
		updated any
		fresh   bool
	}{
		{at(-3 * time.Minute), true},
		{at(5 * time.Second), true},
		{at(10 * time.Minute), true},
		{now.Add(-time.Minute).In(time.FixedZone("", 9*3600)).Format(time.RFC3339), true},
		{long, false},
		{nil, false},
		{"yesterday", false},
		{"", false},
		{0, false},
		{now.Unix(), false},
		{now.UnixMilli(), false},
		{now.Format("2006-01-02T15:04:05"), false},
		{at(400 * 24 * time.Hour), false},
	}
	for _, tc := range tests {
		before := f.live("started_at", long, "updated_at", tc.updated)
		a := f.stop(f.in())
		if tc.fresh {
			f.wantBlock(a)
			continue
		}
		f.wantNote(a, "/goal-loop resume")
		if f.read(f.state(s1)) != before {
			f.Errorf("updated_at %v: the state changed", tc.updated)
		}
	}
}

func layouts(f *field) {
	whole := string(liveState("unknown", map[string]any{"kept": []int{1}}))
	var pretty strings.Builder
	enc := json.NewEncoder(&pretty)
	enc.SetIndent("", "\t")
	if err := enc.Encode(json.RawMessage(whole)); err != nil {
		f.Fatal(err)
	}
	for _, data := range []string{whole, pretty.String(), strings.ReplaceAll(pretty.String(), "\n", "\r\n")} {
		f.write(f.state(s1), data)
		f.wantBlock(f.stop(f.in()))
		if got := f.read(f.state(s1)); !strings.Contains(strings.Join(strings.Fields(got), ""), `"unknown":{"kept":[1]}`) {
			f.Errorf("an unknown field was lost: %s", got)
		}
	}
	for _, change := range [][2]string{
		{`"iteration":3`, `"iteration":3,"iteration":4`},
		{`"iteration":3`, `"Iteration":3`},
		{`"iteration":3`, `"iteration":3,"ITERATION":9`},
		{`"active":true`, `"active":true,"active":false`},
		{`"active"`, `"\u0061ctive"`},
		{`"session_id"`, `"session_id":"` + s2 + `","session_id"`},
		{`{`, `{/* */`},
		{`}`, `,}`},
		{`"`, `'`},
	} {
		data := strings.Replace(whole, change[0], change[1], 1)
		f.write(f.state(s1), data)
		f.wantNote(f.stop(f.in()))
		if f.read(f.state(s1)) != data {
			f.Errorf("%s: the state changed", change[1])
		}
	}
}

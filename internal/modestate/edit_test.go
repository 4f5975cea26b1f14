package modestate_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"omc-hook/internal/modestate"
)

// member is one key of a random object and its value, both as raw JSON.
type member struct{ key, value string }

func space(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", " ", "\n", "\t", "\r\n  "}).Draw(t, "space")
}

func value(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := 4
		if depth > 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			return strconv.Itoa(rapid.Int().Draw(t, "number"))
		case 1:
			return rapid.SampledFrom([]string{"true", "false", "null", "1e400", "-0.5", `"\u0000\ud800"`, `"\\"`, `"\""`, `"}"`}).Draw(t, "literal")
		case 5:
			var items []string
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				items = append(items, value(depth-1).Draw(t, "item"))
			}
			return "[" + space(t) + strings.Join(items, ",") + "]"
		case 6:
			return render(t, members(depth-1).Draw(t, "object"))
		}
		return string(gjson.AppendJSONString(nil, rapid.String().Draw(t, "text")))
	})
}

// members are keys of nobody's, among them some that look like ours or like a
// path of the library.
func members(depth int) *rapid.Generator[[]member] {
	return rapid.Custom(func(t *rapid.T) []member {
		var list []member
		for range rapid.IntRange(0, 5).Draw(t, "members") {
			key := rapid.OneOf(
				rapid.SampledFrom([]string{"a.b", "*", "#", "@this", "a|@reverse", "", "iteration2", "paused.cause", `x"y`, `x\`, "-1", ":iteration"}),
				rapid.StringMatching(`x[a-z_.]{0,8}`),
			).Draw(t, "key")
			list = append(list, member{string(gjson.AppendJSONString(nil, key)), value(depth).Draw(t, "value")})
		}
		return list
	})
}

func render(t *rapid.T, list []member) string {
	var out strings.Builder
	out.WriteString("{")
	for i, m := range list {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString(space(t) + m.key + space(t) + ":" + space(t) + m.value + space(t))
	}
	return out.String() + "}"
}

func TestApplyChangesOneValueAndKeepsEveryOtherByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := members(2).Draw(t, "before"), members(2).Draw(t, "after")
		const mark = `"iteration":3`
		head := strings.TrimSuffix(render(t, append(before, member{`"mark"`, "0"})), "}")
		head = head[:strings.LastIndex(head, `"mark"`)]
		tail := render(t, append([]member{{`"tail"`, "0"}}, after...))[1:]
		data := space(t) + head + mark + "," + tail + space(t)
		n := rapid.Int64Range(0, 1_000_000).Draw(t, "n")
		got, err := modestate.Apply([]byte(data), []modestate.Change{modestate.SetCount("iteration", n)})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(data, head+mark, head+fmt.Sprintf(`"iteration":%d`, n), 1)
		if string(got) != want {
			t.Fatalf("from %q\n got %q\nwant %q", data, got, want)
		}
	})
}

func TestApplyAddsAFieldAfterTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := members(2).Draw(t, "members")
		data := render(t, list)
		got, err := modestate.Apply([]byte(data), []modestate.Change{modestate.SetText("told", "rival")})
		if err != nil {
			t.Fatal(err)
		}
		var all []member
		gjson.ParseBytes(got).ForEach(func(key, value gjson.Result) bool {
			all = append(all, member{key.Raw, value.Raw})
			return true
		})
		want := append(append([]member(nil), list...), member{`"told"`, `"rival"`})
		if diff := cmp.Diff(want, all, cmp.AllowUnexported(member{})); diff != "" || !gjson.ValidBytes(got) {
			t.Fatalf("from %q, got %q (-want +got):\n%s", data, got, diff)
		}
	})
}

func TestApplyOfNothingChangesNothing(t *testing.T) {
	if got, err := modestate.Apply([]byte(foreign), nil); err != nil || string(got) != foreign {
		t.Errorf("got %q, error %v", got, err)
	}
}

func TestApplyKeepsAByteOrderMarkReadable(t *testing.T) {
	got, err := modestate.Apply([]byte("\xef\xbb\xbf"+foreign), []modestate.Change{modestate.SetCount("iteration", 4)})
	if err != nil {
		t.Fatal(err)
	}
	if state, err := modestate.Parse(got); err != nil || state.Iteration != 4 {
		t.Errorf("got iteration %d, error %v", state.Iteration, err)
	}
}

// Field case 48.
func TestTheGoalIsTheSameAfterThreeHundredUpdates(t *testing.T) {
	goals := []string{
		"---\niteration: check\nactive: false\n---", string(modestate.New(full())), `ends in a backslash \`, "quote \" and \\\" and \u2028",
		"emoji 🙂, RTL \u202eabc, NUL-free \x01 control", strings.Repeat(`{"iteration":1}`, 200), "CRLF\r\n\ttab <&>",
	}
	for _, goal := range goals {
		state := full()
		state.Prompt = goal
		data := modestate.New(state)
		for i := range int64(300) {
			var err error
			data, err = modestate.Apply(data, []modestate.Change{
				modestate.SetCount("iteration", i), modestate.SetHighWater(modestate.HighWater{Lease: i, Iteration: i}),
				modestate.SetTime("last_checked_at", noon().Add(time.Duration(i))), modestate.SetPause(modestate.Pause{}),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := modestate.Parse(data)
		if err != nil || got.Prompt != goal || got.Iteration != 299 {
			t.Errorf("after 300 updates: error %v, iteration %d, prompt %q, want %q", err, got.Iteration, got.Prompt, goal)
		}
	}
}

func instant(t *rapid.T, label string) time.Time {
	if rapid.Bool().Draw(t, label+" is none") {
		return time.Time{}
	}
	return noon().Add(time.Duration(rapid.Int64Range(-1<<60, 1<<60).Draw(t, label)))
}

// anyState is a state as this build may write it.
func anyState(t *rapid.T) modestate.State {
	count := func(label string) int64 { return rapid.Int64Range(0, 1_000_000).Draw(t, label) }
	text := func(label string) string { return rapid.String().Draw(t, label) }
	s := modestate.State{
		Schema: modestate.Schema, Mode: text("mode"), Active: rapid.Bool().Draw(t, "active"), SessionID: text("session"), RunID: text("run"),
		Iteration: count("iteration"), MaxIterations: rapid.Int64Range(1, 200).Draw(t, "max"), HasMax: true,
		HighWater: modestate.HighWater{Lease: count("high lease"), Iteration: count("high iteration")}, Prompt: text("prompt"),
		ProjectPath: text("project"), StartedAt: instant(t, "started"), UpdatedAt: instant(t, "updated"), LastCheckedAt: instant(t, "checked"),
		Planned: count("planned"), HasPlanned: true, Rounds: count("rounds"), Lease: count("lease"), Continuations: count("continuations"),
		StateDir: text("state dir"), WorkDir: text("work dir"), NextAction: text("next"), PromptID: text("prompt id"), Outcome: text("outcome"),
		Told: text("told"), Authority: text("authority"), BackgroundSince: instant(t, "background"),
		Deadline: instant(t, "deadline"), MaxMinutes: count("minutes"), Ledger: modestate.Ledger{Records: count("records"), Head: text("head")},
	}
	if rapid.Bool().Draw(t, "paused") {
		s.Paused = modestate.Pause{Cause: "c" + text("cause"), Until: instant(t, "until")}
	}
	if rapid.Bool().Draw(t, "yielded") {
		s.Yielded = modestate.Yield{CommandAt: instant(t, "command"), At: noon()}
	}
	if rapid.Bool().Draw(t, "seen") {
		s.Seen = modestate.Seen{Key: "k" + text("key"), At: instant(t, "at"), Times: count("times")}
	}
	if rapid.Bool().Draw(t, "same") {
		s.Same = modestate.Same{Digest: text("digest"), Count: 1 + rapid.Int64Range(0, 5).Draw(t, "answers")}
	}
	for range rapid.IntRange(0, 16).Draw(t, "waits") {
		s.Waits = append(s.Waits, modestate.Wait{ID: text("id"), Until: instant(t, "wait until")})
	}
	return s
}

func TestParseReadsBackWhatNewWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyState(t)
		data := modestate.New(want)
		got, err := modestate.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(modestate.State{}, "Raw"), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if !bytes.HasPrefix(data, []byte("{\n")) || !bytes.HasSuffix(data, []byte("\n}\n")) {
			t.Fatalf("not one field a line: %q", data)
		}
	})
}

func TestOnlyTheNewestWaitsAreKept(t *testing.T) {
	var many []modestate.Wait
	for i := range 20 {
		many = append(many, modestate.Wait{ID: fmt.Sprint(i), Until: noon()})
	}
	data, err := modestate.Apply([]byte(foreign), []modestate.Change{modestate.SetWaits(many)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := modestate.Parse(data)
	if diff := cmp.Diff(many[4:], got.Waits); diff != "" || err != nil {
		t.Errorf("error %v, waits (-want +got):\n%s", err, diff)
	}
}

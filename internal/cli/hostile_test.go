package cli

import (
	"bytes"
	"strings"
	"testing"
)

// TestHookVerbsNeverBlockByStatus is case 9: whatever a hook verb is given, it
// ends with status 0, says nothing on standard error, and prints one document
// or nothing. Status 2 would block the Stop.
func TestHookVerbsNeverBlockByStatus(t *testing.T) {
	deep := func(n int) []byte {
		return []byte(`{"hook_event_name":"Stop","session_id":"` + s1 + `","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}")
	}
	inputs := []struct {
		name string
		data []byte
	}{
		{"nothing", nil},
		{"white space", []byte(" \n\t ")},
		{"garbage", []byte("not json at all \x00\xff\x1b[2J")},
		{"a cut object", []byte(`{"hook_event_name":"Stop","session_id":"` + s1)},
		{"nesting of 1,000", deep(1_000)},
		{"nesting of 1,000,000", deep(1_000_000)},
		{"10,000,000 open brackets", bytes.Repeat([]byte("["), 10_000_000)},
		{"2,000,000 open objects", bytes.Repeat([]byte(`{"a":`), 2_000_000)},
		{"a string of 40 MB", []byte(`{"prompt":"` + strings.Repeat("x", 40<<20) + `"}`)},
		{"100,000 keys", []byte("{" + strings.Repeat(`"k":1,`, 100_000) + `"z":1}`)},
		{"a second document", []byte(`{"session_id":"` + s1 + `"}{"session_id":"` + s2 + `"}`)},
		{"two sessions", []byte(`{"session_id":"` + s1 + `","session_id":"` + s2 + `"}`)},
		{"wrong types", []byte(`{"hook_event_name":1,"session_id":[],"cwd":{},"prompt":null,"tool_input":"x","command_name":[],"background_tasks":7}`)},
	}
	for _, verb := range hookVerbNames {
		for _, in := range inputs {
			t.Run(verb+" with "+in.name, func(t *testing.T) {
				f := newField(t)
				f.live()
				f.unchanged(f.root, func() { f.wantQuiet(f.hook(verb, in.data)) })
			})
		}
	}
}

func TestHookVerbsIgnoreArguments(t *testing.T) {
	f := newField(t)
	for _, verb := range hookVerbNames {
		for _, args := range [][]string{{"--no-such-flag"}, {"--help"}, {"-h"}, {"a", "b"}, {"--", ""}} {
			f.live()
			a := f.run(bytes.NewReader(newEvent(verb, s1, f.root).bytes()), f.root, []string{"CLAUDE_PROJECT_DIR=" + f.root}, append([]string{verb}, args...)...)
			f.formed(&a)
			if verb == "stop" {
				f.wantBlock(a)
			}
		}
	}
}

// TestHookVerbsSurviveABrokenState has a state on which recursion would die.
func TestHookVerbsSurviveABrokenState(t *testing.T) {
	for _, data := range []string{strings.Repeat("[", 10_000_000), strings.Repeat(`{"active":`, 1_000_000), strings.Repeat("x", 5<<20)} {
		f := newField(t)
		f.write(f.state(s1), data)
		for _, verb := range hookVerbNames {
			f.unchanged(f.dir(s1), func() {
				if a := f.hook(verb, newEvent(verb, s1, f.root).bytes()); verb != "expand" {
					f.wantAllow(a)
				}
			})
		}
	}
}

// TestEventsFromTheModelsShellAreRefused holds the one exception: a forged event
// ends with status 1 and says why.
func TestEventsFromTheModelsShellAreRefused(t *testing.T) {
	f := newField(t)
	f.live()
	for _, verb := range hookVerbNames {
		f.unchanged(f.root, func() {
			a := f.run(bytes.NewReader(newEvent(verb, s1, f.root).bytes()), f.root, []string{"AI_AGENT=claude-code_2-1-332_agent"}, verb)
			if a.status != 1 || a.stdout != "" || a.stderr != "omc-hook: "+verb+": only the client sends this event\n" {
				t.Errorf("%s: status %d, stdout %q, stderr %q", verb, a.status, a.stdout, a.stderr)
			}
		})
	}
}

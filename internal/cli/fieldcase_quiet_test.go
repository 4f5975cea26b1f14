package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestFieldQuiet holds the cases about what a hook says, how long it takes and
// what it starts.
func TestFieldQuiet(t *testing.T) {
	tests := []struct {
		name string
		run  func(f *inside)
	}{
		{"case 28: every path prints one document or nothing, whatever the environment asks for", oneDocument},
		{"case 28: every --json prints exactly one value", oneValue},
		{"case 29: a hundred idle stops print nothing and make nothing", func(f *inside) {
			f.unchanged(filepath.Dir(f.root), func() {
				for i := range 100 {
					f.wantQuiet(f.stop(f.in("last_assistant_message", fmt.Sprint(i), "stop_hook_active", i%2 == 0)))
				}
			})
		}},
		{"case 42: nothing in a transcript takes a decision with it", brokenTranscripts},
		{"case 53: without optional fields nothing is blocked or denied that was not before", func(f *inside) {
			f.unchanged(f.root, func() {
				for _, verb := range hookVerbNames {
					whole := newEvent(verb, s1, f.root)
					for key := range whole {
						f.wantQuiet(f.hook(verb, whole.with(key, nil).with("command_name", "x", "new", map[string]any{"a": []int{1}}).bytes()))
					}
					f.wantQuiet(f.hook(verb, []byte(fmt.Sprintf(`{"hook_event_name":%q,"session_id":%q}`, eventNames[verb], s2))))
				}
			})
		}},
		{"case 70: a scheduled wake-up is no reason to cancel, and an exit comes after the work", func(f *inside) {
			f.write(f.field.state(s2), string(liveState("session_id", s2, "updated_at", time.Now().Add(-30*time.Hour))))
			f.unchanged(f.root, func() {
				f.wantQuiet(f.stop(f.in("stop_reason", "scheduled_wakeup", "session_crons", []any{map[string]any{"id": "c"}})))
			})
			f.start(s1, "make")
			a := f.stop(f.in("stop_reason", "scheduled_wakeup"))
			f.wantBlock(a)
			if next, exit := strings.Index(a.reason, "Next: "), strings.Index(a.reason, "BLOCKED"); next < 0 || exit < next || strings.Contains(a.reason, "cancel") {
				f.Errorf("the reason says %q", a.reason)
			}
		}},
		{"case 72: where no hook was ever seen, the status says so", func(f *inside) {
			a := f.command(s1, "make", "goal", "start", "--stdin")
			if !strings.Contains(a.stdout, "no hook was seen in this session") || !strings.Contains(a.stdout, "tell the person how to resume") {
				f.Errorf("start: %q", a.stdout)
			}
			a = f.command(s1, "", "status")
			for _, want := range []string{"never seen in this session", "none seen in this session"} {
				if a.status != 3 || !strings.Contains(a.stdout, want) {
					f.Errorf("status %d does not say %q: %q", a.status, want, a.stdout)
				}
			}
			f.expand(s1, "resume")
			if a := f.command(s1, "", "status"); a.status != 0 || !strings.Contains(a.stdout, "none seen in this session") || strings.Contains(a.stdout, "never seen") {
				f.Errorf("after a hook was seen: %q", a.stdout)
			}
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			withoutPrograms(t)
			tc.run(insideOf(newField(t)))
		})
	}
}

func oneDocument(f *inside) {
	loud := []string{"DEBUG=1", "VERBOSE=1", "OMC_DEBUG=1", "OMC_HOOK_ANSWER=loud", "GODEBUG=gctrace=0,inittrace=0", "LOG_LEVEL=trace", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=x", "OMC_HOOK_LAUNCHER=/nowhere"}
	for _, state := range []string{string(liveState()), string(liveState("updated_at", "yesterday")), `{"active":tr`, string(liveState("iteration", 99)), string(liveState("paused", map[string]string{"cause": "person"}))} {
		for _, verb := range hookVerbNames {
			f.write(f.field.state(s1), state)
			f.field.hook(verb, newEvent(verb, s1, f.root).bytes(), loud...)
		}
	}
}

func oneValue(f *inside) {
	f.start(s1, "make")
	for _, c := range commands() {
		if _, ok := c.flags["json"]; !ok {
			continue
		}
		line := append(strings.Fields(c.words), "--json")
		stdin := "{}"
		switch c.words {
		case "wait":
			line = append(line, "b1", "--for=1m")
		case "adopt":
			line = append(line, "--from="+s3)
		case "goal record":
			stdin = oneRound
			fallthrough
		case "goal start", "goal finish":
			line = append(line, "--stdin")
		}
		a := f.command(s1, stdin, line...)
		if a.status == 1 && a.stdout == "" {
			continue
		}
		dec := json.NewDecoder(strings.NewReader(a.stdout))
		var value any
		if err := dec.Decode(&value); err != nil {
			f.Errorf("%s: %q: %v", c.words, a.stdout, err)
		}
		if _, err := dec.Token(); err != io.EOF {
			f.Errorf("%s: more than one value: %q", c.words, a.stdout)
		}
	}
}

func brokenTranscripts(f *inside) {
	path := filepath.Join(f.home, "t.jsonl")
	line := `{"type":"assistant","message":{"role":"assistant","usage":{"input_tokens":10,"output_tokens":9}}}`
	typed := `{"type":"queue-operation","operation":"enqueue","timestamp":"` + time.Now().UTC().Format(time.RFC3339Nano) + `","content":"/goal-loop status"}`
	broken := map[string]string{
		"control characters": "{\"type\":\"user\",\"x\":\"a\x00\x01\x1fb\"}\n", "a lone surrogate": `{"type":"user","x":"\ud800"}` + "\n", "no UTF-8": "{\"x\":\"\xff\xfe\"}\n",
		"windows line ends": line + "\r\n" + line + "\r\n", "half a line": `{"type":"assistant","mess`, "deep": strings.Repeat("[", 100_000) + "\n", "keys twice": `{"type":"user","type":"assistant"}` + "\n",
	}
	for name, data := range broken {
		f.live()
		f.write(path, data+line+"\n"+data)
		f.wantBlock(f.stop(f.in("transcript_path", path, "last_assistant_message", name)))
		f.wantIteration(4)
		// The good line between broken ones is still read.
		f.live()
		f.write(path, strings.Repeat(data, 50)+"\n"+typed+"\n"+data)
		f.wantNote(f.stop(f.in("transcript_path", path)), "/goal-loop status")
		f.wantIteration(3)
	}
	f.live()
	f.write(path, `{"x":"`)
	if err := os.Truncate(path, 50<<20); err != nil {
		f.Fatal(err)
	}
	f.wantBlock(f.stop(f.in("transcript_path", path)))
}

// TestTheDeadlinesLieBelowTheClients is the rest of case 59: the client kills no
// hook before the hook has ended by itself.
func TestTheDeadlinesLieBelowTheClients(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "hooks", "hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Args    []string
				Timeout int
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for event, groups := range file.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				verb, ok := hookVerbFor(h.Args[0])
				if limit := time.Duration(h.Timeout) * time.Second; !ok || limit < verb.hard+time.Second || limit > time.Minute {
					t.Errorf("%s %v: the client waits %s, the hook %s", event, h.Args, limit, verb.hard)
				}
			}
		}
	}
}

// TestNoProgramIsStartedAtAStop is cases 60 and 104: PATH holds programs that
// leave a mark and then hang. Only a start asks git, and is not held up by it.
func TestNoProgramIsStartedAtAStop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a program that is a shell script")
	}
	f := newField(t)
	bin, mark := filepath.Join(f.home, "bin"), filepath.Join(f.home, "mark")
	for _, name := range []string{"git", "sh", "bash", "cmd", "uname", "readlink"} {
		f.write(filepath.Join(bin, name), "#!/bin/sh\necho $0 $* >>'"+mark+"'\nexec /bin/sleep 60\n")
		if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.env = []string{"PATH=" + bin}
	for _, live := range []bool{false, true} {
		if live {
			f.live()
		}
		for _, verb := range hookVerbNames {
			f.hook(verb, newEvent(verb, s1, f.root).with("command_args", "status").bytes())
		}
		for _, args := range [][]string{{"status"}, {"why"}, {"history"}, {"lint"}, {"cancel"}} {
			f.command(s1, f.root, "", args...)
		}
	}
	if got := f.read(mark); got != "" {
		t.Errorf("programs were started: %s", got)
	}
	f.start(s2, "--state-dir=.second make")
	if got := f.read(mark); !strings.Contains(got, "git") {
		t.Errorf("a start did not ask git: %q", got)
	}
	f.wantBlock(f.stop(f.in("session_id", s2)))
}

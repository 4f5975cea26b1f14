package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
)

func TestFieldEvent(t *testing.T) {
	tests := []struct {
		name string
		run  func(f *field)
	}{
		{"case 3: a full context ends the turn at once and burns nothing", contextIsFull},
		{"case 3: the word context in the text is no full context", func(f *field) {
			f.live("prompt", "context_limit: context window exceeded")
			f.wantBlock(f.stop(f.in("last_assistant_message", "prompt is too long, context_limit", "reason", "the context of the parser was read")))
			f.wantIteration(4)
		}},
		{"case 3: without any signal a run of empty answers ends within a handful", func(f *field) {
			f.live("max_iterations", 200)
			var last answer
			n := 0
			for n = 0; n < 12; n++ {
				if last = f.stop(f.in("last_assistant_message", "", "prompt_id", fmt.Sprint("p", n))); last.decision == "" {
					break
				}
			}
			f.wantNote(last, "/goal-loop resume")
			if n > 8 {
				f.Errorf("%d continuations, want a handful", n)
			}
			if !strings.Contains(f.read(f.state(s1)), `"active":true`) {
				f.Error("the loop cannot be resumed")
			}
		}},
		{"case 5: what the transcript lacks changes nothing", transcriptIsBehind},
		{"case 8: stop_hook_active is no reason to let go while the answers differ", func(f *field) {
			f.live("max_iterations", 50, "iteration", 0)
			for i := range 12 {
				f.wantBlock(f.stop(f.in("stop_hook_active", true, "last_assistant_message", fmt.Sprint("part ", i))))
			}
			f.wantIteration(12)
		}},
		{"case 8: identical answers are let go before the client's cap", func(f *field) {
			f.live("max_iterations", 50, "iteration", 0)
			n := 0
			for n = 0; n < 8; n++ {
				a := f.stop(f.in("stop_hook_active", true, "last_assistant_message", "ok", "prompt_id", fmt.Sprint("p", n)))
				if a.decision == "" {
					f.wantNote(a, "goal-loop", "/goal-loop resume")
					break
				}
			}
			if n >= 8 {
				f.Errorf("%d identical answers were continued", n)
			}
		}},
		{"case 8: a nonsensical cap of the client is the default one", func(f *field) {
			f.start(s1, "--max-iterations=20 make")
			for value, want := range map[string]string{"abc": "of 8", "-1": "of 8", "0": "of 8", "50": "of 8", "3": "of 3"} {
				if a := f.command(s1, f.root, "", "status"); a.status != 0 {
					f.Errorf("status %d: %s", a.status, a.stdout)
				}
				a := f.run(strings.NewReader(""), f.root, []string{"CLAUDE_CODE_SESSION_ID=" + s1, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=" + value}, "status")
				if !strings.Contains(a.stdout, "nudge 1 "+want) {
					f.Errorf("cap %q: got %q, want nudge 1 %s", value, a.stdout, want)
				}
			}
		}},
		{"case 19: work that ends by itself is waited for without a charge, nothing else is", backgroundWork},
		{"case 25: one event that arrives twice at once is counted once and answered alike", func(f *field) {
			f.live("iteration", 0, "max_iterations", 50)
			for round := range 10 {
				e := f.in("last_assistant_message", fmt.Sprint("turn ", round), "prompt_id", "p1")
				answers := f.atOnce(2, func(int) answer { return f.stop(e) })
				if answers[0].stdout != answers[1].stdout {
					f.Errorf("two answers to one event:\n%s%s", answers[0].stdout, answers[1].stdout)
				}
				f.wantBlock(answers[0])
			}
			if got := f.iteration(); got != 10 {
				f.Errorf("%d steps for 10 turns", got)
			}
		}},
		{"case 53: without its optional fields an event is answered as before, and an empty one not at all", func(f *field) {
			f.live("iteration", 0, "max_iterations", 50)
			whole := f.in()
			for key := range whole {
				a := f.stop(whole.with(key, nil, "x", key))
				if key == "session_id" {
					f.wantQuiet(a)
				}
			}
			f.unchanged(f.root, func() {
				f.wantQuiet(f.hook("stop", []byte("{}")))
				f.wantQuiet(f.hook("stop", []byte(`{"hook_event_name":"Stop","new_field":{"a":[1]}}`)))
			})
		}},
		{"case 71: the reason of a continuation rides on standard output with status 0 alone", func(f *field) {
			f.start(s1, "fix the 'no such file or directory' error")
			a := f.stop(f.in())
			f.wantBlock(a)
		}},
		{"case 74: every encoding of standard input is read whole or not at all", encodings},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { tc.run(newField(t)) })
	}
}

func contextIsFull(f *field) {
	f.live()
	for _, key := range []string{"stop_reason", "stopReason", "end_turn_reason", "reason", "error", "errorMessage", "error_message"} {
		for _, reason := range []string{
			"context_limit", "Context window exceeded", "prompt is too long", "conversation-too-long", "max_tokens", "model_context_window_exceeded",
		} {
			f.live()
			f.wantNote(f.stop(f.in(key, reason)), "context", "/goal-loop resume")
			f.wantIteration(3)
			if a := f.stop(f.in(key, reason)); a.stdout != "" {
				f.Errorf("%s %q is told twice: %q", key, reason, a.stdout)
			}
		}
	}
	f.live()
	path := filepath.Join(f.home, "t.jsonl")
	f.write(path, `{"type":"assistant","message":{"role":"assistant","usage":{"input_tokens":10,"cache_read_input_tokens":196000,"output_tokens":900}}}`+"\n")
	f.wantNote(f.stop(f.in("transcript_path", path)), "context")
	f.wantIteration(3)
}

func transcriptIsBehind(f *field) {
	path := filepath.Join(f.home, "t.jsonl")
	user := `{"type":"user","message":{"role":"user","content":"go"}}` + "\n"
	stale := `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"SUCCESS. DONE."}]}}` + "\n"
	for name, data := range map[string]string{"empty": "", "user only": user, "stale": stale + user, "cut": stale + user[:20], "binary": "\x00\xff\n{"} {
		for _, message := range []any{"done: SUCCESS", "partial", "", nil, 7} {
			f.live()
			f.write(path, data)
			f.wantBlock(f.stop(f.in("transcript_path", path, "last_assistant_message", message)))
			if got := f.iteration(); got != 4 {
				f.Errorf("transcript %s, message %v: iteration %d, want 4", name, message, got)
			}
		}
	}
	for _, place := range []string{f.home, filepath.Join(f.home, "none.jsonl"), "relative.jsonl", "", "\x00"} {
		f.live()
		f.wantBlock(f.stop(f.in("transcript_path", place)))
	}
}

func backgroundWork(f *field) {
	task := func(kind, status string) []any {
		return []any{map[string]any{"id": "b1", "type": kind, "status": status}}
	}
	waits := [][]any{task("subagent", "running"), task("subagent", "pending"), task("workflow", "running")}
	goesOn := []any{
		[]any{},
		nil, "none",
		map[string]any{},
		7,
		[]any{"b1", nil, 3},
		task("subagent", "completed"), task("subagent", "failed"),
		task("subagent", "odd"), task("shell", "running"), task("", "running"), task("monitor", "running"),
	}
	for _, tasks := range waits {
		f.live()
		f.wantQuiet(f.stop(f.in("background_tasks", tasks)))
		f.wantQuiet(f.stop(f.in("background_tasks", tasks)))
		f.wantIteration(3)
		f.wantBlock(f.stop(f.in("background_tasks", task("subagent", "completed"))))
		f.wantIteration(4)
	}
	for _, tasks := range goesOn {
		f.live()
		f.wantBlock(f.stop(f.in("background_tasks", tasks)))
		f.wantIteration(4)
	}
	f.live("background_since", time.Now().UTC().Add(-25*time.Hour))
	f.wantBlock(f.stop(f.in("background_tasks", waits[0])))
	f.live()
	f.wantBlock(f.stop(f.in("session_crons", []any{map[string]any{"id": "c1"}})))
}

func encodings(f *field) {
	data := f.in().bytes()
	bom := []byte("\xef\xbb\xbf")
	f.live()
	f.wantBlock(f.hook("stop", slices.Concat(bom, data), "LANG=C", "LC_ALL=C"))
	f.live()
	f.wantBlock(f.stop(f.in("last_assistant_message", "表示 ソ \\ 終了"), "LANG=C"))
	f.live()
	f.wantBlock(f.hook("stop", slices.Concat([]byte("\r\n "), data, []byte("\r\n"))))
	var wide []byte
	for _, u := range utf16.Encode([]rune(string(data))) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for _, bad := range [][]byte{
		wide, slices.Concat(data, []byte{0}), data[:len(data)-1], slices.Concat([]byte("x"), data), slices.Concat(data, data),
		bytes.Replace(data, []byte("partial work"), []byte("\x83\x5c"), 1), bytes.Replace(data, []byte("partial work"), []byte(`C:\Users\x`), 1),
		bytes.Replace(data, []byte("partial work"), []byte("a\x01b"), 1), []byte("null"), []byte("[]"), []byte(`"x"`), []byte("  "),
	} {
		f.live()
		f.unchanged(f.root, func() { f.wantQuiet(f.hook("stop", bad)) })
	}
}

// atOnce runs n calls that all start together.
func (f *field) atOnce(n int, fn func(i int) answer) []answer {
	f.Helper()
	answers, gate := make([]answer, n), make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-gate
			answers[i] = fn(i)
		})
	}
	close(gate)
	all.Wait()
	return answers
}

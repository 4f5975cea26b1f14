package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"omc-hook/internal/transcript"
)

// The lines below have the fields of a real transcript of Claude Code 2.1.332.

func enqueue(content string) string {
	return fmt.Sprintf(`{"type":"queue-operation","operation":"enqueue","timestamp":"2026-11-30T18:49:45.888Z","sessionId":"S1","content":%q}`, content)
}

func dequeue() string {
	return `{"type":"queue-operation","operation":"dequeue","timestamp":"2026-11-30T18:49:45.894Z","sessionId":"S1"}`
}

func remove(content string) string {
	return fmt.Sprintf(`{"type":"queue-operation","operation":"remove","sessionId":"S1","content":%q,"reason":"cleared_on_cancel","commandUuid":"u1"}`, content)
}

func lines(all ...string) []byte {
	return []byte(strings.Join(all, "\n") + "\n")
}

const (
	stop   = "/omh-loop stop"
	status = "/goal-loop status"
	note   = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
)

func TestWaitingFollowsTheQueue(t *testing.T) {
	tests := []struct {
		name string
		tail []byte
		want []string
	}{
		{"nothing", nil, nil},
		{"plain words", lines(enqueue("also fix the tests")), []string{"also fix the tests"}},
		{"a task notification alone", lines(enqueue(note)), nil},
		{"one command", lines(enqueue(stop)), []string{stop}},
		{"two commands, oldest first", lines(enqueue(stop), enqueue(status)), []string{stop, status}},
		{"the same command twice", lines(enqueue(stop), enqueue(stop), dequeue()), []string{stop}},
		{"a command that was taken up", lines(enqueue(stop), dequeue()), nil},
		{"the older one was taken up", lines(enqueue(stop), enqueue(status), dequeue()), []string{status}},
		{"text before it was taken up", lines(enqueue("text"), enqueue(stop), dequeue()), []string{stop}},
		{"a task notification before it waits on", lines(enqueue(note), enqueue(stop), dequeue()), nil},
		{"the notification goes when it is alone", lines(enqueue(note), dequeue(), enqueue(stop)), []string{stop}},
		{"a command that was taken back", lines(enqueue(stop), remove(stop)), nil},
		{"text behind it was taken into the turn", lines(enqueue(stop), enqueue("text"), remove("text")), []string{stop}},
		{"text was removed without being named", lines(enqueue(stop), enqueue("text"), strings.Replace(dequeue(), "dequeue", "remove", 1)), []string{stop}},
		{"a command was removed without being named", lines(enqueue(stop), strings.Replace(dequeue(), "dequeue", "remove", 1)), nil},
		{"the person took all back to edit it", lines(enqueue(stop), enqueue(status), strings.Replace(remove(stop), `"remove"`, `"popAll"`, 1), strings.Replace(remove(status), `"remove"`, `"popAll"`, 1)), nil},
		{"removal of something older than the tail", lines(enqueue(stop), remove("older")), []string{stop}},
		{"dequeue of something older than the tail", lines(dequeue(), dequeue(), enqueue(stop)), []string{stop}},
		{"an unknown operation", lines(enqueue(stop), strings.Replace(dequeue(), "dequeue", "shuffle", 1)), []string{stop}},
		{"content in blocks", lines(`{"type":"queue-operation","operation":"enqueue","content":[{"type":"text","text":"/omh-loop "},"stop",{"type":"image"},7]}`), []string{stop}},
		{"content that was left out of the record", lines(enqueue(stop), `{"type":"queue-operation","operation":"enqueue"}`, dequeue()), nil},
		{"a path", lines(enqueue("/usr/bin/x is broken"), enqueue("/tmp"), enqueue("/"), enqueue("/ x")), []string{"/usr/bin/x is broken", "/tmp", "/", "/ x"}},
		{"a command of a plugin over two lines", lines(enqueue("/omc-hook:goal-loop stop\nnow")), []string{"/omc-hook:goal-loop stop\nnow"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := texts(transcript.Waiting(tt.tail))
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Waiting (-want +got):\n%s", diff)
			}
		})
	}
}

// brokenLines are lines that must not take a neighbour with them.
func brokenLines() map[string]string {
	return map[string]string{
		"an empty line":                  "",
		"a cut first line":               `eration","operation":"enqueue","content":"/x"}`,
		"half a last line":               `{"type":"queue-operation","operation":"enqueue","content":"/x`,
		"a raw control character":        "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"/x\x01\"}",
		"a NUL":                          "{\"type\":\"queue-operation\",\"operation\":\"dequeue\"}\x00",
		"invalid UTF-8":                  "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"/\xff\"}",
		"two objects":                    dequeue() + dequeue(),
		"a list":                         "[" + dequeue() + "]",
		"an operation of the wrong type": `{"type":"queue-operation","operation":["dequeue"]}`,
		"an operation inside a message":  `{"type":"user","message":{"content":"{\"type\":\"queue-operation\",\"operation\":\"dequeue\"}"}}`,
		"an operation inside an object":  `{"type":"user","x":` + dequeue() + `}`,
		"deep nesting":                   `{"type":"queue-operation","x":` + strings.Repeat("[", 500_000),
		"a long line":                    `{"type":"queue-operation","operation":"enqueue","content":"/` + strings.Repeat("x", 2<<20) + `"}`,
		"a broken usage":                 `{"type":"assistant","message":{"usage":{"input_tokens":"9","output_tokens":-1,"cache_read_input_tokens":1e300}}}`,
		"a usage of a user":              `{"type":"user","message":{"usage":{"input_tokens":9}}}`,
		"a usage of a subagent":          `{"type":"assistant","isSidechain":true,"message":{"usage":{"input_tokens":9}}}`,
		"a usage in another place":       `{"type":"assistant","usage":{"input_tokens":9}}`,
		"a usage in a message's text":    `{"type":"assistant","message":"{\"usage\":{\"input_tokens\":9}}"}`,
		"a lone surrogate":               `{"type":"user","message":{"content":"\ud800"}}`,
	}
}

const answer = `{"type":"assistant","isSidechain":false,"message":{"role":"assistant","model":"claude-sonnet-4-5","usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":40000,"server_tool_use":{"web_search_requests":0}}}}`

func TestABrokenLineTakesNoOtherWithIt(t *testing.T) {
	for name, broken := range brokenLines() {
		for _, end := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%s before %q", name, end), func(t *testing.T) {
				tail := []byte(strings.Join([]string{broken, enqueue(stop), broken, answer, broken}, end))
				if diff := cmp.Diff([]string{stop}, texts(transcript.Waiting(tail))); diff != "" {
					t.Errorf("Waiting (-want +got):\n%s", diff)
				}
				if got, ok := transcript.Usage(tail); !ok || got.Tokens != 43210 || got.Model != "claude-sonnet-4-5" {
					t.Errorf("Usage = %+v, %v; want 43210 tokens of claude-sonnet-4-5", got, ok)
				}
				if got, ok := transcript.Usage([]byte(broken)); ok {
					t.Errorf("Usage of the broken line = %+v, want none", got)
				}
			})
		}
	}
}

func TestASingleLineOf50MegabytesIsPassedOver(t *testing.T) {
	tail := append([]byte(enqueue(stop)+"\n"+`{"type":"queue-operation","usage":"`), make([]byte, 50<<20)...)
	tail = append(tail, "\"}\n"+answer...)
	if diff := cmp.Diff([]string{stop}, texts(transcript.Waiting(tail))); diff != "" {
		t.Errorf("Waiting (-want +got):\n%s", diff)
	}
	if got, ok := transcript.Usage(tail); !ok || got.Tokens != 43210 || got.Model != "claude-sonnet-4-5" {
		t.Errorf("Usage = %+v, %v; want 43210 tokens of claude-sonnet-4-5", got, ok)
	}
}

func TestUsageIsTheNewest(t *testing.T) {
	older := strings.Replace(answer, `"input_tokens":10`, `"input_tokens":99`, 1)
	tests := []struct {
		name string
		tail []byte
		want int64
		ok   bool
	}{
		{"nothing", nil, 0, false},
		{"no answer", lines(enqueue(stop)), 0, false},
		{"one answer", lines(answer), 43210, true},
		{"without a last newline", []byte(answer), 43210, true},
		{"two answers", lines(older, answer, enqueue("x")), 43210, true},
		{"the newest is cut", []byte(older + "\n" + answer[:len(answer)-9]), 43299, true},
		{"the newest is a subagent's", lines(answer, strings.Replace(older, `"isSidechain":false`, `"isSidechain":true`, 1)), 43210, true},
		{"the newest counts nothing", lines(answer, `{"type":"assistant","message":{"usage":{"input_tokens":0}}}`), 43210, true},
		{"some counts are missing", lines(`{"type":"assistant","message":{"usage":{"input_tokens":7}}}`), 7, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := transcript.Usage(tt.tail); got.Tokens != tt.want || ok != tt.ok {
				t.Errorf("Usage = %+v, %v; want %d, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestWaitingIsWhatAQueueOfCommandsHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tail, want []string
		for i := range rapid.IntRange(0, 100).Draw(t, "operations") {
			command := fmt.Sprintf("/c%d", i)
			switch op := rapid.IntRange(0, 3).Draw(t, "operation"); {
			case op < 2:
				tail, want = append(tail, enqueue(command)), append(want, command)
			case op == 2:
				tail = append(tail, dequeue())
				want = want[min(1, len(want)):]
			case len(want) > 0:
				at := rapid.IntRange(0, len(want)-1).Draw(t, "removed")
				tail = append(tail, remove(want[at]))
				want = append(want[:at:at], want[at+1:]...)
			}
		}
		got := texts(transcript.Waiting(lines(tail...)))
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("Waiting = %q, want %q", got, want)
		}
	})
}

func FuzzWaiting(f *testing.F) {
	f.Add(lines(enqueue(stop), enqueue("text"), dequeue(), answer))
	f.Add(lines(enqueue(note), enqueue(status), remove(note)))
	for _, broken := range brokenLines() {
		if len(broken) < 1000 {
			f.Add([]byte(broken + "\r\n" + enqueue(stop)))
		}
	}
	f.Fuzz(func(t *testing.T, tail []byte) {
		got := texts(transcript.Waiting(tail))
		for _, command := range got {
			if command == "" || strings.HasPrefix(command, "<task-notification>") {
				t.Errorf("Waiting returned %q", command)
			}
		}
		if fill, ok := transcript.Usage(tail); ok != (fill.Tokens > 0) {
			t.Errorf("Usage = %+v, %v", fill, ok)
		}
		// A line of another kind, whole or cut, changes nothing.
		more := append([]byte("ype\":\"user\"}\n"), tail...)
		more = append(more, "\n{\"type\":\"user\"}\n{\"type\":"...)
		if diff := cmp.Diff(got, texts(transcript.Waiting(more))); diff != "" {
			t.Errorf("Waiting with other lines around (-without +with):\n%s", diff)
		}
	})
}

func texts(commands []transcript.Entry) []string {
	var out []string
	for _, c := range commands {
		out = append(out, c.Text)
	}
	return out
}

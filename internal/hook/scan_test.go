package hook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"omc-hook/internal/hook"
)

// openPipe hands out its chunks and then fails the test: a client that leaves
// its end open would block there.
type openPipe struct {
	t      *testing.T
	chunks []string
}

func (p *openPipe) Read(buf []byte) (int, error) {
	if len(p.chunks) == 0 {
		p.t.Fatal("read on after the whole event had arrived")
	}
	n := copy(buf, p.chunks[0])
	p.chunks = p.chunks[1:]
	return n, nil
}

func TestReadReturnsWithoutTheEndOfInput(t *testing.T) {
	tests := []struct {
		name   string
		chunks []string
		want   string
	}{
		{"one chunk", []string{`{"a":1}`}, `{"a":1}`},
		{"white space behind it", []string{"{\"a\":1}\r\n \t"}, `{"a":1}`},
		{"white space before it", []string{" \n", `{"a":1}`}, " \n" + `{"a":1}`},
		{"cut inside an escape", []string{`{"a":"\`, `"}`, `"}`}, `{"a":"\"}"}`},
		{"brackets in strings", []string{`{"a":"}]{[",`, `"b":[{}]`, `}`}, `{"a":"}]{[","b":[{}]}`},
		{"byte order mark in two pieces", []string{"\xef\xbb", "\xbf{}"}, "\xef\xbb\xbf{}"},
		{"an empty read in between", []string{`{`, ``, `}`}, `{}`},
		{"what comes after the chunk is not waited for", []string{`{}`, `garbage`}, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hook.Read(&openPipe{t, tt.chunks})
			if err != nil {
				t.Fatalf("Read: %v", err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("Read (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefusesWhatIsNotOneObject(t *testing.T) {
	deep := strings.Repeat("[", 10_000_000)
	tests := []struct {
		name  string
		input string
		want  error
	}{
		{"nothing", "", io.EOF},
		{"white space only", " \n\t", io.EOF},
		{"half an object", `{"a":`, io.ErrUnexpectedEOF},
		{"string without an end", `{"a":"x`, io.ErrUnexpectedEOF},
		{"an array", `[{}]`, hook.ErrNotObject},
		{"a number", `7`, hook.ErrNotObject},
		{"null", `null`, hook.ErrNotObject},
		{"plain text", `hello`, hook.ErrNotObject},
		{"UTF-16", "\xff\xfe{\x00}\x00", hook.ErrNotObject},
		{"two objects", `{}{}`, hook.ErrTrailing},
		{"NUL behind the object", "{}\x00", hook.ErrTrailing},
		{"ten million levels", `{"a":` + deep, hook.ErrTooDeep},
		{"ten million levels in front", deep, hook.ErrNotObject},
		{"one level too deep", strings.Repeat(`{"a":`, hook.MaxDepth+1), hook.ErrTooDeep},
		{"one byte too large", `{"a":"` + strings.Repeat("x", hook.MaxSize) + `"}`, hook.ErrTooLarge},
		{"white space without an end", strings.Repeat(" ", hook.MaxSize+1), hook.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hook.Read(strings.NewReader(tt.input))
			if !errors.Is(err, tt.want) || got != nil {
				t.Errorf("Read = %.20q, %v; want nil, %v", got, err, tt.want)
			}
		})
	}
}

func TestReadTakesTheLargestAndDeepestEvent(t *testing.T) {
	frame := len(`{"a":""}`)
	for name, input := range map[string]string{
		"largest": `{"a":"` + strings.Repeat("x", hook.MaxSize-frame) + `"}`,
		"deepest": strings.Repeat(`{"a":`, hook.MaxDepth-1) + `{}` + strings.Repeat(`}`, hook.MaxDepth-1),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := hook.Read(strings.NewReader(input))
			if err != nil || string(got) != input {
				t.Errorf("Read returned %d bytes, %v; want all %d", len(got), err, len(input))
			}
			if _, err := hook.Parse(got); err != nil {
				t.Errorf("Parse: %v", err)
			}
		})
	}
}

func TestReadRefusesBracketsThatDoNotMatch(t *testing.T) {
	if got, err := hook.Read(strings.NewReader(`{"a":[}`)); err == nil {
		t.Errorf("Read = %q, want an error", got)
	}
}

func TestReadKeepsTheErrorOfTheReader(t *testing.T) {
	broken := errors.New("broken pipe")
	if _, err := hook.Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("Read error = %v, want %v", err, broken)
	}
}

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

func TestReadLeavesAReaderThatNeverProgresses(t *testing.T) {
	if _, err := hook.Read(idleReader{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Read error = %v, want %v", err, io.ErrNoProgress)
	}
}

func TestCompleteTellsWholeFromHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "object"))
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(object)-1).Draw(t, "cut")
		if end, err := hook.Complete(object[:cut]); end != 0 || err != nil {
			t.Fatalf("Complete(%q) = %d, %v; want 0, nil", object[:cut], end, err)
		}
		tail := rapid.String().Draw(t, "tail")
		if end, err := hook.Complete(append(object, tail...)); end != len(object) || err != nil {
			t.Fatalf("Complete = %d, %v; want %d, nil", end, err, len(object))
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{}`, " {\"a\":\"\\\"}\"}\n", "\xef\xbb\xbf{}", `{"a":[}`, `[]`, `{}x`, `{"a"`, "{\x00}", `{"a":{"b":[1,2,{"c":"]"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		end, completeErr := hook.Complete(data)
		whole, err := hook.Read(bytes.NewReader(data))
		if err == nil && (completeErr != nil || !bytes.Equal(whole, data[:end])) {
			t.Fatalf("Read = %q, but Complete = %d, %v", whole, end, completeErr)
		}
		if completeErr != nil && err == nil {
			t.Fatalf("Read = %q, but Complete error %v", whole, completeErr)
		}
		// The size of the chunks changes nothing but what trailing bytes are seen.
		slow, slowErr := hook.Read(iotest.OneByteReader(bytes.NewReader(data)))
		if (end > 0) != (slowErr == nil) || slowErr == nil && !bytes.Equal(slow, data[:end]) {
			t.Fatalf("byte by byte Read = %q, %v; Complete = %d, %v", slow, slowErr, end, completeErr)
		}
	})
}

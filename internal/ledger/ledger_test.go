package ledger_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"omc-hook/internal/ledger"
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

const title = "# Worklog\n\nWords for people.\n"

// body is the body of the records in the tests; its text needs more than one
// byte a character.
type body struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// rendered makes a file of n records; parts are its records one by one.
func rendered(t rapid.TB, n int) (whole []byte, parts [][]byte) {
	t.Helper()
	var file ledger.File
	whole = []byte(title)
	for i := 1; i <= n; i++ {
		r, err := file.New("round", noon().Add(time.Duration(i)*time.Minute), body{i, "grün 🙂 <&> \u2028"})
		if err != nil {
			t.Fatal(err)
		}
		text, err := ledger.Render(r, fmt.Sprintf("Round %d", i), "- said: \U0001f642\n\n"+ledger.Quote("```json omc-hook\n{}\n```"))
		if err != nil {
			t.Fatal(err)
		}
		file.Records = append(file.Records, r)
		parts = append(parts, text)
		whole = append(whole, text...)
	}
	return whole, parts
}

func parse(t rapid.TB, data []byte) ledger.File {
	t.Helper()
	file, err := ledger.Parse(data)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, data)
	}
	return file
}

func seqs(file ledger.File) string {
	var list []string
	for _, r := range file.Records {
		list = append(list, fmt.Sprint(r.Seq))
	}
	return strings.Join(list, " ")
}

func join(parts ...[]byte) []byte { return append([]byte(title), bytes.Join(parts, nil)...) }

func TestParseReadsWhatRenderWrote(t *testing.T) {
	whole, _ := rendered(t, 3)
	file := parse(t, whole)
	if len(file.Faults) > 0 || file.Torn || file.Whole != len(whole) || seqs(file) != "1 2 3" {
		t.Fatalf("got %+v", file)
	}
	lines := strings.Split(string(whole), "\n")
	for i, r := range file.Records {
		var got body
		if err := json.Unmarshal(r.Body, &got); err != nil || got != (body{i + 1, "grün 🙂 <&> \u2028"}) || r.Kind != "round" || !r.At.Equal(noon().Add(time.Duration(i+1)*time.Minute)) {
			t.Errorf("record %d: got %+v %+v, error %v", i+1, r, got, err)
		}
		if lines[r.Line-1] != "```json omc-hook" {
			t.Errorf("record %d: line %d is %q", i+1, r.Line, lines[r.Line-1])
		}
	}
	if file.Records[0].Prev != "" || file.Records[1].Prev != file.Records[0].Digest() || file.Head() != file.Records[2].Digest() {
		t.Error("the records are not chained")
	}
	if empty := parse(t, []byte(title)); empty.Head() != "" || empty.Whole != 0 || empty.Torn {
		t.Errorf("a file without a record: got %+v", empty)
	}
}

func TestTheChainShowsEveryChange(t *testing.T) {
	whole, p := rendered(t, 4)
	other, q := rendered(t, 4)
	if !bytes.Equal(whole, other) {
		t.Fatal("two equal files differ")
	}
	head := parse(t, whole).Head()
	changed := bytes.Replace(p[1], []byte(`"n":2`), []byte(`"n":9`), 1)
	tests := []struct {
		name, want string
		data       []byte
		line       int
	}{
		{"a changed record", "record 2 was changed after it was written", join(p[0], changed, p[2], p[3]), 2},
		{"a changed time", "record 2 was changed", join(p[0], bytes.Replace(p[1], []byte("12:02:00Z"), []byte("12:03:00Z"), 1), p[2], p[3]), 2},
		{"a changed kind", "record 2 was changed", join(p[0], bytes.Replace(p[1], []byte(`"round"`), []byte(`"other"`), 1), p[2], p[3]), 2},
		{"a removed record", "record 3 follows record 1", join(p[0], p[2], p[3]), 1},
		{"the first one removed", "record 2 follows record 0", join(p[1], p[2], p[3]), 0},
		{"a record twice", "record 2 follows record 2", join(p[0], p[1], q[1], p[2], p[3]), 2},
		{"two records in another order", "record 3 follows record 1", join(p[0], p[2], p[1], p[3]), 1},
		{"a block that is no record", "lacks its number", join(p[0], []byte("```json omc-hook\n{\"seq\":0}\n```\n"), p[1]), 1},
		{"a number beyond all", "lacks its number", join(p[0], []byte("```json omc-hook\n{\"seq\":9223372036854775807,\"kind\":\"x\",\"at\":\"2026-03-01T12:00:00Z\",\"body\":{}}\n```\n"), p[1]), 1},
		{"a field of nobody's", "not a record", join(p[0], bytes.Replace(p[1], []byte(`{"seq"`), []byte(`{"x":1,"seq"`), 1), p[2]), 1},
		{"a block cut off in the middle of the file", "cannot be read", join(p[0], p[1][:len(p[1])-40], []byte("\n```\n"), p[2]), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := parse(t, tt.data)
			if len(file.Faults) == 0 || !strings.Contains(file.Faults[0].What, tt.want) || file.Faults[0].Repair == "" || file.Torn {
				t.Fatalf("got faults %v, torn %v; want %q", file.Faults, file.Torn, tt.want)
			}
			if line := strings.Split(string(tt.data), "\n")[file.Faults[0].Line-1]; line != "```json omc-hook" {
				t.Errorf("the fault is at line %q", line)
			}
			if len(file.Records) < 2 {
				t.Errorf("the fault hides records: %s", seqs(file))
			}
		})
	}
	for name, data := range map[string][]byte{
		"a cut tail": join(p[0], p[1], p[2]), "a changed last record": join(p[0], p[1], p[2], bytes.Replace(p[3], []byte(`"n":4`), []byte(`"n":9`), 1)),
	} {
		if file := parse(t, data); len(file.Faults) > 0 || file.Head() == head {
			t.Errorf("%s: faults %v; the head shows it: %v", name, file.Faults, file.Head() != head)
		}
	}
}

func TestAFormatterChangesNothing(t *testing.T) {
	whole, _ := rendered(t, 3)
	want := parse(t, whole)
	formatted := map[string]func(block string) string{
		"indented": func(block string) string {
			var out bytes.Buffer
			if err := json.Indent(&out, []byte(block), "", "    "); err != nil {
				t.Fatal(err)
			}
			return "\n" + out.String() + "\n"
		},
		"with space before each line": func(block string) string { return "   " + block + "  " },
		"with CRLF":                   func(block string) string { return block + "\r" },
	}
	for name, format := range formatted {
		t.Run(name, func(t *testing.T) {
			lines := strings.Split(string(whole), "\n")
			for i, line := range lines {
				if strings.HasPrefix(line, `{"seq"`) {
					lines[i] = format(line)
				}
			}
			file := parse(t, []byte(strings.Join(lines, "\n")))
			if len(file.Faults) > 0 || file.Head() != want.Head() || seqs(file) != "1 2 3" {
				t.Errorf("got records %s, faults %v", seqs(file), file.Faults)
			}
		})
	}
	crlf := parse(t, bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")))
	if len(crlf.Faults) > 0 || crlf.Head() != want.Head() || crlf.Torn {
		t.Errorf("a file with CRLF: got records %s, torn %v, faults %v", seqs(crlf), crlf.Torn, crlf.Faults)
	}
}

func TestAFileThatCannotBeTextIsRefused(t *testing.T) {
	whole, _ := rendered(t, 2)
	middle := func(insert string) []byte {
		return append(append([]byte(title), insert...), whole[len(title):]...)
	}
	for name, data := range map[string][]byte{
		"NUL bytes in the middle": middle("\x00"), "bytes that are not UTF-8": middle("\xff"), "half a character in the middle": middle("\xf0\x9f"),
		"only NUL bytes and no record": make([]byte, 64) /* nothing before them */, "half a character and no record": []byte(title + "\xf0\x9f"),
		"more than can be read": bytes.Repeat([]byte("x"), ledger.MaxBytes+1),
	} {
		if file, err := ledger.Parse(data); err == nil {
			t.Errorf("%s: got %d records", name, len(file.Records))
		}
	}
}

func TestQuotedTextNeverYieldsARecord(t *testing.T) {
	whole, parts := rendered(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"\n", "\r\n", "```", "````", "~~~", "```json omc-hook", "\n```json omc-hook\n", string(parts[0]), "## Round 2", "text", "\x00", "\xff",
		}))).Draw(t, "pieces")
		text := strings.Join(pieces, "")
		data := append(append(append([]byte(title), ledger.Quote(text)...), "\n"...), parts[0]...)
		file := parse(t, data)
		if seqs(file) != "1" || len(file.Faults) > 0 || file.Torn || file.Head() != parse(t, whole).Head() {
			t.Fatalf("got records %q, faults %v, torn %v from:\n%s", seqs(file), file.Faults, file.Torn, data)
		}
	})
	if got, want := ledger.Quote("a ```` b\n"), "`````text\na ```` b\n`````"; got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestOtherFencesAreNotRead(t *testing.T) {
	_, parts := rendered(t, 1)
	for name, text := range map[string]string{
		"a block of another language":  "```json\n{\"seq\":9}\n```\n",
		"our block in a longer fence":  "````\n```json omc-hook\n{}\n```\n````\n",
		"our block between tildes":     "~~~text\n```json omc-hook\n{}\n```\n~~~\n",
		"our name with something more": "```json omc-hook2\n{}\n```\n",
		"words within a line":          "see ```json omc-hook``` there\n",
	} {
		if file := parse(t, append([]byte(text), parts[0]...)); seqs(file) != "1" || len(file.Faults) > 0 {
			t.Errorf("%s: got records %q, faults %v", name, seqs(file), file.Faults)
		}
	}
}

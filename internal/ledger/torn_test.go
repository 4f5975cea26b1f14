package ledger_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"omc-hook/internal/ledger"
)

func TestAHalfLastRecordIsTornAtEveryByteOrWhole(t *testing.T) {
	whole, parts := rendered(t, 3)
	last := parts[2]
	before := len(whole) - len(last)
	want := parse(t, whole[:before])
	for n := range last {
		file, err := ledger.Parse(whole[:before+n])
		if err != nil {
			t.Fatalf("cut after %d bytes, %q: %v", n, last[:n], err)
		}
		text := bytes.TrimSpace(last[:n])
		switch {
		case n == len(last)-1: // only the final line break is missing
			if file.Torn || seqs(file) != "1 2 3" || len(file.Faults) > 0 {
				t.Errorf("without the last byte: got records %s, torn %v, faults %v", seqs(file), file.Torn, file.Faults)
			}
			continue
		case file.Torn != (len(text) > 0):
			t.Errorf("cut after %d bytes, %q: torn %v", n, last[:n], file.Torn)
		}
		if diff := cmp.Diff(want.Records, file.Records); diff != "" || file.Whole != before {
			t.Errorf("cut after %d bytes: whole %d, want %d, records (-want +got):\n%s", n, file.Whole, before, diff)
		}
		if len(file.Faults) > 1 || file.Torn && !strings.Contains(file.Faults[0].What, "cut off") {
			t.Errorf("cut after %d bytes: got faults %v", n, file.Faults)
		}
	}
}

// A crash of the machine can leave a block of the file unfilled.
func TestATailOfNULBytesIsTorn(t *testing.T) {
	whole, parts := rendered(t, 3)
	before := len(whole) - len(parts[2])
	for _, keep := range []int{0, 1, 10, 40} {
		data := append(append([]byte(nil), whole[:before+keep]...), make([]byte, 512)...)
		file := parse(t, data)
		if !file.Torn || file.Whole != before || seqs(file) != "1 2" {
			t.Errorf("after %d bytes: torn %v, whole %d, records %s", keep, file.Torn, file.Whole, seqs(file))
		}
	}
}

func TestWordsOfAPersonAfterTheLastRecordAreNotTorn(t *testing.T) {
	whole, _ := rendered(t, 2)
	for name, text := range map[string]string{
		"a line": "\nA note.\n", "a list": "- a\n- b", "another heading": "\n# Notes\n", "a block": "\n```sh\nls\n```\n", "blank lines": "\n\n\n",
	} {
		file := parse(t, append(append([]byte(nil), whole...), text...))
		if file.Torn || len(file.Faults) > 0 || file.Whole != len(whole) {
			t.Errorf("%s: torn %v, whole %d, faults %v", name, file.Torn, file.Whole, file.Faults)
		}
	}
}

func FuzzParse(f *testing.F) {
	whole, parts := rendered(f, 2)
	f.Add(whole)
	f.Add(whole[:len(whole)-30])
	f.Add(join(parts[1], parts[0]))
	f.Add([]byte("```json omc-hook\r\n{}\r\n```"))
	f.Add([]byte("~~~json omc-hook\n{\"seq\":1}\n~~~~"))
	f.Add([]byte("```json omc-hook\n\xf0\x9f\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ledger.Parse(data)
		if err != nil {
			return
		}
		if file.Whole < 0 || file.Whole > len(data) {
			t.Fatalf("whole is %d of %d", file.Whole, len(data))
		}
		again, err := ledger.Parse(data[:file.Whole])
		if err != nil || again.Torn || again.Whole != file.Whole {
			t.Fatalf("the whole part: torn %v, whole %d of %d, error %v", again.Torn, again.Whole, file.Whole, err)
		}
		if diff := cmp.Diff(file.Records, again.Records, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the whole part has other records (-all +whole):\n%s", diff)
		}
		next, err := again.New("x", noon(), struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := ledger.Render(next, "Next", "")
		if err != nil {
			t.Fatal(err)
		}
		kept := data[:file.Whole]
		if !file.Torn && len(file.Records) > 0 {
			kept = data
		}
		grown, err := ledger.Parse(append(append([]byte(nil), kept...), text...))
		if err != nil || len(grown.Records) != len(again.Records)+1 || len(grown.Faults) != len(again.Faults) {
			t.Fatalf("an appended record is not read: error %v, faults %v", err, grown.Faults)
		}
	})
}

package modestate_test

import (
	"testing"

	"omc-hook/internal/modestate"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		foreign, string(modestate.New(full())), "\xef\xbb\xbf" + foreign, `{}`, `{"iteration":0}`, `{"iteration":0,"active":true,"active":false}`,
		`{"\u0061ctive":true,"iteration":1}`, `{"x":{"iteration":9},"iteration":1}`, `{"iteration.x":1,"iteration":2}`, `[{"iteration":1}]`,
	} {
		f.Add([]byte(seed), int64(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, n int64) {
		if _, err := modestate.Parse(data); err != nil {
			return
		}
		n = max(n, -n) % 1_000_000
		if n < 0 {
			n = 0
		}
		changed, err := modestate.Apply(data, []modestate.Change{modestate.SetCount("iteration", n)})
		if err != nil {
			t.Fatalf("apply to %q: %v", data, err)
		}
		got, err := modestate.Parse(changed)
		if err != nil {
			t.Fatalf("%q became %q: %v", data, changed, err)
		}
		if got.Iteration != n {
			t.Errorf("%q became %q: got iteration %d, want %d", data, changed, got.Iteration, n)
		}
	})
}

func TestValidSessionIsAnAllowList(t *testing.T) {
	long := make([]byte, 256)
	for i := range long {
		long[i] = 'a'
	}
	for _, id := range []string{"S1", "0", "7f3e-4a_b", string(long)} {
		if !modestate.ValidSession(id) {
			t.Errorf("%q: got refused", id)
		}
	}
	for _, id := range []string{
		"", "-rf", "_a", ".", "..", "../x", "a/b", `a\b`, "/abs", `C:\x`, "a\x00b", "%2e", "S1 ", " S1", "S1\nS2", "aux.txt", "ａ", "é", string(long) + "a",
	} {
		if modestate.ValidSession(id) {
			t.Errorf("%q: got accepted", id)
		}
	}
}

package testcount

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// samples are what the runners printed, and what a person reads in it.
func samples() map[string]Counts {
	return map[string]Counts{
		"go-pass":           {"go test", Packages, 1, 0, 0},
		"go-cover":          {"go test", Packages, 1, 0, 0},
		"go-fail":           {"go test", Packages, 1, 1, 0},
		"go-verbose":        {"go test", Tests, 3, 1, 1},
		"go-json":           {"go test", Tests, 3, 1, 1},
		"go-none":           {"go test", Packages, 0, 0, 0},
		"go-json-none":      {"go test", Tests, 0, 0, 0},
		"go-run-nothing":    {"go test", Packages, 0, 0, 0},
		"pytest-pass":       {"pytest", Tests, 2, 0, 1},
		"pytest-quiet":      {"pytest", Tests, 2, 0, 1},
		"pytest-colour":     {"pytest", Tests, 2, 0, 1},
		"pytest-fail":       {"pytest", Tests, 2, 2, 2},
		"pytest-deselected": {"pytest", Tests, 0, 0, 3},
		"pytest-none":       {"pytest", Tests, 0, 0, 0},
		"unittest-pass":     {"unittest", Tests, 1, 0, 0},
		"unittest-fail":     {"unittest", Tests, 1, 2, 0},
		"unittest-none":     {"unittest", Tests, 0, 0, 0},
		"jest-pass":         {"jest", Tests, 3, 0, 1},
		"jest-colour":       {"jest", Tests, 3, 0, 1},
		"jest-fail":         {"jest", Tests, 2, 1, 1},
		"jest-skipped":      {"jest", Tests, 0, 0, 4},
		"jest-none":         {"jest", Tests, 0, 0, 0},
		"vitest-pass":       {"vitest", Tests, 2, 0, 1},
		"vitest-colour":     {"vitest", Tests, 2, 0, 1},
		"vitest-fail":       {"vitest", Tests, 1, 1, 1},
		"vitest-none":       {"vitest", Tests, 0, 0, 0},
		"mocha-pass":        {"mocha", Tests, 3, 0, 1},
		"mocha-fail":        {"mocha", Tests, 2, 1, 1},
		"mocha-none":        {"mocha", Tests, 0, 0, 0},
		"node-pass":         {"node:test", Tests, 2, 0, 1},
		"node-tap":          {"node:test", Tests, 2, 0, 1},
		"node-fail":         {"node:test", Tests, 1, 1, 1},
		"node-none":         {"node:test", Tests, 0, 0, 0},
		"cargo-pass":        {"cargo", Tests, 3, 0, 1},
		"cargo-fail":        {"cargo", Tests, 1, 1, 1},
		"cargo-none":        {"cargo", Tests, 0, 0, 0},
		"nextest-fail":      {"cargo", Tests, 2, 1, 1},
		"maven-fail":        {"maven", Tests, 2, 2, 1},
		"plain-pass":        {"plain", Tests, 7, 0, 0},
		"plain-fail":        {"plain", Tests, 3, 1, 2},
		"plain-none":        {"plain", Tests, 0, 0, 0},
		"playwright-fail":   {"plain", Tests, 4, 3, 0},
	}
}

func count(parts ...[]byte) (Counts, bool) {
	var c Counter
	for _, p := range parts {
		_, _ = c.Write(p)
	}
	return c.Counts()
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheSummariesOfRealRunnersAreRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) != len(samples())+1 {
		t.Errorf("got %d files for %d samples (%v)", len(files), len(samples()), err)
	}
	for name, want := range samples() {
		t.Run(name, func(t *testing.T) {
			got, ok := count(read(t, name))
			if diff := cmp.Diff(want, got); diff != "" || !ok {
				t.Errorf("known %v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestOutputWithoutASummaryHasNoCounts(t *testing.T) {
	long := strings.Repeat("x", 10<<20) + " 3 passed, 0 failed"
	for name, text := range map[string]string{
		"words about tests": string(read(t, "no-counts")), "nothing": "", "a bare number": "3\n", "numbers that are too long": "9999999999 passed, 0 failed\n",
		"a negative number": "-3 passed, 0 failed\n", "no end of tests": "3 total\n", "one long line": long, "a subtest": "    --- PASS: TestA/b (0.00s)\n",
		"a linter": "0 errors, 0 warnings\n", "TAP without a summary": "ok 1 - works\n", "a table": "| 3 passed | here\n", "escapes": "\x1b[31m\x1b]0;3 passed, 1 failed\x07\n",
	} {
		if got, ok := count([]byte(text)); ok {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestSeveralRunnersOfOneCommandAreSummed(t *testing.T) {
	got, ok := count(read(t, "jest-pass"), read(t, "vitest-fail"), read(t, "plain-pass"), read(t, "go-none"))
	if want := (Counts{"go test", Tests, 4, 1, 2}); got != want || !ok {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestHowTheOutputIsCutIntoPiecesDoesNotMatter(t *testing.T) {
	names := []string{}
	for name := range samples() {
		names = append(names, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "sample")
		data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "crlf") {
			data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
		}
		var parts [][]byte
		for len(data) > 0 {
			n := rapid.IntRange(1, len(data)).Draw(t, "n")
			parts, data = append(parts, data[:n]), data[n:]
		}
		if got, ok := count(parts...); got != samples()[name] || !ok {
			t.Fatalf("got %+v", got)
		}
	})
}

func TestCountsAreToldInWords(t *testing.T) {
	for want, c := range map[string]Counts{
		"3 tests passed":                      {Unit: Tests, Passed: 3},
		"0 packages passed, 1 failed":         {Unit: Packages, Failed: 1},
		"2 tests passed, 1 failed, 4 skipped": {Unit: Tests, Passed: 2, Failed: 1, Skipped: 4},
	} {
		if got := c.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzCounter(f *testing.F) {
	for name := range samples() {
		data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := count(data)
		if got.Passed < 0 || got.Failed < 0 || got.Skipped < 0 || ok != (got.Runner != "") {
			t.Errorf("%q: got %+v, known %v", data, got, ok)
		}
		if half := len(data) / 2; true {
			if again, _ := count(data[:half], data[half:]); again != got {
				t.Errorf("%q: in halves %+v, whole %+v", data, again, got)
			}
		}
	})
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/tools/demo/plugintest"
)

func TestASummaryHoldsMedianNinetyFifthPercentileAndMinimum(t *testing.T) {
	ms := func(list ...int) []sample {
		var out []sample
		for _, n := range list {
			d := time.Duration(n) * time.Millisecond
			out = append(out, sample{wall: d, cpu: 2 * d})
		}
		return out
	}
	tests := []struct {
		name    string
		samples []sample
		want    result
	}{
		{"no run is no result", nil, result{Name: "x"}},
		{"one run is all of them", ms(4), result{Name: "x", Runs: 1, Median: 4, P95: 4, Min: 4, CPU: 8}},
		{"the median of an even number lies between two", ms(1, 2, 9, 4), result{Name: "x", Runs: 4, Median: 3, P95: 9, Min: 1, CPU: 6}},
		{
			"the slowest of twenty is beyond the percentile",
			ms(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 500),
			result{Name: "x", Runs: 20, Median: 10.5, P95: 19, Min: 1, CPU: 21},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, summary("x", tt.samples)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestABudgetIsTheDifferenceToAnEmptyProgram(t *testing.T) {
	results := []result{
		{Name: emptyGo, Median: 2, Min: 1},
		{Name: aloneIdle, Median: 2.5, Min: 1.25},
		{Name: hookIdle, Median: 4.5, Min: 2},
		{Name: hookGoesOn, Median: 8, Min: 7},
	}
	var got []string
	for _, b := range budgets(results, 5_000_000) {
		got = append(got, b.verdict()+" "+b.Name)
	}
	want := []string{
		"ok " + aloneIdle + ", beside the empty program",
		"over " + hookIdle + ", beside the empty program",
		"ok " + hookGoesOn,
		"over stripped binary",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

func TestASlowMachineIsNamedAsSuch(t *testing.T) {
	if got := slowMachine([]result{{Name: emptyGo, Median: 2}}); got != "" {
		t.Errorf("slowMachine with 2 ms: got %q, want nothing", got)
	}
	if got := slowMachine([]result{{Name: emptyGo, Median: 8}}); !strings.Contains(got, "8.0 ms") {
		t.Errorf("slowMachine with 8 ms: got %q, want the 8.0 ms named", got)
	}
}

func TestTheTableOfStraceIsRead(t *testing.T) {
	const table = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.000608          67         9           futex
 40.00    0.000095          15         6         1 openat
------ ----------- ----------- --------- --------- ----------------
100.00    0.003791          15        15         1 total
`
	got := parseCalls("x", table)
	want := calls{Name: "x", Total: 15, ByCall: map[string]int{"futex": 9, "openat": 6}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if got, want := got.most(), "futex 9, openat 6"; got != want {
		t.Errorf("most: got %q, want %q", got, want)
	}
}

func TestThawPutsBackWhatARunChanged(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() map[string]string {
		t.Helper()
		f, err := freeze(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for path, data := range f.files {
			got[filepath.Base(path)] = string(data)
		}
		return got
	}
	write("kept", "1")
	write("changed", "2")
	write("removed", "3")
	before, err := freeze(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := read()
	write("changed", "more than 2")
	write("added", "4")
	if err := os.Remove(filepath.Join(dir, "removed")); err != nil {
		t.Fatal(err)
	}
	if err := before.thaw(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestOMCRegistersTheCommandThatIsMeasured(t *testing.T) {
	tests := []struct {
		name, hooks, want string
		wantErr           bool
	}{
		{"the one that holds its modes", `{"hooks":{"Stop":[{"hooks":[{"command":"node a.mjs"},{"command":"node persistent-mode.mjs"}]}]}}`, "node persistent-mode.mjs", false},
		{"none is an error", `{"hooks":{"Stop":[]}}`, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "hooks"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "hooks", "hooks.json"), []byte(tt.hooks), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := omcCommand(dir)
			if got != tt.want || (err != nil) != tt.wantErr {
				t.Errorf("omcCommand: got %q and %v, want %q and an error: %v", got, err, tt.want, tt.wantErr)
			}
		})
	}
}

func TestAMissOfAForeignSubjectFailsNothing(t *testing.T) {
	failing := subject{name: "x", runs: 2, accept: func([]byte) error { return errors.New("no answer") }}
	failing.command = func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "go", "version") }
	if _, err := measure(t.Context(), []subject{failing}); err == nil {
		t.Error("measure of our own: got no error")
	}
	failing.foreign = true
	got, err := measure(t.Context(), []subject{failing})
	if err != nil {
		t.Fatal(err)
	}
	want := []result{{Name: "x", Misses: 2 + warmUp}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// What it measures is held, never how fast it was.
func TestEachSubjectRunsAndDoesWhatIsMeasured(t *testing.T) {
	plugin := plugintest.Build(t)
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, t.TempDir())
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-n", "1", "-omc-runs", "0", "-json", "-plugin", plugin}, &out); err != nil {
		t.Fatalf("bench: %v\n%s", err, out.String())
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range got.Results {
		names = append(names, r.Name)
		if r.Runs != 1 || r.Median <= 0 {
			t.Errorf("%s: got %d runs with a median of %v ms, want 1 with more than 0", r.Name, r.Runs, r.Median)
		}
	}
	want := []string{emptyGo, aloneIdle, hookIdle, aloneGoesOn, hookGoesOn, recordsRound}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("subjects (-want +got):\n%s", diff)
	}
	var table bytes.Buffer
	if err := got.print(&table); err != nil {
		t.Fatal(err)
	}
	for _, name := range want {
		if !strings.Contains(table.String(), name) {
			t.Errorf("the table lacks %q:\n%s", name, table.String())
		}
	}
}

// Command bench measures what a Stop costs: the wall time of whole processes, as
// a client waits for them, in interleaved runs beside an empty Go program and
// beside the Stop hook of oh-my-claudecode.
//
//	go run ./internal/tools/bench [-n 200] [-json] [-plugin DIR] [-omc-runs 20]
//
// It prints medians, 95th percentiles and minima, and each budget with "ok" or
// "over". Speed is no test: it ends with 1 only when something did not run, or
// did not do what is being measured. The binary is the one that make build left.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// report is what the bench found.
type report struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
	// Results stand in the order of the table; Notes say what was left out.
	Results []result `json:"results"`
	Budgets []budget `json:"budgets"`
	Calls   []calls  `json:"system_calls"`
	Notes   []string `json:"notes"`
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	runs := flags.Int("n", 200, "measure each subject `N` times")
	dir := flags.String("plugin", ".", "measure the plugin in `DIR`")
	asJSON := flags.Bool("json", false, "print one JSON document")
	omcRuns := flags.Int("omc-runs", 20, "measure oh-my-claudecode `N` times, 0 to leave it out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *runs < 1 {
		return fmt.Errorf("-n wants a number from 1, not %d", *runs)
	}
	r := report{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version(), Notes: []string{}}
	if err := r.take(ctx, *dir, *runs, *omcRuns); err != nil {
		return err
	}
	if *asJSON {
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	return r.print(stdout)
}

// take sets the subjects up in a directory of its own and measures them.
func (r *report) take(ctx context.Context, plugin string, runs, omcRuns int) error {
	scratch, err := os.MkdirTemp("", "omc-hook bench ")
	if err != nil {
		return fmt.Errorf("make a scratch directory: %w", err)
	}
	defer os.RemoveAll(scratch)
	b, err := newBench(scratch, plugin)
	if err != nil {
		return err
	}
	subjects, err := b.subjects(ctx, runs)
	if err != nil {
		return err
	}
	others, note, err := b.omcSubjects(ctx, omcRuns)
	if err != nil {
		return err
	}
	r.note(note)
	times, err := measure(ctx, append(subjects, others...))
	if err != nil {
		return err
	}
	r.Results = times
	info, err := os.Stat(b.binary)
	if err != nil {
		return fmt.Errorf("measure the binary: %w", err)
	}
	r.Budgets = budgets(times, info.Size())
	r.Calls, note = countCalls(ctx, scratch, subjects)
	r.note(note)
	r.note(slowMachine(times))
	return nil
}

// note keeps a note, if it says anything.
func (r *report) note(text string) {
	if text != "" {
		r.Notes = append(r.Notes, text)
	}
}

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// budget is a limit that a person would notice, with what was measured.
type budget struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Got   float64 `json:"got"`
	Limit float64 `json:"limit"`
	// Best is the same of the minima, which a busy machine moves least.
	Best float64 `json:"best"`
	OK   bool    `json:"ok"`
}

// The budgets: milliseconds beside an empty program, milliseconds, megabytes.
const (
	maxAlone     = 0.6
	maxHook      = 2.0
	maxGoesOn    = 8.0
	maxMegabytes = 4.5
)

// budgets compares medians with the limits.
func budgets(results []result, size int64) []budget {
	by := map[string]result{}
	for _, r := range results {
		by[r.Name] = r
	}
	base := by[emptyGo]
	over := func(name string, limit float64) budget {
		r := by[name]
		return budget{Name: name + ", beside the empty program", Unit: "ms", Got: r.Median - base.Median, Best: r.Min - base.Min, Limit: limit}
	}
	megabytes := float64(size) / 1e6
	list := []budget{
		over(aloneIdle, maxAlone),
		over(hookIdle, maxHook),
		{Name: hookGoesOn, Unit: "ms", Got: by[hookGoesOn].Median, Best: by[hookGoesOn].Min, Limit: maxGoesOn},
		{Name: "stripped binary", Unit: "MB", Got: megabytes, Best: megabytes, Limit: maxMegabytes},
	}
	for i := range list {
		list[i].OK = list[i].Got <= list[i].Limit
	}
	return list
}

// calm is the most that an empty program takes, in milliseconds, where the
// budgets were set: it took 2 there.
const calm = 3.0

// slowMachine is a note where the budgets say more of the machine than of the
// plugin, "" elsewhere.
func slowMachine(results []result) string {
	for _, r := range results {
		if r.Name == emptyGo && r.Median > calm {
			return fmt.Sprintf("An empty program takes %.1f ms here and took 2 where the budgets were set: read the differences as multiples of it.", r.Median)
		}
	}
	return ""
}

func (b budget) verdict() string {
	if b.OK {
		return "ok"
	}
	return "over"
}

// print writes the report for people.
func (r report) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "%s/%s, %d CPUs, %s; whole processes in turns, milliseconds\n\n", r.OS, r.Arch, r.CPUs, r.Go)
	fmt.Fprint(table, "median\tp95\tmin\tcpu\truns\t \n")
	for _, t := range r.Results {
		fmt.Fprintf(table, "%.2f\t%.2f\t%.2f\t%.2f\t%d\t  %s\n", t.Median, t.P95, t.Min, t.CPU, t.Runs, t.Name)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, t := range r.Results {
		if t.Misses > 0 {
			fmt.Fprintf(out, "%s: %d runs more gave no answer, or another one\n", t.Name, t.Misses)
		}
	}
	fmt.Fprint(out, "\nbudgets (median; of the minima)\n")
	for _, b := range r.Budgets {
		fmt.Fprintf(out, "  %-4s %6.2f of at most %.2f %s (%.2f)  %s\n", b.verdict(), b.Got, b.Limit, b.Unit, b.Best, b.Name)
	}
	if len(r.Calls) > 0 {
		fmt.Fprint(out, "\nsystem calls\n")
	}
	for _, c := range r.Calls {
		fmt.Fprintf(out, "  %4d  %s: %s\n", c.Total, c.Name, c.most())
	}
	if len(r.Notes) > 0 {
		fmt.Fprintf(out, "\n%s\n", strings.Join(r.Notes, "\n"))
	}
	return nil
}

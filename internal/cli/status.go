package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/plain"
	"omc-hook/internal/state"
)

// statusCommand is `omc-hook status`: the session's, or every session's with a
// loop where no session is known.
func statusCommand(c *call) error {
	store, loc, err := c.locate()
	if err != nil {
		return err
	}
	reports, err := c.reports(store, loc)
	if err != nil {
		return err
	}
	continues := false
	for _, r := range reports {
		continues = continues || r.Continues
	}
	if c.json() {
		if err := c.writeReports(reports, loc); err != nil {
			return err
		}
	} else {
		c.printReports(reports, loc)
	}
	if !continues {
		return statusError(statusNotContinuing)
	}
	return nil
}

func (c *call) reports(store state.Store, loc state.Location) ([]report, error) {
	if loc.Session != "" {
		r, err := buildReport(c.Env, store, loc)
		return []report{r}, err
	}
	sessions, err := store.Sessions(loc)
	if err != nil {
		return nil, err
	}
	var list []report
	for _, id := range sessions {
		r, err := buildReport(c.Env, store, at(loc, id))
		if err != nil {
			return nil, err
		}
		if len(r.Modes) > 0 {
			list = append(list, r)
		}
	}
	return list, nil
}

func (c *call) writeReports(reports []report, loc state.Location) error {
	if loc.Session != "" {
		return c.writeJSON(reports[0])
	}
	return c.writeJSON(struct {
		Root     string   `json:"root"`
		Sessions []report `json:"sessions"`
	}{loc.Root, append([]report{}, reports...)})
}

func (c *call) printReports(reports []report, loc state.Location) {
	for i, r := range reports {
		if i > 0 {
			fmt.Fprintln(c.Stdout)
		}
		fmt.Fprint(c.Stdout, r.text())
	}
	if len(reports) == 0 {
		fmt.Fprintf(c.Stdout, "does not continue: no session of %s has a loop\n", loc.Root)
		fmt.Fprintln(c.Stdout, "  start one     in Claude Code: /goal-loop and the goal")
	}
}

// whyCommand is `omc-hook why`: the session's last decisions, newest first.
func whyCommand(c *call) error {
	most := 5
	if c.has("last") {
		var err error
		if most, err = strconv.Atoi(c.flags["last"]); err != nil || most < 1 || most > 1_000 {
			return fmt.Errorf("--last wants a number from 1 to 1000, not %q", oneLine(c.flags["last"]))
		}
	}
	store, loc, err := c.locate()
	if err != nil {
		return err
	}
	if loc.Session == "" {
		if loc, err = newestTrace(store, loc); err != nil {
			return err
		}
	}
	list, err := readTrace(store, loc, most)
	if err != nil {
		return err
	}
	if c.json() {
		return c.writeJSON(append([]traced{}, list...))
	}
	if len(list) == 0 {
		return c.whyNothing(store, loc)
	}
	for _, t := range list {
		fmt.Fprint(c.Stdout, t.text(c.Now()))
	}
	return nil
}

// newestTrace is the session of the repository whose last decision is the newest.
func newestTrace(store state.Store, loc state.Location) (state.Location, error) {
	sessions, err := store.Sessions(loc)
	if err != nil {
		return loc, err
	}
	var newest time.Time
	found := loc
	for _, id := range sessions {
		own := at(loc, id)
		if last, err := lastStop(store, own); err == nil && last != nil && last.At.After(newest) {
			newest, found = last.At, own
		}
	}
	if found.Session == "" {
		return loc, hinted{fmt.Errorf("no stop of a session of %s was decided by a loop", loc.Root), "omc-hook status says what would happen now"}
	}
	return found, nil
}

// whyNothing explains a session without a single decision.
func (c *call) whyNothing(store state.Store, loc state.Location) error {
	r, err := buildReport(c.Env, store, loc)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "no stop of session %s was decided by a loop\n%s", loc.Session, r.text())
	return nil
}

// text is one decision for people.
func (t traced) text(now time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s  %s by rule %s (%s)\n", t.At.UTC().Format(time.RFC3339), t.Action, t.Rule, ago(t.At, now))
	when, then := meaning(t.Rule)
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&out, "  %-8s %s\n", label, plain.Line(text, maxLine))
		}
	}
	line("rule", when+": "+then)
	line("saw", t.Detail)
	line("inputs", fmt.Sprintf("round %d of %d, %d of %d stops of the lease, %d continuations, stop_hook_active %v, client cap %d, %s, message of %d bytes",
		t.Inputs.Rounds+1, t.Inputs.Planned, t.Inputs.Iteration, t.Inputs.Lease, t.Inputs.Continuations, t.Inputs.StopHookActive,
		t.Inputs.ClientCap, count(t.Inputs.Tasks, "background task"), t.Inputs.MessageBytes))
	line("remedy", t.Remedy)
	return out.String()
}

// meaning is what a rule of the trace says.
func meaning(rule string) (when, then string) {
	if rule == decide.NotDurable {
		return "the count could not be put on disk", "let go, with a note"
	}
	for _, r := range decide.Rules() {
		if r.ID == rule {
			return r.When, r.Then
		}
	}
	return "a rule of another build", "see its own documentation"
}

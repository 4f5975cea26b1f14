package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/loop"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/plain"
)

// shown is everything about a run that the model or a person may want to read.
type shown struct {
	Goal     string          `json:"goal"`
	Segment  int64           `json:"segment"`
	Owner    goal.Owner      `json:"owner"`
	Limits   goal.Limits     `json:"limits"`
	Counters goal.Counters   `json:"counters"`
	Outcome  loop.Outcome    `json:"outcome"`
	Next     string          `json:"next_action"`
	Changed  []string        `json:"changed"`
	Last     *goal.Iteration `json:"last_round"`
	Faults   []ledger.Fault  `json:"faults"`
	Folder   string          `json:"folder"`
	Open     []string        `json:"open_questions,omitempty"`
	Untold   []string        `json:"uncommunicated_asks,omitempty"`
	// Verify is what omc-hook runs, and Verified what became of it.
	Verify   []string           `json:"approved_commands,omitempty"`
	Verified *goal.Verification `json:"verification,omitempty"`
}

// goalShow prints a run from its files, without a lock. With --lint it lists
// what is wrong in them.
func goalShow(c *call) error {
	files, err := c.openForReading()
	if err != nil {
		return err
	}
	s := shown{
		Goal: files.run.Goal, Segment: files.run.Segment, Owner: files.run.Owner, Limits: files.run.Limits, Counters: files.run.Counters,
		Outcome: files.run.Outcome, Next: files.run.Next, Changed: append([]string{}, files.run.Changed...), Last: files.run.Last,
		Faults: append(append([]ledger.Fault{}, files.faults...), files.beside.faults()...), Folder: files.folder.Path,
		Open: files.beside.questions.OpenIDs(), Untold: files.beside.asks.UncommunicatedIDs(),
		Verify: files.run.Verify.Commands, Verified: files.run.Verify.Last,
	}
	switch {
	case c.json():
		if err := c.writeJSON(s); err != nil {
			return err
		}
	case c.has("lint"):
		c.printFaults(s)
	default:
		c.printRun(s)
	}
	if c.has("lint") && len(s.Faults) > 0 {
		return statusError(statusFault)
	}
	return nil
}

// openForReading finds the files of --state-dir, else of the session's loop,
// else of the default directory.
func (c *call) openForReading() (*goalFiles, error) {
	store, loc, err := c.locate()
	if err != nil {
		return nil, err
	}
	var own target
	dir := c.flags["state-dir"]
	if dir == "" {
		dir = goal.DefaultStateDir
		if t, err := c.find(); err == nil && t.mode == goal.Mode {
			own, dir, loc = t, t.view.StateDir, t.loc
		}
	}
	folder, err := openFolder(store, loc.Root, dir)
	if err != nil {
		return nil, err
	}
	files, err := readGoal(folder)
	switch {
	case err != nil:
		return nil, err
	case !files.exists:
		return nil, hinted{errors.New("no run in " + folder.Path), "name another directory with --state-dir=PATH"}
	case files.run.Owner.RunID == own.view.RunID:
		files.checkAgainst(own.view.Ledger)
	}
	return files, nil
}

// checkAgainst adds the fault that only the mode state shows: a record that was
// cut off, or a last one that was changed, breaks no chain.
func (f *goalFiles) checkAgainst(known modestate.Ledger) {
	if len(f.faults) > 0 {
		return
	}
	what := f.broken(known.Records, known.Head)
	if what == "" {
		return
	}
	line := 1
	if n := min(len(f.worklog.Records), int(known.Records)); n > 0 {
		line = f.worklog.Records[n-1].Line
	}
	f.faults = append(f.faults, ledger.Fault{Line: line, What: what, Repair: "restore " + goal.WorklogFile + " as it was"})
}

func (c *call) printFaults(s shown) {
	for _, f := range s.Faults {
		fmt.Fprintln(c.Stdout, oneLine(f.String()))
	}
	if len(s.Faults) == 0 {
		fmt.Fprintf(c.Stdout, "no fault in %s\n", s.Folder)
	}
}

func (c *call) printRun(s shown) {
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(c.Stdout, "%-12s %s\n", label, oneLine(text))
		}
	}
	line("goal", plain.Line(s.Goal, 400))
	line("run", fmt.Sprintf("%s, segment %d, session %s", s.Owner.RunID, s.Segment, s.Owner.SessionID))
	line("rounds", fmt.Sprintf("%d of %d %s", s.Counters.Iteration, s.Limits.MaxIterations, bar(s.Counters.Iteration, s.Limits.MaxIterations)))
	line("counters", fmt.Sprintf("without progress %d of %d, failures %d of %d",
		s.Counters.NoProgress, s.Limits.NoProgress, s.Counters.Failures, s.Limits.Failures))
	line("outcome", string(s.Outcome))
	line("next", s.Next)
	if s.Last != nil {
		line("last round", s.Last.Entry.Planned)
		line("remaining", s.Last.Entry.Remaining)
	}
	line("questions", strings.Join(s.Open, ", "))
	line("not told", strings.Join(s.Untold, ", "))
	for _, command := range s.Verify {
		fmt.Fprintf(c.Stdout, "%-12s %s\n", "approved", plain.Text(command))
	}
	if s.Verified != nil {
		line("verified", orText(s.Verified.Fault(), "all passed")+", "+s.Verified.At.UTC().Format(time.RFC3339))
	}
	if n := len(s.Faults); n > 0 {
		line("faults", fmt.Sprintf("%s in the records; omc-hook goal show --lint lists them", count(n, "fault")))
	}
	line("folder", s.Folder)
	line("record", "omc-hook goal record --template explains each field of a round")
}

package cli

import (
	"fmt"
	"time"

	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
)

// past is one loop of the repository, ended or not.
type past struct {
	Mode      string    `json:"mode"`
	Run       string    `json:"run"`
	Session   string    `json:"session"`
	StartedAt time.Time `json:"started_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Outcome   string    `json:"outcome"`
	Rounds    int64     `json:"rounds"`
	Planned   int64     `json:"planned"`
	Goal      string    `json:"goal"`
	File      string    `json:"file"`
}

// historyCommand is `omc-hook history`: the loops of this repository, those that
// run and those in the archive, newest first.
func historyCommand(c *call) error {
	store, loc, err := c.locate()
	if err != nil {
		return err
	}
	active, err := repositoryLoops(store, loc)
	if err != nil {
		return err
	}
	var list []past
	for _, t := range active {
		list = append(list, pastOf(t.view, t.file(), t.mode))
	}
	archived, err := store.ListArchive(loc)
	if err != nil {
		return err
	}
	for i := len(archived) - 1; i >= 0; i-- {
		a := archived[i]
		s, err := modestate.Parse(a.Data)
		p := pastOf(loop.NewView(s, 0), a.Path, a.Mode)
		if err != nil {
			p.Outcome, p.Session, p.UpdatedAt = "unreadable", a.Session, a.At
		}
		list = append(list, p)
	}
	if c.json() {
		return c.writeJSON(append([]past{}, list...))
	}
	for _, p := range list {
		fmt.Fprintf(c.Stdout, "%s  %-10s %-9s round %d of %d  session %s  %s\n", p.UpdatedAt.UTC().Format(time.RFC3339),
			oneLine(p.Mode), oneLine(p.Outcome), p.Rounds, p.Planned, oneLine(p.Session), oneLine(p.Goal))
	}
	if len(list) == 0 {
		fmt.Fprintf(c.Stdout, "no loop has run in %s\n", loc.Root)
	}
	return nil
}

func pastOf(v loop.View, file, mode string) past {
	outcome := v.Outcome
	switch {
	case outcome != "":
	case v.Paused.Cause != "":
		outcome = "paused"
	case v.Active:
		outcome = "active"
	default:
		outcome = "inactive"
	}
	return past{
		Mode: mode, Run: v.RunID, Session: v.SessionID, StartedAt: v.StartedAt, UpdatedAt: v.UpdatedAt, Outcome: outcome,
		Rounds: v.Rounds, Planned: v.Planned, Goal: v.Prompt, File: file,
	}
}

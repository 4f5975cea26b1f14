package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"omc-hook/internal/decide"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
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
	list, err := presentLoops(store, loc)
	if err != nil {
		return err
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
		fmt.Fprintf(c.Stdout, "%s  %-10s %-9s %d of %d rounds  session %s  %s\n", p.UpdatedAt.UTC().Format(time.RFC3339),
			oneLine(p.Mode), oneLine(p.Outcome), p.Rounds, p.Planned, oneLine(p.Session), oneLine(p.Goal))
	}
	if len(list) == 0 {
		fmt.Fprintf(c.Stdout, "no loop has run in %s\n", loc.Root)
	}
	return nil
}

// presentLoops lists the loops whose state still lies in its session's directory:
// those that run, and those that have ended and whose session had no Stop since.
func presentLoops(store state.Store, loc state.Location) ([]past, error) {
	sessions, err := store.Sessions(loc)
	if err != nil {
		return nil, err
	}
	var list []past
	for _, id := range sessions {
		own := at(loc, id)
		snapshot := store.Read(own, decide.StateFiles())
		for _, mode := range decide.Modes() {
			if _, there := snapshot[decide.StateFile(mode)]; !there {
				continue
			}
			v, fault := readMode(snapshot, mode)
			p := pastOf(v, filepath.Join(own.Dir, decide.StateFile(mode)), mode)
			if fault != "" {
				p.Outcome, p.Session, p.Goal = "unreadable", id, fault
			}
			if by := adopterOf(v); by != "" {
				p.Outcome = "adopted"
			}
			list = append(list, p)
		}
	}
	return list, nil
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

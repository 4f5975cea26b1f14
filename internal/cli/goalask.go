package cli

import (
	"fmt"
	"strings"
	"time"

	"omc-hook/internal/loop/goal"
)

// askAdd records a request from outside the loop.
func askAdd(c *call) error {
	return keepAsk(c, goal.AskTemplate(), goal.ParseAsk, func(a goal.Ask) goal.AskSignal { return goal.AddAsk{Ask: a} },
		func(files *goalFiles, a goal.Ask) (string, string) {
			for _, t := range files.beside.asks.List {
				if t.Ask == a {
					return t.ID, t.ID
				}
			}
			return "", "the ask"
		})
}

// askSatisfy records what satisfied an ask.
func askSatisfy(c *call) error {
	return keepAsk(c, goal.SatisfiedTemplate(), goal.ParseSatisfied, func(s goal.Satisfied) goal.AskSignal { return goal.Satisfy{Satisfied: s} },
		func(_ *goalFiles, s goal.Satisfied) (string, string) { return s.Ask, s.Ask + " is satisfied" })
}

// askDecline records that an ask is closed without being built.
func askDecline(c *call) error {
	return keepAsk(c, goal.DeclinedTemplate(), goal.ParseDeclined, func(d goal.Declined) goal.AskSignal { return goal.Decline{Declined: d} },
		func(_ *goalFiles, d goal.Declined) (string, string) { return d.Ask, d.Ask + " is declined" })
}

// askTold records who was told what became of an ask.
func askTold(c *call) error {
	return keepAsk(c, goal.ToldTemplate(), goal.ParseTold, func(t goal.Told) goal.AskSignal { return goal.Tell{Told: t} },
		func(_ *goalFiles, t goal.Told) (string, string) { return t.Ask, t.Ask + " is communicated" })
}

// keepAsk takes one form of the asks. named says, after it is on record, which
// ask it was and what became of it.
func keepAsk[T any](c *call, template string, parse func([]byte) (T, error), signal func(T) goal.AskSignal, named func(*goalFiles, T) (id, what string)) error {
	var body T
	return c.keepBeside(besideCommand{
		template: template,
		keep: func(data []byte, files *goalFiles, now time.Time) (besideFile, []goal.Draft, error) {
			var err error
			if body, err = parse(data); err != nil {
				return besideFile{}, nil, c.wantsTemplate(err)
			}
			_, drafts, err := goal.StepAsks(files.beside.asks, files.run, signal(body), now)
			return files.beside.asksFile, drafts, err
		},
		say: func(c *call, files *goalFiles, drafts []goal.Draft, _ time.Time) error {
			id, what := named(files, body)
			return c.sayAsks(files, drafts, id, what)
		},
	})
}

// asksSaid is the answer to a change of the asks.
type asksSaid struct {
	Run            string   `json:"run"`
	Segment        int64    `json:"segment"`
	ID             string   `json:"id"`
	Fresh          bool     `json:"recorded_now"`
	Uncommunicated []string `json:"uncommunicated"`
}

func (c *call) sayAsks(files *goalFiles, drafts []goal.Draft, id, what string) error {
	said := asksSaid{
		Run: files.run.Owner.RunID, Segment: files.run.Segment, ID: id, Fresh: len(drafts) > 0,
		Uncommunicated: append([]string{}, files.beside.asks.UncommunicatedIDs()...),
	}
	if c.json() {
		return c.writeJSON(said)
	}
	fmt.Fprintf(c.Stdout, "%s: %s\n", recordedWord(said.Fresh), oneLine(what))
	c.sayUncommunicated(said.Uncommunicated)
	return nil
}

// sayUncommunicated tells of asks whose end nobody was told.
func (c *call) sayUncommunicated(ids []string) {
	if len(ids) > 0 {
		fmt.Fprintf(c.Stdout, "not communicated, which bars SUCCESS: %s; omc-hook goal ask told --template\n", oneLine(strings.Join(ids, ", ")))
	}
}

// goalAsks lists the asks, without a lock.
func goalAsks(c *call) error {
	files, err := c.openForReading()
	if err != nil {
		return err
	}
	a := files.beside.asks
	if c.json() {
		return c.writeJSON(struct {
			Segment        int64          `json:"segment"`
			Asks           []goal.Tracked `json:"asks"`
			Uncommunicated []string       `json:"uncommunicated"`
			Faults         []string       `json:"faults"`
		}{files.run.Segment, append([]goal.Tracked{}, a.List...), append([]string{}, a.UncommunicatedIDs()...), files.beside.asksFile.faultLines()})
	}
	for _, t := range a.List {
		c.printAsk(t, c.Now())
	}
	fmt.Fprintf(c.Stdout, "%s\n", count(len(a.List), "ask"))
	c.sayUncommunicated(a.UncommunicatedIDs())
	c.sayFileFaults(files.beside.asksFile)
	return nil
}

func (c *call) printAsk(t goal.Tracked, now time.Time) {
	told := "told"
	switch {
	case t.Uncommunicated():
		told = "not communicated"
	case t.Status() == "open":
		told = ""
	}
	fmt.Fprintln(c.Stdout, strings.TrimSpace(fmt.Sprintf("%-4s %-9s segment %d, iteration %d, %s  %s", oneLine(t.ID), t.Status(), t.Segment, t.Iteration, ago(t.At, now), told)))
	c.detail("asked", t.Asked)
	c.detail("anchor", t.Anchor)
	c.detail("work", t.Work)
	if s := t.Satisfied; s != nil {
		c.detail("satisfied", fmt.Sprintf("%s; %s (direction %s)", s.By, s.Evidence, s.Direction))
		c.detail("other way", strings.Trim(s.Alternative+"; "+s.Changes, "; "))
	}
	if d := t.Declined; d != nil {
		c.detail("declined", strings.Trim(d.Why+"; "+d.SupersededBy, "; "))
	}
	for _, r := range t.Told {
		c.detail("told", fmt.Sprintf("%s by %s, %s: %s", r.To, r.Channel, r.Link, r.Observation))
	}
}

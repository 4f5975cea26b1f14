package cli

import (
	"fmt"
	"strings"
	"time"

	"omc-hook/internal/loop/goal"
	"omc-hook/internal/plain"
)

// questionAdd records a decision that only a person can make.
func questionAdd(c *call) error {
	var question goal.Question
	return c.keepBeside(besideCommand{
		template: goal.QuestionTemplate(),
		keep: func(data []byte, files *goalFiles, now time.Time) (besideFile, []goal.Draft, error) {
			var err error
			if question, err = goal.ParseQuestion(data); err != nil {
				return besideFile{}, nil, c.wantsTemplate(err)
			}
			return keepQuestions(files, goal.Park{Question: question}, now)
		},
		say: func(c *call, files *goalFiles, drafts []goal.Draft, now time.Time) error {
			for _, p := range files.beside.questions.Open() {
				if p.Question == question {
					return c.sayQuestions(files, drafts, now, p.ID, p.ID)
				}
			}
			return fmt.Errorf("the question is not in %s after it was appended", goal.QuestionsFile)
		},
	})
}

// questionResolve records what became of one question.
func questionResolve(c *call) error {
	var r goal.Resolution
	return c.keepBeside(besideCommand{
		template: goal.ResolutionTemplate(),
		keep: func(data []byte, files *goalFiles, now time.Time) (besideFile, []goal.Draft, error) {
			var err error
			if r, err = goal.ParseResolution(data); err != nil {
				return besideFile{}, nil, c.wantsTemplate(err)
			}
			return keepQuestions(files, goal.Resolve{Resolution: r}, now)
		},
		say: func(c *call, files *goalFiles, drafts []goal.Draft, now time.Time) error {
			what := "the resolution of " + r.Question
			for _, p := range files.beside.questions.Open() {
				if p.ID == r.Question {
					what += ", which stays open: its direction is gated"
				}
			}
			return c.sayQuestions(files, drafts, now, r.Question, what)
		},
	})
}

// questionPass records the resolution pass of the segment.
func questionPass(c *call) error {
	return c.keepBeside(besideCommand{
		template: goal.PassTemplate(),
		keep: func(data []byte, files *goalFiles, now time.Time) (besideFile, []goal.Draft, error) {
			pass, err := goal.ParsePass(data)
			if err != nil {
				return besideFile{}, nil, c.wantsTemplate(err)
			}
			return keepQuestions(files, goal.PassAll{Pass: pass}, now)
		},
		say: func(c *call, files *goalFiles, drafts []goal.Draft, now time.Time) error {
			return c.sayQuestions(files, drafts, now, "", fmt.Sprintf("the resolution pass of segment %d", files.run.Segment))
		},
	})
}

func keepQuestions(files *goalFiles, signal goal.QuestionSignal, now time.Time) (besideFile, []goal.Draft, error) {
	_, drafts, err := goal.StepQuestions(files.beside.questions, files.run, signal, now)
	return files.beside.questionsFile, drafts, err
}

// wantsTemplate points at the form of the command.
func (c *call) wantsTemplate(err error) error {
	return hinted{err, "omc-hook " + c.command.words + " --template prints an empty record"}
}

// questionsSaid is the answer to a change of the questions.
type questionsSaid struct {
	Run     string   `json:"run"`
	Segment int64    `json:"segment"`
	ID      string   `json:"id"`
	Fresh   bool     `json:"recorded_now"`
	Open    []string `json:"open"`
	PassHad bool     `json:"pass_had"`
	PassDue string   `json:"pass_due"`
}

func (c *call) sayQuestions(files *goalFiles, drafts []goal.Draft, now time.Time, id, what string) error {
	q, run := files.beside.questions, files.run
	said := questionsSaid{
		Run: run.Owner.RunID, Segment: run.Segment, ID: id, Fresh: len(drafts) > 0, Open: append([]string{}, q.OpenIDs()...),
		PassHad: q.PassedIn(run.Segment), PassDue: q.PassDue(run, now),
	}
	if c.json() {
		return c.writeJSON(said)
	}
	fmt.Fprintf(c.Stdout, "%s: %s; open: %s\n", recordedWord(said.Fresh), oneLine(what), orText(strings.Join(said.Open, ", "), "none"))
	c.sayPassDue(said.PassDue)
	return nil
}

func recordedWord(fresh bool) string {
	if fresh {
		return "recorded"
	}
	return "on record already"
}

// sayPassDue tells of a resolution pass that is due.
func (c *call) sayPassDue(due string) {
	if due != "" {
		fmt.Fprintf(c.Stdout, "a resolution pass is due (%s): omc-hook goal question pass --template\n", oneLine(due))
	}
}

// goalQuestions lists the questions, without a lock.
func goalQuestions(c *call) error {
	files, err := c.openForReading()
	if err != nil {
		return err
	}
	q, now := files.beside.questions, c.Now()
	if c.json() {
		return c.writeJSON(struct {
			Segment int64 `json:"segment"`
			goal.Questions
			PassHad bool     `json:"pass_had"`
			PassDue string   `json:"pass_due"`
			Faults  []string `json:"faults"`
		}{
			files.run.Segment,
			goal.Questions{List: append([]goal.Parked{}, q.List...), Passes: append([]goal.PassRecord{}, q.Passes...)},
			q.PassedIn(files.run.Segment), q.PassDue(files.run, now), files.beside.questionsFile.faultLines(),
		})
	}
	for _, p := range q.List {
		c.printQuestion(p, now)
	}
	fmt.Fprintf(c.Stdout, "%s, %d open; ", count(len(q.List), "question"), len(q.Open()))
	if q.PassedIn(files.run.Segment) {
		fmt.Fprintf(c.Stdout, "segment %d has had its resolution pass\n", files.run.Segment)
	} else {
		fmt.Fprintf(c.Stdout, "segment %d has had no resolution pass\n", files.run.Segment)
	}
	c.sayPassDue(q.PassDue(files.run, now))
	c.sayFileFaults(files.beside.questionsFile)
	return nil
}

func (c *call) printQuestion(p goal.Parked, now time.Time) {
	status := "open"
	if p.Closed {
		status = "resolved"
	}
	blocks := ""
	if p.BlocksAll {
		blocks = ", blocks all remaining work"
	}
	fmt.Fprintf(c.Stdout, "%-4s %-9s segment %d, iteration %d, %s%s\n", oneLine(p.ID), status, p.Segment, p.Iteration, ago(p.At, now), blocks)
	c.detail("context", p.Context)
	c.detail("answer", p.Answer)
	for _, r := range p.Resolutions {
		c.detail(r.Class, strings.TrimSpace(strings.Join([]string{r.Premise, r.Direction, r.Permission, r.Done, r.Basis, r.AnsweredBy}, "  ")))
	}
}

// detail prints one labelled line beneath an entry of a list.
func (c *call) detail(label, text string) {
	if text != "" {
		fmt.Fprintf(c.Stdout, "     %-10s %s\n", plain.Line(label, 20), plain.Line(text, 300))
	}
}

func (b besideFile) faultLines() []string {
	lines := []string{}
	for _, f := range b.faults {
		lines = append(lines, f.String())
	}
	return lines
}

func (c *call) sayFileFaults(b besideFile) {
	if n := len(b.faults); n > 0 {
		fmt.Fprintf(c.Stdout, "%s in %s, which bars SUCCESS; omc-hook lint lists them\n", count(n, "fault"), b.name)
	}
}

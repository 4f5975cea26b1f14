package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// lease is how many stops without a record a long loop is given: as many as the
// client itself would continue.
const lease = 8

// runAway plays a model that only chats, each time with other words: it is
// continued as long as its lease holds, and then let go.
func (p *player) runAway(ctx context.Context) error {
	p.out.title("2. A model only talks, and is let go")
	if _, err := p.open(ctx, "--state-dir=.goal-loop-2 --max-iterations=12 Make 'slug' perfect"); err != nil {
		return err
	}
	for i := range lease {
		if _, err := p.stop(ctx, fmt.Sprintf("I am thinking about it, part %d.", i+1), "continue"); err != nil {
			return err
		}
	}
	a, err := p.stop(ctx, "I have thought about it a lot.", "lease-used")
	if err != nil {
		return err
	}
	if !strings.Contains(a.Note, "not finished") {
		return fmt.Errorf("the person is not told that the goal is open: %q", a.Note)
	}
	return nil
}

// explain shows what a person can ask afterwards.
func (p *player) explain(ctx context.Context) error {
	p.out.title("3. Asked afterwards")
	const notContinuing = 3
	for _, question := range []struct {
		command string
		status  int
		wants   string
	}{
		{"omc-hook status", notContinuing, "paused: lease"},
		{"omc-hook why --last=1", 0, "lease-used"},
		{"omc-hook history", 0, "SUCCESS"},
	} {
		out, status, err := p.shell(ctx, question.command)
		if err != nil {
			return fmt.Errorf("%s: %w", question.command, err)
		}
		p.out.line("$", "%s", question.command)
		p.out.text(string(out))
		if status != question.status {
			return fmt.Errorf("%s: status %d, not %d", question.command, status, question.status)
		}
		if !strings.Contains(string(out), question.wants) {
			return errors.New(question.command + " does not say " + question.wants)
		}
	}
	return nil
}

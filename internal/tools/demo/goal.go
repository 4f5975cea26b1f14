package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// round is what the scripted model does between two stops.
type round struct {
	planned string
	// code is slug.go after this round, and passing how many tests then pass.
	code    string
	passing int
	// truth is the criterion that the round makes true, and next what it leaves.
	truth, next string
	words       string
}

// tests is how many tests the project has.
const tests = 3

const (
	lowerCase   = "letters are lower case"
	oneHyphen   = "spaces become one hyphen"
	punctuation = "punctuation is left out"
)

func rounds() []round {
	return []round{
		{
			planned: "make the letters lower case", truth: lowerCase, passing: 1,
			code: `package slug

import "strings"

// Slug makes a file name of a title.
func Slug(title string) string {
	return strings.ToLower(title)
}
`,
			next: "join the words with one hyphen", words: "Letters are lower case now; two tests still fail.",
		},
		{
			planned: "join the words with one hyphen", truth: oneHyphen, passing: 2,
			code: `package slug

import "strings"

// Slug makes a file name of a title.
func Slug(title string) string {
	return strings.Join(strings.Fields(strings.ToLower(title)), "-")
}
`,
			next: "leave punctuation out", words: "Words are joined now; the test of punctuation is left.",
		},
		{
			planned: "leave punctuation out", truth: punctuation, passing: 3,
			code: `package slug

import (
	"strings"
	"unicode"
)

// Slug makes a file name of a title.
func Slug(title string) string {
	kept := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToLower(title))
	return strings.Join(strings.Fields(kept), "-")
}
`,
			words: "All three tests pass, and the record says so.",
		},
	}
}

// reachTheGoal plays three rounds to SUCCESS.
func (p *player) reachTheGoal(ctx context.Context) error {
	p.out.title("1. A goal is reached")
	text, err := p.open(ctx, "--max-iterations=6 Make every test of 'slug' pass; don't change the tests")
	if err != nil {
		return err
	}
	if err := p.test(ctx, 0, &check{}); err != nil {
		return err
	}
	if _, err := p.stop(ctx, "I have read the goal and the tests: all three fail.", "continue"); err != nil {
		return err
	}
	for i, r := range rounds() {
		if err := p.round(ctx, r, runID(text)); err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
		rule := "continue"
		if r.next == "" {
			rule = "outcome"
		}
		a, err := p.stop(ctx, r.words, rule)
		if err != nil {
			return err
		}
		if rule == "outcome" && !strings.Contains(a.Note, "SUCCESS") {
			return fmt.Errorf("the person is not told of the success: %q", a.Note)
		}
	}
	_, err = p.bash(ctx, "omc-hook goal show --lint")
	return err
}

// runID finds the run in the command that the hook tells the model to use.
func runID(text string) string {
	_, rest, _ := strings.Cut(text, "--run ")
	id, _, _ := strings.Cut(rest, " ")
	return id
}

// check is one command that was run to verify a round, as a record holds it.
type check struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Result  string `json:"result"`
}

// round edits the program, runs the tests and records what they said.
func (p *player) round(ctx context.Context, r round, run string) error {
	p.out.line("model", "edits slug.go: %s", r.planned)
	if err := p.place.write("slug.go", r.code); err != nil {
		return err
	}
	var seen check
	if err := p.test(ctx, r.passing, &seen); err != nil {
		return err
	}
	data, err := json.MarshalIndent(r.record(seen), "", "  ")
	if err != nil {
		return fmt.Errorf("encode the record: %w", err)
	}
	out, err := p.bash(ctx, fmt.Sprintf("omc-hook goal record --run %s --stdin <<'EOF'\n%s\nEOF", run, data))
	if err != nil {
		return err
	}
	p.out.line("model", "omc-hook goal record: %s", firstLine(string(out)))
	return nil
}

// record is the round as the model reports it.
func (r round) record(seen check) map[string]any {
	evidence := func(of string) string { return "go test: " + seen.Result + "; the test of: " + of }
	record := map[string]any{
		"planned": r.planned, "changed": []string{"slug.go"}, "verification": []check{seen},
		"progress": []map[string]string{{"kind": "criterion", "what": r.truth, "evidence": evidence(r.truth)}},
		"decision": "continue", "next": r.next, "remaining": r.next,
	}
	if r.next != "" {
		return record
	}
	var criteria []map[string]string
	for _, c := range []string{lowerCase, oneHyphen, punctuation} {
		criteria = append(criteria, map[string]string{"criterion": c, "evidence": evidence(c)})
	}
	record["decision"], record["remaining"], record["criteria"] = "SUCCESS", "none", criteria
	record["review"] = []map[string]string{{"reviewer": "self", "lens": "correctness", "findings": "none", "action": ""}}
	return record
}

// test runs the project's tests, and wants so many of them to pass.
func (p *player) test(ctx context.Context, passing int, seen *check) error {
	const command = "go test -json -count=1 ./..."
	out, status, err := p.shell(ctx, command)
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	passed, failed, err := count(out)
	if err != nil {
		return fmt.Errorf("%s: status %d: %w: %s", command, status, err, out)
	}
	*seen = check{Command: command, Exit: status, Result: fmt.Sprintf("%d passed, %d failed", passed, failed)}
	p.out.line("model", "go test: status %d, %s", seen.Exit, seen.Result)
	if passed != passing || passed+failed != tests || (failed == 0) != (status == 0) {
		return fmt.Errorf("%d of %d tests should pass now: %s", passing, tests, out)
	}
	return nil
}

// count reads what go test -json printed.
func count(out []byte) (passed, failed int, err error) {
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var line struct{ Action, Test string }
		switch err := dec.Decode(&line); {
		case errors.Is(err, io.EOF):
			return passed, failed, nil
		case err != nil:
			return 0, 0, fmt.Errorf("read its output: %w", err)
		case line.Test != "" && line.Action == "pass":
			passed++
		case line.Test != "" && line.Action == "fail":
			failed++
		}
	}
}

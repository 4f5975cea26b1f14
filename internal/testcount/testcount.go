// Package testcount finds in the output of a test runner how many tests ran.
//
// It knows the summaries of go test, pytest, unittest, jest, vitest, mocha,
// node:test, cargo, Maven, and lines such as "7 passed, 0 failed". It is pure:
// bytes in, counts out, in one pass with a bounded memory.
//
// It judges nothing. A runner that it does not know prints no counts, which is
// not the same as no tests.
package testcount

import (
	"bytes"
	"fmt"
	"strings"

	"omc-hook/internal/plain"
)

// Units of a count.
const (
	Tests    = "tests"
	Packages = "packages"
)

// Counts is what the runners of one command reported, summed.
type Counts struct {
	// Runner is the last runner that was recognised.
	Runner string `json:"runner"`
	// Unit is what was counted: go test without -v counts packages.
	Unit    string `json:"unit"`
	Passed  int64  `json:"passed"`
	Failed  int64  `json:"failed"`
	Skipped int64  `json:"skipped"`
}

// String is the counts in a few words.
func (c Counts) String() string {
	text := fmt.Sprintf("%d %s passed", c.Passed, c.Unit)
	if c.Failed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed)
	}
	if c.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", c.Skipped)
	}
	return text
}

func (c *Counts) add(o Counts) {
	c.Passed, c.Failed, c.Skipped = c.Passed+o.Passed, c.Failed+o.Failed, c.Skipped+o.Skipped
}

// maxLine is what is read of one line: a summary is short.
const maxLine = 1 << 10

// Counter reads output as it is written. The zero value is ready.
type Counter struct {
	line []byte
	// sum is what known runners reported, loose what stood in lines without a
	// runner of their own; those count only where no runner is known.
	sum, loose         Counts
	isKnown, sawLoose  bool
	golang             goCounts
	unittest, nodeTest Counts
}

// Write takes a part of the output. It never fails.
func (c *Counter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end, ends := bytes.IndexAny(rest, "\n\r"), true
		if end < 0 {
			end, ends = len(rest), false
		}
		c.line = append(c.line, rest[:min(end, maxLine-len(c.line))]...)
		if rest = rest[end:]; ends {
			c.take()
			rest = rest[1:]
		}
	}
	return len(p), nil
}

// Counts is what was reported so far, and whether a runner reported anything.
func (c *Counter) Counts() (Counts, bool) {
	c.take()
	sum, isKnown := c.sum, c.isKnown
	if counts, ok := c.golang.counts(); ok {
		if !isKnown {
			sum.Unit = counts.Unit
		}
		sum.add(counts)
		sum.Runner, isKnown = counts.Runner, true
	}
	for _, late := range []Counts{c.unittest, c.nodeTest} {
		if late.Runner != "" {
			sum.add(late)
			sum.Runner, isKnown = late.Runner, true
		}
	}
	if !isKnown {
		sum, isKnown = c.loose, c.sawLoose
	}
	if sum.Unit == "" {
		sum.Unit = Tests
	}
	return sum, isKnown
}

// take reads the line that has just ended.
func (c *Counter) take() {
	raw := c.line
	c.line = c.line[:0]
	if !promising(raw) {
		return
	}
	line := string(raw)
	if strings.Contains(line, "\x1b") {
		line = plain.Text(line)
	}
	if c.golang.take(line) {
		return
	}
	for _, r := range runners {
		if counts, ok := r.read(line); ok {
			c.sum.add(counts)
			c.sum.Runner, c.isKnown = r.name, true
			return
		}
	}
	if c.late(line) {
		return
	}
	if counts, ok := looseCounts(line); ok {
		c.loose.add(counts)
		c.loose.Runner, c.sawLoose = "plain", true
	}
}

// promising keeps most lines of a long output from a closer look.
func promising(line []byte) bool {
	const shortest = len("1 pass")
	if len(line) < shortest {
		return false
	}
	if line[0] == '?' || bytes.HasPrefix(line, []byte("ok")) {
		return true
	}
	for _, word := range [...]string{"pass", "PASS", "fail", "FAIL", "test", "Tests", "skip", "SKIP", "select", "pending", "error"} {
		if bytes.Contains(line, []byte(word)) {
			return true
		}
	}
	return false
}

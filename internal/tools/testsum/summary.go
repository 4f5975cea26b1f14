package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is one line of go test -json (see go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// pkg is what is known of a package that runs.
type pkg struct {
	output map[string][]string // of each test that has not ended
	failed bool                // a test of it has
	ended  bool
}

type summary struct {
	out      io.Writer
	packages map[string]*pkg
	counts   counts
}

// read takes all events. What is no event is passed on: go prints what it
// cannot load as plain text.
func (s *summary) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
				fmt.Fprint(s.out, line)
			} else {
				s.take(e)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
	}
}

func (s *summary) take(e event) {
	if e.Package == "" { // of a build: it has no package, and its end is told by the package's
		fmt.Fprint(s.out, e.Output)
		return
	}
	p := s.packages[e.Package]
	if p == nil {
		p = &pkg{output: map[string][]string{}}
		s.packages[e.Package] = p
	}
	switch e.Action {
	case "output":
		s.output(p, e)
	case "pass", "fail", "skip":
		s.end(p, e)
	}
}

// output keeps what a test prints until it is known how the test ends. What a
// package prints itself is its line, or why it could not run.
func (s *summary) output(p *pkg, e event) {
	if e.Test != "" {
		p.output[e.Test] = append(p.output[e.Test], e.Output)
		return
	}
	if line := strings.TrimSpace(e.Output); line != "PASS" && line != "" {
		fmt.Fprint(s.out, e.Output)
	}
}

func (s *summary) end(p *pkg, e event) {
	if e.Test == "" {
		p.ended = true
		// A package that fails without a failed test did not build, or broke outside of its tests.
		if e.Action == "fail" && !p.failed {
			s.counts.failed++
			s.print(p)
		}
		return
	}
	switch e.Action {
	case "pass":
		s.counts.passed++
	case "skip":
		s.counts.skipped++
	case "fail":
		s.counts.failed++
		fmt.Fprint(s.out, strings.Join(p.output[e.Test], ""))
		p.failed = true
	}
	delete(p.output, e.Test)
}

// print shows what the tests printed that never ended, such as the one that panicked.
func (s *summary) print(p *pkg) {
	for _, test := range slices.Sorted(maps.Keys(p.output)) {
		fmt.Fprint(s.out, strings.Join(p.output[test], ""))
	}
}

// finish checks that the events were those of a whole run.
func (s *summary) finish() error {
	for _, name := range slices.Sorted(maps.Keys(s.packages)) {
		if p := s.packages[name]; !p.ended {
			s.print(p)
			s.counts.failed++
			fmt.Fprintf(s.out, "FAIL\t%s [did not end]\n", name)
		}
	}
	if s.counts.passed+s.counts.failed == 0 {
		return errors.New("no test ran")
	}
	return nil
}

package testcount

import "strings"

// goCounts reads go test. Without -v it names packages only, so the tests count
// only where each of them is named.
type goCounts struct {
	seen, verbose   bool
	packages, tests Counts
}

func (g *goCounts) take(line string) bool {
	switch {
	case strings.HasPrefix(line, "ok  \t"):
		if !strings.HasSuffix(line, "[no tests to run]") {
			g.packages.Passed++
		}
	case strings.HasPrefix(line, "FAIL\t"):
		g.packages.Failed++
	case strings.HasPrefix(line, "?   \t") && strings.HasSuffix(line, "[no test files]"):
	case strings.HasPrefix(line, "--- PASS: "):
		g.tests.Passed++
		g.verbose = true
	case strings.HasPrefix(line, "--- FAIL: "):
		g.tests.Failed++
	case strings.HasPrefix(line, "--- SKIP: "):
		g.tests.Skipped++
	case strings.HasPrefix(line, `{"`) && strings.Contains(line, `"Action":"`) && strings.Contains(line, `"Package":"`):
		g.event(line)
	default:
		return false
	}
	g.seen = true
	return true
}

// event reads one line of go test -json. A name with a slash is a part of
// another test.
func (g *goCounts) event(line string) {
	g.verbose = true
	_, name, isTest := strings.Cut(line, `"Test":"`)
	name, _, _ = strings.Cut(name, `"`)
	if !isTest || strings.Contains(name, "/") {
		return
	}
	switch _, action, _ := strings.Cut(line, `"Action":"`); {
	case strings.HasPrefix(action, `pass"`):
		g.tests.Passed++
	case strings.HasPrefix(action, `fail"`):
		g.tests.Failed++
	case strings.HasPrefix(action, `skip"`):
		g.tests.Skipped++
	}
}

func (g *goCounts) counts() (Counts, bool) {
	counts, unit := g.packages, Packages
	if g.verbose {
		counts, unit = g.tests, Tests
	}
	counts.Runner, counts.Unit = "go test", unit
	return counts, g.seen
}

package testcount

import (
	"strconv"
	"strings"
)

// runners read the one line in which a runner sums up.
var runners = [...]struct {
	name string
	read func(line string) (Counts, bool)
}{
	{"cargo", cargo},
	{"pytest", pytest},
	{"jest", jest},
	{"vitest", vitest},
	{"mocha", mocha},
	{"maven", maven},
}

// tally adds up pieces such as "3 passed". Every piece has to be one, and one of
// them has to say how tests ended.
func tally(pieces []string) (Counts, bool) {
	var c Counts
	told := false
	for _, piece := range pieces {
		number, word, _ := strings.Cut(strings.TrimSpace(piece), " ")
		n, ok := whole(number)
		if !ok {
			return Counts{}, false
		}
		switch strings.TrimSpace(word) {
		case "passed", "passing", "xpassed", "pass":
			c.Passed += n
		case "failed", "failing", "error", "errors", "fail":
			c.Failed += n
		case "skipped", "ignored", "pending", "todo", "xfailed", "deselected":
			c.Skipped += n
		case "total", "measured", "filtered out", "warning", "warnings", "rerun", "flaky", "did not run", "interrupted", "leaky":
			continue
		default:
			return Counts{}, false
		}
		told = true
	}
	return c, told
}

// whole is a number of at most nine digits.
func whole(s string) (int64, bool) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// cargo reads "test result: ok. 3 passed; 0 failed; …", and the summary of
// nextest, "3 tests run: 3 passed, 0 skipped".
func cargo(line string) (Counts, bool) {
	if rest, ok := strings.CutPrefix(line, "test result: "); ok {
		_, rest, _ = strings.Cut(rest, ". ")
		rest, _, _ = strings.Cut(rest, "; finished in ")
		return tally(strings.Split(rest, ";"))
	}
	if _, rest, ok := strings.Cut(line, " run: "); ok && strings.HasPrefix(strings.TrimSpace(line), "Summary [") {
		return tally(strings.Split(rest, ","))
	}
	return Counts{}, false
}

// pytest reads "=== 3 passed, 1 skipped in 0.05s ===", with or without the rule.
func pytest(line string) (Counts, bool) {
	line = strings.Trim(line, "= ")
	i := strings.LastIndex(line, " in ")
	if i < 0 {
		return Counts{}, false
	}
	took, _, _ := strings.Cut(line[i+len(" in "):], " ")
	if len(took) < 2 || strings.Trim(took[:len(took)-1], "0123456789.") != "" || took[len(took)-1] != 's' {
		return Counts{}, false
	}
	if strings.HasPrefix(line, "no tests ran") {
		return Counts{}, true
	}
	return tally(strings.Split(line[:i], ","))
}

// jest reads "Tests:       1 failed, 2 passed, 3 total".
func jest(line string) (Counts, bool) {
	if strings.HasPrefix(line, "No tests found, exiting with code") {
		return Counts{}, true
	}
	_, rest, ok := strings.Cut(line, "Tests: ")
	if !ok {
		return Counts{}, false
	}
	if strings.TrimSpace(rest) == "0 total" {
		return Counts{}, true
	}
	return tally(strings.Split(rest, ","))
}

// vitest reads "Tests  1 failed | 3 passed (4)".
func vitest(line string) (Counts, bool) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "No test files found") {
		return Counts{}, true
	}
	rest, ok := strings.CutPrefix(line, "Tests  ")
	if !ok {
		return Counts{}, false
	}
	if strings.TrimSpace(rest) == "no tests" {
		return Counts{}, true
	}
	rest, _, _ = strings.Cut(rest, "(")
	return tally(strings.Split(rest, "|"))
}

// mocha reads "  3 passing (12ms)", "  1 failing" and "  2 pending".
func mocha(line string) (Counts, bool) {
	line = strings.TrimSpace(line)
	number, word, _ := strings.Cut(line, " ")
	word, _, _ = strings.Cut(word, " (")
	switch word {
	case "passing", "failing", "pending":
		return tally([]string{number + " " + word})
	}
	return Counts{}, false
}

// maven reads "Tests run: 3, Failures: 0, Errors: 0, Skipped: 1" of a whole
// module. The line of one class tells its time too.
func maven(line string) (Counts, bool) {
	_, rest, ok := strings.Cut(line, "Tests run: ")
	if !ok || strings.Contains(line, "Time elapsed") {
		return Counts{}, false
	}
	pieces := strings.Split("run: "+rest, ",")
	var n [4]int64
	if len(pieces) != len(n) {
		return Counts{}, false
	}
	for i, piece := range pieces {
		_, number, _ := strings.Cut(piece, ": ")
		if n[i], ok = whole(strings.TrimSpace(number)); !ok {
			return Counts{}, false
		}
	}
	failed := n[1] + n[2]
	return Counts{Passed: max(n[0]-failed-n[3], 0), Failed: failed, Skipped: n[3]}, true
}

// late reads runners that sum up over several lines.
func (c *Counter) late(line string) bool {
	fields := strings.Fields(line)
	switch {
	case len(fields) == 5 && fields[0] == "Ran" && (fields[2] == "tests" || fields[2] == "test") && fields[3] == "in":
		n, ok := whole(fields[1])
		c.unittest.Passed += n
		c.unittest.Runner = "unittest"
		return ok
	case strings.HasPrefix(line, "FAILED (") && c.unittest.Runner != "":
		c.parts(line, "failures=", "errors=")
		return true
	case len(fields) == 3 && (fields[0] == "#" || fields[0] == "ℹ"):
		return c.node(fields[1], fields[2])
	}
	return false
}

// parts moves the failures of unittest from what ran to what failed.
func (c *Counter) parts(line string, names ...string) {
	for _, name := range names {
		_, rest, found := strings.Cut(line, name)
		if !found {
			continue
		}
		rest = rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		if n, ok := whole(rest); ok {
			c.unittest.Passed, c.unittest.Failed = max(c.unittest.Passed-n, 0), c.unittest.Failed+n
		}
	}
}

// node reads "# pass 3" of node:test.
func (c *Counter) node(word, number string) bool {
	n, ok := whole(number)
	if !ok {
		return false
	}
	switch word {
	case "pass":
		c.nodeTest.Passed += n
	case "fail":
		c.nodeTest.Failed += n
	case "skipped":
		c.nodeTest.Skipped += n
	case "tests":
	default:
		return false
	}
	c.nodeTest.Runner = "node:test"
	return true
}

// looseCounts reads a line that is nothing but counts: "7 passed, 0 failed",
// with one word and a colon before it or not, and a time in brackets behind it.
func looseCounts(line string) (Counts, bool) {
	// "0 errors" is what a linter says.
	if !strings.Contains(line, "passed") && !strings.Contains(line, "failed") {
		return Counts{}, false
	}
	line = strings.TrimSuffix(strings.TrimSpace(line), ".")
	if label, rest, ok := strings.Cut(line, ": "); ok && !strings.Contains(label, " ") {
		line = rest
	}
	if i := strings.LastIndex(line, " ("); i > 0 && strings.HasSuffix(line, ")") {
		line = line[:i]
	}
	return tally(strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ';' || r == '|' }))
}

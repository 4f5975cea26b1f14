package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/decide"
)

// fieldCases are the numbers of the reported cases, hostileRows the number of
// kinds of hostile state files.
var fieldCases = []int{
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 25, 26, 27, 28, 29, 30, 32, 33, 34, 35, 36, 39, 40, 41, 42, 44, 46, 47, 48, 49,
	53, 54, 55, 56, 58, 59, 60, 61, 63, 65, 66, 70, 71, 72, 73, 74, 76, 77, 79, 81, 82, 83, 84, 85, 86, 87, 89, 90, 91, 93, 94, 96, 100, 101, 103, 104, 105,
}

const hostileRows = 16

// testNames are all test functions below internal, each as package.Name, with the
// text of the file that holds it.
func testNames(t *testing.T) map[string]string {
	t.Helper()
	function := regexp.MustCompile(`(?m)^func (Test\w+|Fuzz\w+)\(`)
	all := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range function.FindAllStringSubmatch(string(data), -1) {
			all[filepath.Base(filepath.Dir(path))+"."+m[1]] = string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// docRows are the rows of a table whose first cell is a number.
func docRows(t *testing.T, text string) (numbers []int, held []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		numbers, held = append(numbers, n), append(held, m[3])
	}
	return numbers, held
}

func document(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestEveryFieldCaseHasItsTest holds docs/FIELD.md: every number stands there
// once, with tests that exist and name it, or with a subject that is to come.
func TestEveryFieldCaseHasItsTest(t *testing.T) {
	cases, files, found := strings.Cut(document(t, "FIELD.md"), "\n## ")
	if !found {
		t.Fatal("no second table")
	}
	names := testNames(t)
	numbers, held := docRows(t, cases)
	if diff := cmp.Diff(fieldCases, numbers); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
	for i, n := range numbers {
		checkHeld(t, names, held[i], regexp.MustCompile(`\b[Cc]ases?( \d+,?( and)?)* `+strconv.Itoa(n)+`\b`))
	}
	numbers, held = docRows(t, files)
	var want []int
	for n := range hostileRows {
		want = append(want, n+1)
	}
	if diff := cmp.Diff(want, numbers); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for i, n := range numbers {
		checkHeld(t, names, held[i], regexp.MustCompile(`"row `+strconv.Itoa(n)+`:`))
	}
}

// laterSubjects are what a case may wait for.
var laterSubjects = []string{"the verify ladder", "mutation", "queues", "worktrees of refine", "OMC's native modes"}

// checkHeld checks one cell. One of the tests of this package whose sub-tests are
// cases has to name this one.
func checkHeld(t *testing.T, names map[string]string, cell string, named *regexp.Regexp) {
	t.Helper()
	tests := regexp.MustCompile("`([a-z]+)\\.((?:Test|Fuzz)\\w+)(?:/(\\w+))?`").FindAllStringSubmatch(cell, -1)
	if _, later, waits := strings.Cut(cell, "later: "); waits && !slices.Contains(laterSubjects, strings.TrimSpace(later)) {
		t.Errorf("%q waits for no known subject", cell)
	} else if !waits && len(tests) == 0 {
		t.Errorf("%q names no test", cell)
	}
	listed, says := false, false
	for _, m := range tests {
		text, exists := names[m[1]+"."+m[2]]
		if !exists {
			t.Errorf("%s.%s does not exist", m[1], m[2])
		}
		if m[3] != "" {
			if _, err := os.Stat(filepath.Join("testdata", "script", m[3]+".txtar")); err != nil {
				t.Errorf("the script %s does not exist", m[3])
			}
		}
		if strings.HasPrefix(m[2], "TestField") || m[2] == "TestEveryHostileStateFile" {
			listed, says = true, says || named.MatchString(text)
		}
	}
	if listed && !says {
		t.Errorf("%q: no test in it says %s", cell, named)
	}
}

// TestEveryDecisionHasItsTest holds docs/DECISIONS.md: what it names exists. A
// name that ends in an ellipsis stands for all that begin so.
func TestEveryDecisionHasItsTest(t *testing.T) {
	names := testNames(t)
	text := document(t, "DECISIONS.md")
	for _, m := range regexp.MustCompile("`(Test\\w+)(…?)`").FindAllStringSubmatch(text, -1) {
		found := false
		for full := range names {
			_, name, _ := strings.Cut(full, ".")
			found = found || name == m[1] || m[2] != "" && strings.HasPrefix(name, m[1])
		}
		if !found {
			t.Errorf("%s%s does not exist", m[1], m[2])
		}
	}
	for _, m := range regexp.MustCompile("rule `([a-z-]+)`").FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(decide.Rules(), func(r decide.Rule) bool { return r.ID == m[1] }) {
			t.Errorf("there is no rule %s", m[1])
		}
	}
}

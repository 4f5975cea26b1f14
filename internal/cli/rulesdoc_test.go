package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryRuleOfTheGoalNamesTestsThatExist: docs/GOAL-RULES.md names tests and
// scripts, and a renamed one makes it wrong.
func TestEveryRuleOfTheGoalNamesTestsThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	doc, err := os.ReadFile(filepath.Join(root, "docs", "GOAL-RULES.md"))
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = filepath.WalkDir(filepath.Join(root, "internal"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			var data []byte
			data, err = os.ReadFile(path)
			tests.Write(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile("`(Test|Fuzz)[A-Za-z0-9]+`").FindAllString(string(doc), -1) {
		if name = strings.Trim(name, "`"); !strings.Contains(tests.String(), "func "+name+"(") {
			t.Errorf("there is no %s", name)
		}
	}
	for _, m := range regexp.MustCompile("(?:script )?`([a-z]+_[a-z0-9_]+)(?:\\.txtar)?`").FindAllStringSubmatch(string(doc), -1) {
		if !strings.HasPrefix(m[0], "script ") && !strings.HasSuffix(m[0], ".txtar`") {
			continue
		}
		if _, err := os.Stat(filepath.Join("testdata", "script", m[1]+".txtar")); err != nil {
			t.Errorf("there is no script %s", m[1])
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// counts says how the tests of one run, or of several, ended. Its text is what
// a person and a CI look for at the end.
type counts struct {
	passed, failed, skipped int
}

const format = "%d passed, %d failed, %d skipped"

func (c counts) String() string {
	return fmt.Sprintf(format, c.passed, c.failed, c.skipped)
}

// add adds c to the counts in the file, which need not exist, and returns the sum.
func add(path string, c counts) (counts, error) {
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("read total: %w", err)
	}
	if len(raw) > 0 {
		var before counts
		if _, err := fmt.Sscanf(string(raw), format, &before.passed, &before.failed, &before.skipped); err != nil {
			return c, fmt.Errorf("parse total %s: %w", path, err)
		}
		c = counts{passed: c.passed + before.passed, failed: c.failed + before.failed, skipped: c.skipped + before.skipped}
	}
	if err := os.WriteFile(path, []byte(c.String()+"\n"), 0o644); err != nil {
		return c, fmt.Errorf("write total: %w", err)
	}
	return c, nil
}

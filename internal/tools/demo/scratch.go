package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"omc-hook/internal/tools/demo/client"
)

// scratch is the demonstration's own directory: a project and a home, so that
// nothing of the person's is read or changed.
type scratch struct {
	dir, project, home string
	// env lets the go command work with that home: its build cache is the
	// person's, and no setting of the person's reaches it.
	env []string
}

const testFile = `package slug

import "testing"

func TestLettersAreLowerCase(t *testing.T) { check(t, "HELLO", "hello") }

func TestSpacesBecomeOneHyphen(t *testing.T) { check(t, " a  b ", "a-b") }

func TestPunctuationIsLeftOut(t *testing.T) { check(t, "Bob's, really?", "bobs-really") }

func check(t *testing.T, title, want string) {
	t.Helper()
	if got := Slug(title); got != want {
		t.Errorf("Slug(%q) = %q, want %q", title, got, want)
	}
}
`

const untouched = `package slug

// Slug makes a file name of a title.
func Slug(title string) string {
	return title
}
`

// newScratch makes the directory, with a space in its name, and in it a Go
// repository whose three tests fail.
func newScratch(ctx context.Context) (scratch, error) {
	dir, err := os.MkdirTemp("", "omc-hook demo ")
	if err == nil {
		// The client hands out paths without links; on macOS /tmp is one.
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return scratch{}, fmt.Errorf("make a scratch directory: %w", err)
	}
	s := scratch{dir: dir, project: filepath.Join(dir, "slug"), home: filepath.Join(dir, "home")}
	for _, d := range []string{s.project, s.home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return scratch{}, fmt.Errorf("make a scratch directory: %w", err)
		}
	}
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return scratch{}, fmt.Errorf("ask for the build cache: %w", err)
	}
	s.env = []string{"GOCACHE=" + strings.TrimSpace(string(cache)), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GO111MODULE=on"}
	for name, text := range map[string]string{"go.mod": "module slug\n\ngo 1.21\n", "slug_test.go": testFile, "slug.go": untouched} {
		if err := s.write(name, text); err != nil {
			return scratch{}, err
		}
	}
	return s, s.commit(ctx)
}

func (s scratch) write(name, text string) error {
	if err := os.WriteFile(filepath.Join(s.project, name), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write a file of the project: %w", err)
	}
	return nil
}

// commit makes the project a repository with a clean work tree.
func (s scratch) commit(ctx context.Context) error {
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"add", "."},
		{"-c", "user.name=demo", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "-m", "slug: three tests"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = s.project, client.Environment(s.home)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

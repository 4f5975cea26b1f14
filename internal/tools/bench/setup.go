package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"omc-hook/internal/tools/demo/client"
)

// bench is the scratch directory with the plugin that is measured.
type bench struct {
	scratch string
	plugin  client.Plugin
	// binary is the one that the launcher starts on this machine.
	binary string
}

func newBench(scratch, dir string) (bench, error) {
	scratch, err := filepath.EvalSymlinks(scratch)
	if err != nil {
		return bench{}, fmt.Errorf("resolve the scratch directory: %w", err)
	}
	plugin, err := client.Open(dir)
	if err != nil {
		return bench{}, err
	}
	binary := filepath.Join(plugin.Dir, "bin", runtime.GOOS+"-"+runtime.GOARCH, executable("omc-hook"))
	return bench{scratch: scratch, plugin: plugin, binary: binary}, nil
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// session is a new project with a session of its own.
func (b bench) session(name string) (client.Session, error) {
	s := client.Session{
		Plugin: b.plugin, ID: "bench-" + name,
		Project: filepath.Join(b.scratch, name), Home: filepath.Join(b.scratch, name+"-home"),
	}
	for _, dir := range []string{s.Project, s.Home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return s, fmt.Errorf("make a project: %w", err)
		}
	}
	cmd := exec.Command("git", "init", "--quiet")
	cmd.Dir, cmd.Env = s.Project, client.Environment(s.Home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return s, fmt.Errorf("git init: %w: %s", err, bytes.TrimSpace(out))
	}
	return s, nil
}

// begun is a session whose hooks were seen, as each one is after its start.
func (b bench) begun(ctx context.Context, name string) (client.Session, error) {
	s, err := b.session(name)
	if err != nil {
		return s, err
	}
	a, err := s.Send(ctx, client.Event{Name: "SessionStart", Fields: map[string]any{"source": "startup"}})
	if err == nil && a.Note != "" {
		err = fmt.Errorf("the session starts with a complaint: %s", a.Note)
	}
	return s, err
}

// looping is a session in which a loop has just started.
func (b bench) looping(ctx context.Context, name string) (client.Session, error) {
	s, err := b.begun(ctx, name)
	if err != nil {
		return s, err
	}
	a, err := s.Send(ctx, client.Event{
		Name: "UserPromptExpansion", Subject: "omc-hook:goal-loop",
		Fields: map[string]any{
			"prompt_id": "p1", "command_name": "omc-hook:goal-loop", "command_args": "--max-iterations=50 make the tests pass",
		},
	})
	switch {
	case err != nil:
		return s, err
	case a.Refused || a.Text == "":
		return s, fmt.Errorf("the loop did not start: %q", a.Text)
	}
	return s, nil
}

// emptyProgram builds the least that a Go process can be, as the plugin is built.
func (b bench) emptyProgram(ctx context.Context) (string, error) {
	dir := filepath.Join(b.scratch, "empty")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("make an empty program: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return "", fmt.Errorf("write an empty program: %w", err)
	}
	program := filepath.Join(dir, executable("empty"))
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, filepath.Join(dir, "main.go"))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build an empty program: %w: %s", err, out)
	}
	return program, nil
}

// frozen is the content of a project without its .git, which a run may change
// and thaw puts back.
type frozen struct {
	dir   string
	files map[string][]byte
}

func freeze(dir string) (frozen, error) {
	f := frozen{dir: dir, files: map[string][]byte{}}
	err := f.walk(func(path string) error {
		data, err := os.ReadFile(path)
		f.files[path] = data
		return err
	})
	if err != nil {
		return f, fmt.Errorf("keep the content of %s: %w", dir, err)
	}
	return f, nil
}

// thaw puts every changed file back, and on the disk: what it left to be written
// would be written, and waited for, by the run that is measured.
func (f frozen) thaw() error {
	err := f.walk(func(path string) error {
		want, kept := f.files[path]
		if !kept {
			return os.Remove(path)
		}
		got, err := os.ReadFile(path)
		if err != nil || bytes.Equal(got, want) {
			return err
		}
		return rewrite(path, want)
	})
	if err != nil {
		return fmt.Errorf("put the content of %s back: %w", f.dir, err)
	}
	for path, data := range f.files {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if err := rewrite(path, data); err != nil {
				return fmt.Errorf("put %s back: %w", path, err)
			}
		}
	}
	return nil
}

func (f frozen) walk(visit func(path string) error) error {
	return filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return visit(path)
	})
}

func rewrite(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

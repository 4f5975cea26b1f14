package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"omc-hook/internal/tools/demo/client"
)

// The package of oh-my-claudecode on npm, and what of it decides a Stop.
const (
	omcPackage = "oh-my-claude-sisyphus"
	omcVersion = "5.5.0"
	omcScript  = "persistent-mode"
)

// omcSubjects are oh-my-claudecode's hook, without a loop and with its ralph
// mode active. Where it cannot be had, a note says why.
func (b bench) omcSubjects(ctx context.Context, runs int) ([]subject, string, error) {
	if runs < 1 {
		return nil, "OMC " + omcVersion + " is left out, as asked", nil
	}
	dir, err := fetchOMC(ctx)
	if err != nil {
		return nil, fmt.Sprintf("OMC %s is left out: %v", omcVersion, err), nil
	}
	command, err := omcCommand(dir)
	if err != nil {
		return nil, "", err
	}
	idle, err := b.omcSubject(dir, command, "OMC "+omcVersion+", idle", "omc-idle", false)
	if err != nil {
		return nil, "", err
	}
	ralph, err := b.omcSubject(dir, command, "OMC "+omcVersion+", ralph continues", "omc-ralph", true)
	if err != nil {
		return nil, "", err
	}
	idle.runs, ralph.runs = runs, runs
	return []subject{idle, ralph}, "", nil
}

func (b bench) omcSubject(dir, command, name, project string, active bool) (subject, error) {
	s, err := b.session(project)
	if err != nil {
		return subject{}, err
	}
	s.Plugin = client.Plugin{Dir: dir}
	input, err := stopEvent(s)
	if err != nil {
		return subject{}, err
	}
	measured := subject{name: name, input: input, foreign: true}
	measured.accept = func(out []byte) error { return wants(out, `"continue":true`) }
	if active {
		measured.accept = func(out []byte) error { return wants(out, `"decision":"block"`) }
		measured.prepare = func() error { return activateRalph(s) }
	}
	measured.command = func(ctx context.Context) *exec.Cmd { return process(ctx, s, s.HookEnv(), "sh", "-c", command) }
	return measured, nil
}

// activateRalph writes the state that OMC's ralph mode keeps.
func activateRalph(s client.Session) error {
	now := time.Now().UTC().Format(time.RFC3339)
	data, err := json.Marshal(map[string]any{
		"active": true, "iteration": 1, "max_iterations": 100, "session_id": s.ID, "project_path": s.Project,
		"started_at": now, "last_checked_at": now, "prompt": "make the tests pass",
	})
	if err != nil {
		return fmt.Errorf("encode a ralph state: %w", err)
	}
	dir := filepath.Join(s.Project, ".omc", "state", "sessions", s.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make a ralph state: %w", err)
	}
	if err := rewrite(filepath.Join(dir, "ralph-state.json"), data); err != nil {
		return fmt.Errorf("write a ralph state: %w", err)
	}
	return nil
}

// omcCommand is the command that OMC registers for the Stop that its modes hold.
func omcCommand(dir string) (string, error) {
	path := filepath.Join(dir, "hooks", "hooks.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read OMC's hooks: %w", err)
	}
	var file struct {
		Hooks struct {
			Stop []struct {
				Hooks []struct {
					Command string `json:"command"`
				} `json:"hooks"`
			}
		} `json:"hooks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	for _, group := range file.Hooks.Stop {
		for _, hook := range group.Hooks {
			if strings.Contains(hook.Command, omcScript) {
				return hook.Command, nil
			}
		}
	}
	return "", fmt.Errorf("%s registers no %s", path, omcScript)
}

// fetchOMC downloads the package once, into the person's cache, and returns its
// directory. Nothing of it is installed.
func fetchOMC(ctx context.Context) (string, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return "", errors.New("there is no node")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	dir := filepath.Join(cache, "omc", omcVersion, "package")
	if _, err := os.Stat(filepath.Join(dir, "hooks", "hooks.json")); err == nil {
		return dir, nil
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return "", errors.New("there is no npm")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", fmt.Errorf("make a place in the cache: %w", err)
	}
	fetched, err := os.MkdirTemp(filepath.Dir(dir), "fetch-")
	if err != nil {
		return "", fmt.Errorf("make a place in the cache: %w", err)
	}
	defer os.RemoveAll(fetched)
	const archive = omcPackage + "-" + omcVersion + ".tgz"
	for _, args := range [][]string{{"npm", "pack", "--silent", omcPackage + "@" + omcVersion}, {"tar", "-xzf", archive}} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = fetched
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
		}
	}
	if err := os.Rename(filepath.Join(fetched, "package"), dir); err != nil {
		return "", fmt.Errorf("keep OMC in the cache: %w", err)
	}
	return dir, nil
}

package client

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// version is the client version that is played, as AI_AGENT spells it.
const version = "claude-code_2-1-332"

// Session is one session of the client in one project.
type Session struct {
	Plugin Plugin
	ID     string
	// Project is the directory that the client was started in, Home the home
	// directory of the person.
	Project, Home string
	// Extra is added to the environment of hooks and of the model's shell.
	Extra []string
}

// Hook is the process that the client would start for a handler. Its standard
// input and output are the caller's to set.
func (s Session) Hook(ctx context.Context, h Handler) *exec.Cmd {
	path, args := h.Path, h.Args
	if runtime.GOOS == "windows" {
		// No script can be started by itself there.
		path, args = "sh", append([]string{h.Path}, args...)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = s.Project, s.HookEnv()
	return cmd
}

// HookEnv is the environment of a hook.
func (s Session) HookEnv() []string {
	return append(s.environment(),
		"AI_AGENT="+version+"_harness", "CLAUDE_PROJECT_DIR="+s.Project, "CLAUDE_PLUGIN_ROOT="+s.Plugin.Dir)
}

// Shell is the process of a command of the model: the plugin's bin/ is on PATH,
// and the project is only the working directory.
func (s Session) Shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = s.Project, s.ShellEnv()
	return cmd
}

// ShellEnv is the environment of the model's shell. The client puts bin/ last on
// PATH; here it is first, so that an installed omc-hook does not answer instead.
func (s Session) ShellEnv() []string {
	path := filepath.Join(s.Plugin.Dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	return append(s.environment(), "AI_AGENT="+version+"_agent", "PATH="+path)
}

// environment is what hooks and the model's shell have in common.
func (s Session) environment() []string {
	env := append(Environment(s.Home), "CLAUDE_CODE_SESSION_ID="+s.ID)
	return append(env, s.Extra...)
}

// Environment is that of this process with another home directory, and without
// what would lead to another session, repository or setting.
func Environment(home string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(entry), "=")
		return foreign(name)
	})
	env = append(env, "HOME="+home)
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+home, "LOCALAPPDATA="+filepath.Join(home, "AppData", "Local"))
	}
	return env
}

// foreign names the variables that a demonstration must not inherit, be it
// started from a session of the client or by a person who has settings.
func foreign(name string) bool {
	for _, prefix := range []string{"CLAUDE", "CODEX", "OMC_", "GIT_", "XDG_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"AI_AGENT", "DISABLE_OMC", "HOME", "USERPROFILE", "LOCALAPPDATA"}, name)
}

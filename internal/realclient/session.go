//go:build linux

package realclient

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Session says how the client is started and what the model answers.
type Session struct {
	ID     string // session id; a new one unless set
	Resume string // id of the session to resume instead

	Prompt  string   // the first prompt; may be empty in a terminal
	Plugins []string // plugin directories
	// Mode is the permission mode: "default", "acceptEdits", "dontAsk", "plan"
	// or "bypassPermissions", which it is unless set.
	Mode     string
	Settings string   // JSON for --settings
	MaxTurns int      // bound of --max-turns in print mode; 60 unless set
	Env      []string // KEY=VALUE, added to the client's environment
	Args     []string // further arguments of the client
	Dir      string   // where the client starts; the world's Work unless set

	// Main, Sub and Side answer for the agent, its subagents and the client's
	// requests beside the conversation. Unless set, each says "ok", and a request
	// for a summary gets one.
	Main, Sub, Side Script

	// Timeout bounds the whole session; 3 minutes unless set. It is there to
	// end a session that hangs, not to measure one.
	Timeout time.Duration
}

// withDefaults returns the session with every choice made.
func (s Session) withDefaults(w *World) Session {
	if s.ID == "" {
		s.ID = NewID()
	}
	if s.Resume != "" {
		s.ID = s.Resume
	}
	if s.Mode == "" {
		s.Mode = "bypassPermissions"
	}
	if s.MaxTurns == 0 {
		s.MaxTurns = 60
	}
	if s.Dir == "" {
		s.Dir = w.Work
	}
	if s.Timeout == 0 {
		s.Timeout = 3 * time.Minute
	}
	for _, script := range []*Script{&s.Main, &s.Sub, &s.Side} {
		if *script == nil {
			*script = summarise
		}
	}
	return s
}

// args returns the client's arguments that both modes share.
func (s Session) args() []string {
	args := []string{"--permission-mode", s.Mode}
	if s.Resume != "" {
		args = append(args, "--resume", s.Resume)
	} else {
		args = append(args, "--session-id", s.ID)
	}
	for _, dir := range s.Plugins {
		args = append(args, "--plugin-dir", dir)
	}
	if s.Settings != "" {
		args = append(args, "--settings", s.Settings)
	}
	return append(args, s.Args...)
}

// environment is all that the client inherits.
func (s Session) environment(w *World, url string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.Home, "TERM=xterm-256color", "LANG=C.UTF-8",
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + apiKey,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1", "IS_SANDBOX=1", "CLAUDE_CODE_TMPDIR=" + filepath.Join(w.short, "client"),
	}
	return append(env, s.Env...)
}

// begin prepares the home and starts the API. The directory that it returns
// keeps the logs of the session; go test -artifacts keeps them for good.
func (w *World) begin(s Session) (*api, string) {
	w.t.Helper()
	w.answerDialogs(s.Dir)
	w.sessions++
	logs := filepath.Join(w.t.ArtifactDir(), fmt.Sprintf("session-%d", w.sessions))
	if err := os.MkdirAll(logs, 0o755); err != nil {
		w.t.Fatalf("make the directory of the logs: %v", err)
	}
	return serve(w.t, logs, map[Kind]Script{MainAgent: s.Main, Subagent: s.Sub, Aside: s.Side}), logs
}

// answerDialogs writes what the client remembers of the questions of a first
// run: theme, trust in the directory, the key, the bypass of permissions. What
// the client itself has written since stays.
func (w *World) answerDialogs(dir string) {
	w.t.Helper()
	path := filepath.Join(w.Home, ".claude.json")
	config := map[string]any{}
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &config); err != nil {
			w.t.Fatalf("read %s: %v", path, err)
		}
	}
	projects, ok := config["projects"].(map[string]any)
	if !ok {
		projects = map[string]any{}
	}
	project, ok := projects[dir].(map[string]any)
	if !ok {
		project = map[string]any{}
	}
	project["hasTrustDialogAccepted"], project["hasCompletedProjectOnboarding"] = true, true
	projects[dir] = project
	config["projects"] = projects
	config["theme"], config["hasCompletedOnboarding"] = "dark", true
	config["lastOnboardingVersion"] = Version()
	config["bypassPermissionsModeAccepted"] = true
	config["customApiKeyResponses"] = map[string]any{"approved": []string{apiKey[len(apiKey)-20:]}}
	w.Write(path, string(encode(config)))
	settings := filepath.Join(w.Home, ".claude", "settings.json")
	if _, err := os.Stat(settings); err != nil {
		w.Write(settings, `{"skipDangerousModePermissionPrompt": true}`)
	}
}

// shellWords quotes words for a POSIX shell.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

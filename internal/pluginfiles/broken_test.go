//go:build unix

package pluginfiles

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// foreign is the head of an ELF file for a machine that no test runs on.
const foreign = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x00\x01\x00\x00\x00"

// fault is a way in which a plugin can lack a binary that runs. Where asScript
// is set, the shell writes about the file itself, and some shells run it as a
// script of theirs.
type fault struct {
	name, says string
	asScript   bool
	prepare    func(t *testing.T, root string)
}

func faults(platform string) []fault {
	file := filepath.Join("bin", platform, "omc-hook")
	return []fault{
		{name: "no binary", says: "no binary for " + platform, prepare: func(*testing.T, string) {}},
		{name: "a folder in its place", says: "no binary for " + platform, prepare: func(t *testing.T, root string) {
			if err := os.MkdirAll(filepath.Join(root, file), 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "no executable bit", says: "may not be executed", prepare: func(t *testing.T, root string) {
			write(t, filepath.Join(root, file), "#!/bin/sh\n", 0o644)
		}},
		{name: "another machine's binary", says: "does not run", asScript: true, prepare: func(t *testing.T, root string) {
			write(t, filepath.Join(root, file), foreign+strings.Repeat("\x00", 100), 0o755)
		}},
	}
}

func TestWithoutABinaryEveryHookVerbLetsTheSessionGoOn(t *testing.T) {
	for _, tt := range faults(hostPlatform(t)) {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			launcher := install(t, root)
			tt.prepare(t, root)
			inEachShell(t, func(t *testing.T, shell []string) {
				script := tt.asScript && runsAnything(shell)
				for _, verb := range hookVerbs() {
					got := run(t, "/", nil, "{}", append(shell, launcher, verb)...)
					if script && got.Status <= 1 {
						continue
					}
					if got.Status != 0 || (got.Stderr != "" && !tt.asScript) {
						t.Errorf("%s: got status %d and stderr %q, want 0 and nothing", verb, got.Status, got.Stderr)
					}
					if verb != "session-start" && got.Stdout != "" {
						t.Errorf("%s: got stdout %q, want nothing", verb, got.Stdout)
					}
				}
			})
		})
	}
}

func TestWithoutABinarySessionStartSaysSoInOneLine(t *testing.T) {
	for _, tt := range faults(hostPlatform(t)) {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			launcher := install(t, root)
			tt.prepare(t, root)
			inEachShell(t, func(t *testing.T, shell []string) {
				if tt.asScript && runsAnything(shell) {
					t.Skip("this shell runs any file as a script")
				}
				got := run(t, "/", nil, "{}", append(shell, launcher, "session-start")...)
				note := message(t, got)
				if !strings.Contains(note, tt.says) || !strings.Contains(note, "make -C "+root+" build") {
					t.Errorf("note: got %q, want %q and the command that mends it", note, tt.says)
				}
			})
		})
	}
}

func TestWithoutABinaryEveryOtherVerbSaysWhatToDo(t *testing.T) {
	for _, tt := range faults(hostPlatform(t)) {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			launcher := install(t, root)
			tt.prepare(t, root)
			inEachShell(t, func(t *testing.T, shell []string) {
				if tt.asScript && runsAnything(shell) {
					t.Skip("this shell runs any file as a script")
				}
				got := run(t, "/", nil, "", append(shell, launcher, "status")...)
				if got.Status != 1 || got.Stdout != "" {
					t.Errorf("status: got %d and stdout %q, want 1 and nothing", got.Status, got.Stdout)
				}
				lines := strings.Split(strings.TrimSuffix(got.Stderr, "\n"), "\n")
				last := lines[len(lines)-1]
				if !strings.HasPrefix(last, "omc-hook: ") || !strings.Contains(last, tt.says) || !strings.Contains(last, "make -C "+root+" build") {
					t.Errorf("stderr: got %q, want %q and the command that mends it", got.Stderr, tt.says)
				}
				if len(lines) != 1 && !tt.asScript {
					t.Errorf("stderr: got %d lines, want 1", len(lines))
				}
			})
		})
	}
}

// A folder's name enters neither JSON nor a command unless it needs no quoting.
func TestSessionStartStaysOneJSONDocumentBelowAnyName(t *testing.T) {
	inEachShell(t, func(t *testing.T, shell []string) {
		for _, name := range []string{`a"b`, `a\b`, "a\nb", "a'b", "a b", "ü", "$(exit 2)", "\x1b[31m"} {
			launcher := install(t, filepath.Join(t.TempDir(), name))
			note := message(t, run(t, "/", nil, "{}", append(shell, launcher, "session-start")...))
			if want := "run make build in the plugin's folder"; !strings.Contains(note, want) {
				t.Errorf("folder %q: got %q, want %q", name, note, want)
			}
		}
	})
}

// dash and busybox end with status 2 when they cannot start a process.
func TestAShellThatCannotForkDoesNotBlockAStop(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become a user without other processes")
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv here")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here to set the limit")
	}
	root, err := os.MkdirTemp("", "fork")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	launcher := install(t, root)
	write(t, filepath.Join(root, "bin", hostPlatform(t), "omc-hook"), "#!/bin/sh\nexit 0\n", 0o755)
	inEachShell(t, func(t *testing.T, shell []string) {
		if name := filepath.Base(shell[0]); name != "dash" && name != "busybox" {
			t.Skip("this shell waits up to half a minute before it gives up")
		}
		limited := fmt.Sprintf("ulimit -u 1; exec %s \"$0\" stop", strings.Join(shell, " "))
		got := run(t, "/", nil, "", setpriv, "--reuid", "65534", "--clear-groups", bash, "-c", limited, launcher)
		if got.Status != 1 {
			t.Errorf("status: got %d (stderr %q), want 1", got.Status, got.Stderr)
		}
	})
}

// runsAnything tells of the shells that run a file as a script when the kernel
// cannot run it.
func runsAnything(shell []string) bool {
	name := filepath.Base(shell[0])
	return name == "busybox" || name == "mksh"
}

// message reads the answer of session-start.
func message(t *testing.T, got result) string {
	t.Helper()
	var answer map[string]string
	if err := json.Unmarshal([]byte(got.Stdout), &answer); err != nil {
		t.Fatalf("stdout %q: %v", got.Stdout, err)
	}
	note := answer["systemMessage"]
	if diff := cmp.Diff(map[string]string{"systemMessage": note}, answer); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if got.Status != 0 || strings.Count(got.Stdout, "\n") != 1 || strings.Contains(note, "\n") {
		t.Errorf("answer: got status %d and %q, want 0 and one line", got.Status, got.Stdout)
	}
	return note
}

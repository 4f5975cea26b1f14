//go:build unix

package pluginfiles

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hookVerbs are the verbs that a client starts, where status 2 means "do not stop".
func hookVerbs() []string {
	return []string{"stop", "expand", "permit", "session-start", "user-prompt", "stop-failure"}
}

func TestLauncherNeverEndsAHookVerbWithStatus2(t *testing.T) {
	root := t.TempDir()
	launcher := install(t, root, hostPlatform(t))
	statuses := map[string]int{"exit=0": 0, "exit=1": 1, "exit=2": 1, "exit=3": 1, "exit=255": 1}
	inEachShell(t, func(t *testing.T, shell []string) {
		for _, verb := range hookVerbs() {
			for asked, want := range statuses {
				if got := run(t, root, nil, "", append(shell, launcher, verb, asked)...); got.Status != want {
					t.Errorf("%s %s: got status %d, want %d", verb, asked, got.Status, want)
				}
			}
		}
	})
}

func TestLauncherKeepsTheStatusOfEveryOtherVerb(t *testing.T) {
	root := t.TempDir()
	launcher := install(t, root, hostPlatform(t))
	inEachShell(t, func(t *testing.T, shell []string) {
		for asked, want := range map[string]int{"exit=0": 0, "exit=1": 1, "exit=2": 2, "exit=3": 3} {
			for _, verb := range []string{"status", "goal", "stops", ""} {
				if got := run(t, root, nil, "", append(shell, launcher, verb, asked)...); got.Status != want {
					t.Errorf("%q %s: got status %d, want %d", verb, asked, got.Status, want)
				}
			}
		}
	})
}

func TestLauncherHandsOnArgumentsAndInputByteForByte(t *testing.T) {
	root := t.TempDir()
	launcher := install(t, root, hostPlatform(t))
	args := []string{"stop", "", "a b", `"'`, "$(id)`id`", "*", "-n", "line\nline", "ünï"}
	stdin := "{\"goal\":\"$HOME `id`\\n\"}\r\n\ttwo\n\n"
	inEachShell(t, func(t *testing.T, shell []string) {
		line := append(append(shell, launcher), append(args, "stdin")...)
		got := parse(t, run(t, root, nil, stdin, line...))
		if diff := cmp.Diff(args, got.Args); diff != "" {
			t.Errorf("arguments (-want +got):\n%s", diff)
		}
		if got.Stdin != stdin {
			t.Errorf("input: got %q, want %q", got.Stdin, stdin)
		}
	})
}

func TestLauncherFindsItsBinaryBelowAnyName(t *testing.T) {
	names := map[string]string{
		"a space": "My Plugins (x86)", "an apostrophe": "a'b", "a quote": `a"b`, "a dollar": "$HOME",
		"a command": "$(exit 2)`exit 2`", "umlauts": "ünï", "a line end": "a\nb", "a backslash": `a\b`,
		"a dash in front": "-n", "a pattern": "[a]*?", "a tilde": "~", "a percent sign": "%s",
	}
	inEachShell(t, func(t *testing.T, shell []string) {
		for what, name := range names {
			root := filepath.Join(t.TempDir(), name)
			launcher := install(t, root, hostPlatform(t))
			starts := map[string]struct {
				dir  string
				line []string
			}{
				"absolute":            {dir: "/", line: append(shell, launcher, "stop")},
				"relative":            {dir: root, line: append(shell, "bin/omc-hook", "stop")},
				"from its own folder": {dir: filepath.Join(root, "bin"), line: append(shell, "./omc-hook", "stop")},
			}
			for how, start := range starts {
				got := parse(t, run(t, start.dir, nil, "", start.line...))
				if got.Launcher != launcher && got.Launcher != filepath.Join(root, "bin")+"/./omc-hook" {
					t.Errorf("%s, %s: got launcher %q, want %q", what, how, got.Launcher, launcher)
				}
			}
		}
	})
}

func TestLauncherStartsWithoutAShellInFront(t *testing.T) {
	root := filepath.Join(t.TempDir(), `My "Plugins" a'b $HOME ünï`)
	launcher := install(t, root, hostPlatform(t))
	got := parse(t, run(t, "/", []string{"PATH=/nonexistent"}, "{}", launcher, "stop", "stdin"))
	want := call{Folder: hostPlatform(t), Args: []string{"stop"}, Launcher: launcher, Stdin: "{}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("call (-want +got):\n%s", diff)
	}
}

func TestLauncherIsFoundThroughPath(t *testing.T) {
	root := filepath.Join(t.TempDir(), "My Plugins")
	install(t, root, hostPlatform(t))
	bin := filepath.Join(root, "bin")
	tests := []struct {
		name, dir, path string
	}{
		{name: "an absolute entry", dir: "/", path: "/nonexistent:" + bin},
		{name: "a relative entry", dir: root, path: "bin"},
		{name: "the working folder", dir: bin, path: "."},
		{name: "an empty entry", dir: bin, path: ":/nonexistent"},
	}
	inEachShell(t, func(t *testing.T, shell []string) {
		for _, tt := range tests {
			env := []string{"PATH=" + tt.path}
			got := parse(t, run(t, tt.dir, env, "", append(shell, "-c", "omc-hook status")...))
			if diff := cmp.Diff([]string{"status"}, got.Args); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	})
}

func TestLauncherIsFoundThroughLinks(t *testing.T) {
	root := filepath.Join(t.TempDir(), "plugin")
	launcher := install(t, root, hostPlatform(t))
	home := t.TempDir()
	links := [][2]string{
		{launcher, "absolute"}, {"absolute", "relative"}, {"relative", "again"}, {root, "folder"},
	}
	for _, link := range links {
		if err := os.Symlink(link[0], filepath.Join(home, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH")}
	inEachShell(t, func(t *testing.T, shell []string) {
		for _, name := range []string{"absolute", "relative", "again", "folder/bin/omc-hook"} {
			parse(t, run(t, "/", env, "", append(shell, filepath.Join(home, name), "status")...))
			parse(t, run(t, home, env, "", append(shell, name, "status")...))
		}
	})
}

func TestLauncherWritesNothingBelowThePlugin(t *testing.T) {
	root := t.TempDir()
	launcher := install(t, root, hostPlatform(t))
	bare := install(t, filepath.Join(root, "bare"))
	before := tree(t, root)
	inEachShell(t, func(t *testing.T, shell []string) {
		for _, verb := range append(hookVerbs(), "status") {
			run(t, root, nil, "{}", append(shell, launcher, verb)...)
			run(t, root, nil, "{}", append(shell, bare, verb)...)
		}
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Errorf("files (-before +after):\n%s", diff)
		}
	})
}

// tree lists all files below root with what a write would change.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files[path] = info.Mode().String() + " " + info.ModTime().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

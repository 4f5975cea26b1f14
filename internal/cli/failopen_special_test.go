//go:build unix

package cli

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// places are the files and directories that the verbs read or write, each below
// the repository, the session's directory (D), the goal's directory (G) or the
// person's state home (H).
func (f *field) places() map[string]string {
	d, g, h := f.dir(s1), filepath.Join(f.root, ".goal-loop"), filepath.Dir(f.personLog())
	all := map[string]string{
		"the state root": filepath.Join(f.root, ".omc"), "the sessions": filepath.Dir(d), "the session": d,
		"the archive": filepath.Join(f.root, ".omc", "state", "omc-hook-archive"), "the goal's directory": g,
		"the person's home": h, "the pointers": filepath.Join(h, "sessions"), "the pointer": filepath.Join(h, "sessions", s1+".json"),
		"the log": filepath.Join(h, "log"), "the older log": filepath.Join(h, "log.1"),
		"the transcript": filepath.Join(f.home, "t.jsonl"), "the ralph-loop file": filepath.Join(f.root, ".claude", "ralph-loop.local.md"),
		"the git directory": filepath.Join(f.root, ".git"), "the makefile": filepath.Join(f.root, "Makefile"),
	}
	for _, name := range []string{"goal-loop-state.json", "omc-hook.lock", "omc-hook-trace.jsonl", "omc-hook-trace.jsonl.1", "ralph-state.json"} {
		all["D/"+name] = filepath.Join(d, name)
	}
	for _, name := range []string{"GOAL.md", "GOAL-WORKLOG.md", "STOP", "omc-hook.lock", ".omc-hook-intent.json"} {
		all["G/"+name] = filepath.Join(g, name)
	}
	return all
}

// things are what may lie in the place of a file.
var things = map[string]func(path string) error{
	"a pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
	"a socket": func(path string) error {
		// The name of a socket is bounded, so it is made elsewhere and moved in.
		dir, err := os.MkdirTemp("", "s")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		short := filepath.Join(dir, "s")
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		if err := os.Rename(short, path); err != nil {
			return err
		}
		return l.Close()
	},
	"a device":                    func(path string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|5) },
	"a link to an endless device": func(path string) error { return os.Symlink("/dev/zero", path) },
	"a link to itself":            func(path string) error { return os.Symlink(filepath.Base(path), path) },
}

// TestWhatIsNoFileHoldsNothingUp is the last row of the hostile files and the
// rest of cases 42, 61 and 94: in the place of each file something that would
// hold a reader for ever, feed it without end, or is no file at all. Every verb
// and command ends in time and leaves it where it is.
func TestWhatIsNoFileHoldsNothingUp(t *testing.T) {
	withoutPrograms(t)
	everywhere := []string{"a pipe", "a directory", "a link to an endless device"}
	for what, place := range things {
		for name := range newField(t).places() {
			if !slices.Contains(everywhere, what) && !strings.HasPrefix(name, "D/") {
				continue
			}
			t.Run(what+" in the place of "+name, func(t *testing.T) {
				f := insideOf(newField(t))
				f.start(s1, "make")
				path := f.places()[name]
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				f.mkdir(filepath.Dir(path))
				if err := place(path); err != nil {
					if errors.Is(err, fs.ErrPermission) {
						t.Skip("this user may not make it")
					}
					t.Fatal(err)
				}
				before, err := os.Lstat(path)
				if err != nil {
					t.Fatal(err)
				}
				f.everyVerb()
				if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) {
					t.Errorf("it was replaced or removed: %v", err)
				}
			})
		}
	}
}

// everyVerb sends one event to each hook verb and runs each command.
func (f *inside) everyVerb() {
	f.Helper()
	f.stop(f.in("transcript_path", filepath.Join(f.home, "t.jsonl")))
	for _, verb := range hookVerbNames {
		e := newEvent(verb, s1, f.root).with("transcript_path", filepath.Join(f.home, "t.jsonl"))
		switch verb {
		case "permit":
			e = e.with("tool_input", map[string]string{"command": "omc-hook status"})
		case "expand":
			for _, args := range []string{"status", "pause", "resume", "extend 2", "adopt " + s1, "another goal"} {
				f.expand(s1, args)
			}
			f.expand(s2, "--state-dir=.second another")
		}
		f.hook(verb, e.bytes())
	}
	round := `{"planned":"a","next":"b"}`
	for _, line := range []string{
		"status", "why", "show", "history", "lint", "wait b1 --for 1m", "goal record --stdin", "goal finish BLOCKED --stdin",
		"adopt --from " + s1 + " --to " + s3, "cancel", "cancel --all",
	} {
		stdin := ""
		if strings.Contains(line, "--stdin") {
			stdin = round
		}
		f.command(s1, stdin, strings.Fields(line)...)
	}
}

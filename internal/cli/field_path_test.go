package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFieldPath(t *testing.T) {
	tests := []struct {
		name string
		run  func(f *field)
	}{
		{"case 6: the agent changed into a subdirectory", func(f *field) {
			f.live()
			deep := filepath.Join(f.root, "sub", "deep")
			f.mkdir(deep)
			f.wantBlock(f.from(deep, f.in("cwd", deep), "CLAUDE_PROJECT_DIR="+f.root))
			f.wantBlock(f.from(deep, f.in("cwd", deep, "last_assistant_message", "b")))
			f.wantIteration(5)
		}},
		{"case 6: an orphan below the subdirectory is not obeyed", func(f *field) {
			f.live()
			sub := filepath.Join(f.root, "sub")
			orphan := filepath.Join(sub, ".omc", "state", "sessions", s1, "goal-loop-state.json")
			f.write(orphan, string(liveState("iteration", 99, "max_iterations", 100, "prompt", "an orphaned goal")))
			f.unchanged(sub, func() {
				a := f.from(sub, f.in("cwd", sub))
				f.wantBlock(a)
				if strings.Contains(a.reason, "an orphaned goal") {
					f.Errorf("the orphan was obeyed: %q", a.reason)
				}
			})
			f.wantIteration(4)
		}},
		{"case 6: without a usable working directory the client's directory counts, else nothing", func(f *field) {
			for _, cwd := range []any{filepath.Join(f.root, "gone"), "", nil, ".", "/", 7} {
				f.live()
				f.wantBlock(f.stop(f.in("cwd", cwd)))
			}
			f.live()
			f.wantBlock(f.from(f.home, f.in("cwd", f.home), "CLAUDE_PROJECT_DIR="+f.root))
			f.unchanged(f.root, func() {
				f.wantAllow(f.from(f.home, f.in("cwd", filepath.Join(f.root, "gone"))))
				f.wantAllow(f.from(f.home, f.in("cwd", nil)))
			})
		}},
		{"case 7: command and hook find the same state for every OMC_STATE_DIR, or refuse", stateDirectories},
		{"case 7: a cancel that would miss the loop which the hook reads is refused", func(f *field) {
			f.start(s1, "make")
			elsewhere := "OMC_STATE_DIR=" + filepath.Join(filepath.Dir(f.root), "elsewhere")
			a := f.run(strings.NewReader(""), f.root, []string{"CLAUDE_CODE_SESSION_ID=" + s1, elsewhere}, "cancel")
			if a.status != 1 || !strings.Contains(a.stderr, f.state(s1)) || !strings.Contains(a.stderr, "hint: unset OMC_STATE_DIR") {
				f.Errorf("status %d, stdout %q, stderr %q", a.status, a.stdout, a.stderr)
			}
			f.wantBlock(f.stop(f.in()))
		}},
		{"case 61: a directory that cannot be used fails fast and names itself", func(f *field) {
			f.write(filepath.Join(f.root, ".omc"), "a file in the way")
			a := f.hook("expand", newEvent("expand", s1, f.root).with("command_args", "make").bytes())
			if a.decision != "block" || !strings.Contains(a.reason, ".omc") {
				f.Errorf("start: %q", a.stdout)
			}
			f.wantAllow(f.stop(f.in()))
			if a := f.command(s1, f.root, "make", "goal", "start", "--stdin"); a.status != 1 || !strings.Contains(a.stderr, ".omc") {
				f.Errorf("status %d, stderr %q", a.status, a.stderr)
			}
		}},
		{"case 76: sixteen starts at once make one loop", func(f *field) {
			answers := f.atOnce(16, func(int) answer {
				return f.hook("expand", newEvent("expand", s1, f.root).with("command_args", "make").bytes())
			})
			started := 0
			for _, a := range answers {
				switch {
				case strings.Contains(a.note, "goal-loop started"):
					started++
				case a.decision != "block" || a.reason == "":
					f.Errorf("neither started nor refused: %q", a.stdout)
				}
			}
			if started != 1 {
				f.Errorf("%d of 16 started, want 1", started)
			}
			f.wantBlock(f.stop(f.in()))
		}},
		{"case 77: a session that enters a linked worktree keeps its loop", func(f *field) {
			f.start(s1, "make")
			tree := filepath.Join(filepath.Dir(f.root), "linked")
			f.write(filepath.Join(tree, ".git"), "gitdir: "+filepath.Join(f.root, ".git", "worktrees", "linked")+"\n")
			f.unchanged(tree, func() {
				f.wantBlock(f.from(tree, f.in("cwd", tree), "CLAUDE_PROJECT_DIR="+f.root))
				f.wantBlock(f.from(tree, f.in("cwd", tree, "last_assistant_message", "b"), "CLAUDE_PROJECT_DIR="+tree))
				if a := f.command(s1, tree, `{"planned":"a","next":"b"}`, "goal", "record", "--stdin"); a.status != 0 {
					f.Errorf("a record in the worktree: %s", a.stderr)
				}
			})
			if err := os.RemoveAll(tree); err != nil {
				f.Fatal(err)
			}
			f.wantBlock(f.stop(f.in("cwd", tree, "last_assistant_message", "c"), "CLAUDE_PROJECT_DIR="+tree))
		}},
		{"case 79: outside git the session's directory is the root, from everywhere below", func(f *field) {
			if err := os.RemoveAll(filepath.Join(f.root, ".git")); err != nil {
				f.Fatal(err)
			}
			f.write(filepath.Join(filepath.Dir(f.root), ".omc", "state", "x"), "of somebody else")
			f.start(s1, "make")
			deep := filepath.Join(f.root, "a", "b")
			f.mkdir(deep)
			for i, dir := range []string{deep, f.home, string(filepath.Separator)} {
				f.wantBlock(f.from(dir, f.in("cwd", dir, "last_assistant_message", string(rune('a'+i)))))
			}
			for _, dir := range []string{deep, f.home, filepath.Dir(f.root)} {
				if dir != filepath.Dir(f.root) && exists(filepath.Join(dir, ".omc")) {
					f.Errorf("%s has an .omc now", dir)
				}
			}
		}},
		{"case 83: no link below the state root is followed", links},
		{"case 94: only a missing file is a missing file", func(f *field) {
			f.mkdir(f.state(s1))
			f.unchanged(f.root, func() { f.wantNote(f.stop(f.in()), "goal-loop-state.json") })
			a := f.hook("expand", newEvent("expand", s1, f.root).with("command_args", "make").bytes())
			if a.decision != "block" || !strings.Contains(a.reason, "goal-loop-state.json") {
				f.Errorf("a start over a directory: %q", a.stdout)
			}
			for _, name := range []string{"GOAL.md", "GOAL-WORKLOG.md"} {
				f.mkdir(filepath.Join(f.root, ".second", name))
			}
			f.unchanged(filepath.Join(f.root, ".second"), func() {
				a := f.hook("expand", newEvent("expand", s2, f.root).with("command_args", "--state-dir=.second make").bytes())
				if a.decision != "block" || !strings.Contains(a.reason, ".second") {
					f.Errorf("a start over directories: %q", a.stdout)
				}
			})
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) { tc.run(newField(t)) })
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// from sends a Stop from a process that stands in dir.
func (f *field) from(dir string, e event, env ...string) answer {
	f.Helper()
	a := f.run(strings.NewReader(string(e.bytes())), dir, env, "stop")
	f.formed(&a)
	return a
}

func stateDirectories(f *field) {
	top := filepath.Dir(f.root)
	f.write(filepath.Join(top, "file"), "")
	f.mkdir(filepath.Join(top, "real"))
	dirs := map[string]bool{
		"": true, filepath.Join(top, "abs"): true, filepath.Join(top, "with space", "ü"): true, filepath.Join(top, "real"): true,
		"rel/dir": false, "~/.omc/x": false, filepath.Join(top, "file"): false,
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink(filepath.Join(top, "real"), filepath.Join(top, "link")); err != nil {
			f.Fatal(err)
		}
		dirs[filepath.Join(top, "link")] = true
	}
	sub := filepath.Join(f.root, "sub")
	f.mkdir(sub)
	for dir, usable := range dirs {
		f.env = []string{"OMC_STATE_DIR=" + dir}
		start := f.hook("expand", newEvent("expand", s1, f.root).with("command_args", "make").bytes())
		if !usable {
			if start.decision != "block" || !strings.Contains(start.reason, "OMC_STATE_DIR") {
				f.Errorf("%q: start answered %q", dir, start.stdout)
			}
			f.wantQuiet(f.stop(f.in()))
			for _, args := range [][]string{{"status"}, {"cancel"}, {"history"}} {
				if a := f.command(s1, f.root, "", args...); a.status != 1 || !strings.Contains(a.stderr, "OMC_STATE_DIR") {
					f.Errorf("%q: %v: status %d, stderr %q", dir, args, a.status, a.stderr)
				}
			}
			continue
		}
		f.wantBlock(f.stop(f.in()))
		if a := f.command(s1, sub, "", "status"); a.status != 0 {
			f.Errorf("%q: status %d below the root: %s", dir, a.status, a.stdout)
		}
		if a := f.command(s1, sub, "", "cancel"); !strings.Contains(a.stdout, "1 loop ended") {
			f.Errorf("%q: cancel: %q", dir, a.stdout)
		}
		f.wantNote(f.stop(f.in()), "CANCELLED")
		if err := os.RemoveAll(filepath.Join(f.root, ".goal-loop")); err != nil {
			f.Fatal(err)
		}
	}
	if exists(filepath.Join(f.root, "~")) || exists(filepath.Join(f.root, "rel")) {
		f.Error("a directory was made from a relative value")
	}
}

func links(f *field) {
	if runtime.GOOS == "windows" {
		f.Skip("needs links without a privilege")
	}
	outside := filepath.Join(filepath.Dir(f.root), "outside")
	target := filepath.Join(outside, "bashrc")
	link := func(from, to string) {
		f.Helper()
		f.mkdir(filepath.Dir(from))
		if err := os.RemoveAll(from); err != nil {
			f.Fatal(err)
		}
		if err := os.Symlink(to, from); err != nil {
			f.Fatal(err)
		}
	}
	f.write(target, string(liveState()))
	f.mkdir(filepath.Join(outside, "dir"))
	f.write(filepath.Join(outside, "dir", "goal-loop-state.json"), string(liveState()))
	f.unchanged(outside, func() {
		link(f.state(s1), target)
		f.wantNote(f.stop(f.in()), "goal-loop-state.json")
		link(f.state(s1), filepath.Join(outside, "dangling"))
		f.wantNote(f.stop(f.in()), "goal-loop-state.json")
		_ = f.command(s1, f.root, "", "cancel")
		link(f.dir(s1), filepath.Join(outside, "dir"))
		f.wantAllow(f.stop(f.in()))
		_ = f.command(s1, f.root, "", "cancel")
		if err := os.Remove(f.dir(s1)); err != nil {
			f.Fatal(err)
		}
		f.live()
		link(filepath.Join(f.dir(s1), "omc-hook.lock"), filepath.Join(outside, "made"))
		f.wantNote(f.stop(f.in()))
		link(filepath.Join(f.root, ".goal-loop"), filepath.Join(outside, "dir"))
		a := f.hook("expand", newEvent("expand", s2, f.root).with("command_args", "make").bytes())
		if a.decision != "block" || !strings.Contains(a.reason, ".goal-loop") {
			f.Errorf("a start through a link: %q", a.stdout)
		}
	})
}

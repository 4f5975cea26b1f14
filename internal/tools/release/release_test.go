package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample makes a repository of a plugin whose program is a few lines, below a
// name that needs quoting, and returns its root.
func sample(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	root := filepath.Join(t.TempDir(), "a plugin, ünï 100%")
	files := map[string]string{
		"go.mod":                     "module omc-hook\n\ngo 1.26\n",
		"cmd/omc-hook/main.go":       "package main\n\nvar version = \"dev\"\n\nfunc main() { println(version) }\n",
		"plugin.json":                `{"name": "omc-hook", "version": "1.2.3"}`,
		".claude-plugin/plugin.json": `{"name": "omc-hook", "version": "1.2.3"}`,
		"hooks/hooks.json":           "{}",
		"skills/goal-loop/SKILL.md":  "text\n",
		"bin/omc-hook":               "#!/bin/sh\n",
		"LICENSE":                    "MIT\n",
		"README.md":                  "read\n",
		".gitattributes":             "* text=auto eol=lf\n",
		"internal/secret.txt":        "not a part of the plugin\n",
	}
	for path, text := range files {
		write(t, filepath.Join(root, filepath.FromSlash(path)), text)
	}
	git(t, root, "init", "-q", "-b", "main")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "-m", "first")
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.invalid", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// here is the platform of the test; start makes it stand beside the launcher too.
func here() platform {
	return platform{os: runtime.GOOS, arch: runtime.GOARCH, start: runtime.GOOS == "windows"}
}

func releaseSample(t *testing.T, root string) result {
	t.Helper()
	repo, err := open(root)
	if err != nil {
		t.Fatal(err)
	}
	made, err := repo.release("release", []platform{here()})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestReleaseIsOneCommitOfThePluginAndItsBinaries(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the list below is that of a system without .exe")
	}
	root := sample(t)
	made := releaseSample(t, root)
	listed := git(t, root, "ls-tree", "-r", "--format=%(objectmode) %(path)", "release")
	want := []string{
		"100644 .claude-plugin/plugin.json",
		"100644 .gitattributes",
		"100644 LICENSE",
		"100644 README.md",
		"100755 bin/" + runtime.GOOS + "-" + runtime.GOARCH + "/omc-hook",
		"100755 bin/omc-hook",
		"100644 hooks/hooks.json",
		"100644 plugin.json",
		"100644 skills/goal-loop/SKILL.md",
	}
	if diff := cmp.Diff(want, strings.Split(listed, "\n")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if got := git(t, root, "rev-list", "release"); got != made.commit {
		t.Errorf("commits of the branch: got %q, want %q alone", got, made.commit)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, root, "clone", "-q", "--branch", "release", root, clone)
	out, err := exec.Command(filepath.Join(clone, "bin", runtime.GOOS+"-"+runtime.GOARCH, "omc-hook")).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "1.2.3" {
		t.Errorf("binary of a clone: got %q (%v), want the version of the manifest", out, err)
	}
}

func TestReleaseLeavesTheWorkTreeAndTheIndexAlone(t *testing.T) {
	root := sample(t)
	write(t, filepath.Join(root, "README.md"), "changed\n")
	write(t, filepath.Join(root, "staged"), "staged\n")
	write(t, filepath.Join(root, "hooks", "untracked"), "untracked\n")
	git(t, root, "add", "staged")
	before := git(t, root, "status", "--porcelain") + git(t, root, "rev-parse", "HEAD", "--abbrev-ref", "HEAD")
	releaseSample(t, root)
	after := git(t, root, "status", "--porcelain") + git(t, root, "rev-parse", "HEAD", "--abbrev-ref", "HEAD")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("status (-before +after):\n%s", diff)
	}
	if got := git(t, root, "show", "release:README.md"); got != "read" {
		t.Errorf("README.md of the release: got %q, want HEAD's", got)
	}
}

func TestTheSameHeadGivesTheSameCommit(t *testing.T) {
	root := sample(t)
	first, second := releaseSample(t, root), releaseSample(t, root)
	if first.commit != second.commit {
		t.Errorf("commit: got %s, then %s, want the same", first.commit, second.commit)
	}
}

func TestReleaseOnWindowsAlsoStandsBesideTheLauncher(t *testing.T) {
	var got []string
	for _, p := range platforms() {
		if p.start {
			got = append(got, p.os+"-"+p.arch)
		}
	}
	if diff := cmp.Diff([]string{"windows-amd64"}, got); diff != "" {
		t.Errorf("platforms beside the launcher (-want +got):\n%s", diff)
	}
	root := sample(t)
	repo, err := open(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.release("release", []platform{{os: "windows", arch: "amd64", start: true}}); err != nil {
		t.Fatal(err)
	}
	beside := git(t, root, "rev-parse", "release:bin/omc-hook.exe")
	if inner := git(t, root, "rev-parse", "release:bin/windows-amd64/omc-hook.exe"); inner != beside {
		t.Errorf("binaries: got %s and %s, want the same", beside, inner)
	}
}

func TestReleaseRefuses(t *testing.T) {
	tests := []struct {
		name, want string
		prepare    func(t *testing.T, root string)
	}{
		{name: "a branch that is checked out", want: "checked out", prepare: func(t *testing.T, root string) {
			git(t, root, "checkout", "-q", "-b", "release")
		}},
		{name: "a version that is no version", want: "no version", prepare: func(t *testing.T, root string) {
			write(t, filepath.Join(root, "plugin.json"), `{"version": "1.0 -X main.other=1"}`)
			git(t, root, "commit", "-q", "-am", "bad")
		}},
		{name: "a program that does not build", want: "build for", prepare: func(t *testing.T, root string) {
			write(t, filepath.Join(root, "cmd", "omc-hook", "main.go"), "package main\n")
			git(t, root, "commit", "-q", "-am", "bad")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := sample(t)
			tt.prepare(t, root)
			repo, err := open(root)
			if err != nil {
				t.Fatal(err)
			}
			_, err = repo.release("release", []platform{here()})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error: got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMarketplaceNamesTheBranch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new folder")
	if err := writeMarketplace(dir, fileURL("/a b/ü%"), "release"); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, ".claude-plugin", "marketplace.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Plugins []struct{ Source map[string]string }
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"source": "url", "url": "file:///a%20b/%C3%BC%25", "ref": "release"}
	if diff := cmp.Diff(want, got.Plugins[0].Source); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
}

func TestOnePlatformIsChosenByItsName(t *testing.T) {
	one, err := choose("windows/arm64")
	if err != nil || len(one) != 1 || one[0].os != "windows" || one[0].arch != "arm64" {
		t.Errorf("choose(windows/arm64) = %v, %v", one, err)
	}
	if all, err := choose(""); err != nil || len(all) != len(platforms()) {
		t.Errorf("choose of no name = %v, %v, want every platform", all, err)
	}
	if got, err := choose("plan9/amd64"); err == nil {
		t.Errorf("choose(plan9/amd64) = %v, want an error", got)
	}
}

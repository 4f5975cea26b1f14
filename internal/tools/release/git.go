package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// repository is a git repository that is worked on through an index of its own.
type repository struct {
	root  string
	index string // none until a release begins
}

// open finds the repository that dir lies in.
func open(dir string) (*repository, error) {
	at := &repository{root: dir}
	root, err := at.git("", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	return &repository{root: root}, nil
}

// git runs one git command in the repository and returns its output without
// the last line end.
func (r *repository) git(stdin string, args ...string) (string, error) {
	return r.gitWith(nil, stdin, args...)
}

func (r *repository) gitWith(env []string, stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.root
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), env...)
	if r.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+r.index)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}

// export writes the files of HEAD below dir.
func (r *repository) export(dir string) error {
	if _, err := r.git("", "read-tree", "HEAD"); err != nil {
		return err
	}
	_, err := r.git("", "checkout-index", "--all", "--prefix="+dir+"/")
	return err
}

// stageHead puts HEAD's files below the given paths, and nothing else, into
// the index. The launcher is executable even where HEAD lost the bit, which a
// system without such a bit cannot keep.
func (r *repository) stageHead(paths []string) error {
	listed, err := r.git("", append([]string{"ls-tree", "-r", "--full-tree", "HEAD", "--"}, paths...)...)
	if err != nil {
		return err
	}
	if listed == "" {
		return errors.New("stage plugin: HEAD holds none of its files")
	}
	lines := strings.Split(listed, "\n")
	for i, line := range lines {
		if strings.HasSuffix(line, "\t"+launcher) {
			lines[i] = strings.Replace(line, "100644 ", "100755 ", 1)
		}
	}
	if _, err := r.git("", "read-tree", "--empty"); err != nil {
		return err
	}
	_, err = r.git(strings.Join(lines, "\n")+"\n", "update-index", "--index-info")
	return err
}

// stageBinary puts a file into the index as an executable, byte for byte.
func (r *repository) stageBinary(file, path string) error {
	object, err := r.git("", "hash-object", "-w", "--no-filters", "--", file)
	if err != nil {
		return err
	}
	_, err = r.git("", "update-index", "--add", "--cacheinfo", "100755,"+object+","+path)
	return err
}

// commit makes a commit without a parent from the index. Who and when are
// HEAD's, so that the same HEAD gives the same commit.
func (r *repository) commit(message string) (string, error) {
	tree, err := r.git("", "write-tree")
	if err != nil {
		return "", err
	}
	who, err := r.git("", "log", "-1", "--format=%cn%n%ce%n%cI")
	if err != nil {
		return "", err
	}
	fields := strings.Split(who, "\n")
	if len(fields) != 3 {
		return "", fmt.Errorf("read committer of HEAD: got %q", who)
	}
	var env []string
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+role+"_NAME="+fields[0], "GIT_"+role+"_EMAIL="+fields[1], "GIT_"+role+"_DATE="+fields[2])
	}
	return r.gitWith(env, message, "commit-tree", tree)
}

// setBranch makes a branch point at a commit. A branch that is checked out
// somewhere is refused: its files there would seem changed.
func (r *repository) setBranch(branch, commit string) error {
	ref := "refs/heads/" + branch
	trees, err := r.git("", "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(trees, "\n") {
		if line == "branch "+ref {
			return fmt.Errorf("set branch %s: it is checked out in a work tree", branch)
		}
	}
	_, err = r.git("", "update-ref", "-m", "release", ref, commit)
	return err
}

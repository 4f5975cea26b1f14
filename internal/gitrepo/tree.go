package gitrepo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"omc-hook/internal/plain"
)

// Tree identifies what a work tree holds: the commit, and what differs from it
// in the index and on disk. Two trees are the same where both can be compared
// and their digests are equal.
type Tree struct {
	// Head is the commit, "" outside a repository or before its first commit.
	Head   string `json:"head"`
	Digest string `json:"digest"`
	// Paths are what differs from the commit, sorted, at most maxTreePaths of
	// them; More counts the others, which are in the digest too.
	Paths []TreePath `json:"paths,omitempty"`
	More  int        `json:"more_paths,omitempty"`
	// NotComparable says why no digest could be taken, "" where there is one.
	NotComparable string `json:"not_comparable,omitempty"`
}

// TreePath is one path that differs from the commit, and what identifies its
// content and its entry in the index.
type TreePath struct {
	Path  string `json:"path"`
	State string `json:"state"`
}

// maxTreePaths bounds the paths that a tree names.
const maxTreePaths = 300

// NewTree is the tree of a commit with what differs from it.
func NewTree(head string, paths []TreePath) Tree {
	paths = slices.Clone(paths)
	slices.SortFunc(paths, func(a, b TreePath) int {
		return strings.Compare(a.Path+"\x00"+a.State, b.Path+"\x00"+b.State)
	})
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", head)
	for _, p := range paths {
		fmt.Fprintf(h, "%q %q\n", p.Path, p.State)
	}
	t := Tree{Head: head, Digest: hex.EncodeToString(h.Sum(nil))}
	t.Paths = paths[:min(len(paths), maxTreePaths)]
	t.More = len(paths) - len(t.Paths)
	return t
}

// Same reports whether t and old are known to hold the same.
func (t Tree) Same(old Tree) bool {
	return t.NotComparable == "" && old.NotComparable == "" && t.Digest != "" && t.Digest == old.Digest
}

// Since names, for people, what differs in t from old: nothing where both are
// the same.
func (t Tree) Since(old Tree) []string {
	switch {
	case t.Same(old):
		return nil
	case old.NotComparable != "":
		return []string{"the work tree could not be compared then: " + old.NotComparable}
	case t.NotComparable != "":
		return []string{"the work tree cannot be compared now: " + t.NotComparable}
	}
	var what []string
	if t.Head != old.Head {
		what = append(what, fmt.Sprintf("HEAD moved from %s to %s", short(old.Head), short(t.Head)))
	}
	now, then := states(t.Paths), states(old.Paths)
	for _, p := range append(slices.Clone(t.Paths), old.Paths...) {
		name := plain.Line(p.Path, 200)
		if now[p.Path] != then[p.Path] && !slices.Contains(what, name) {
			what = append(what, name)
		}
	}
	if len(what) == 0 {
		what = append(what, "a path that is not among the first "+fmt.Sprint(maxTreePaths))
	}
	return what
}

func states(paths []TreePath) map[string]string {
	m := map[string]string{}
	for _, p := range paths {
		m[p.Path] = p.State
	}
	return m
}

func short(commit string) string {
	if commit == "" {
		return "no commit"
	}
	return plain.Line(commit[:min(len(commit), 12)], 12)
}

// StatusEntry is one path of a status: its fields before the path, and the path
// from the top of the work tree. That of a nested repository ends with a slash.
type StatusEntry struct {
	Fields, Path string
}

// Status reads the output of `git status --porcelain=v2 -z --branch
// --no-renames`: the commit and the entries.
func Status(porcelain []byte) (head string, entries []StatusEntry, err error) {
	for line := range strings.SplitSeq(string(porcelain), "\x00") {
		kind, rest, _ := strings.Cut(line, " ")
		before := 0
		switch kind {
		case "":
			continue
		case "#":
			if oid, ok := strings.CutPrefix(rest, "branch.oid "); ok && oid != "(initial)" {
				head = oid
			}
			continue
		case "1":
			before = 7
		case "u":
			before = 9
		case "?":
		default:
			return "", nil, fmt.Errorf("an entry of git status begins with %q", plain.Line(line, 20))
		}
		parts := strings.SplitN(rest, " ", before+1)
		if len(parts) != before+1 || parts[before] == "" {
			return "", nil, fmt.Errorf("an entry of git status has no path: %q", plain.Line(line, 80))
		}
		entries = append(entries, StatusEntry{Fields: strings.Join(append([]string{kind}, parts[:before]...), " "), Path: parts[before]})
	}
	return head, entries, nil
}

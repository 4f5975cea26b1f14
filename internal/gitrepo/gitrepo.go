// Package gitrepo reads what git prints. It is pure: bytes in, facts out.
package gitrepo

import (
	"fmt"
	"path"
	"strings"
)

// DirtyPaths reads the output of `git status --porcelain=v1 -z`: the paths that
// differ from HEAD or are untracked, at most most of them, and how many more
// there are. A renamed file stands under both of its names.
func DirtyPaths(porcelain []byte, most int) (paths []string, more int) {
	seen := map[string]bool{}
	eachStatus(porcelain, func(code, name, from string) {
		names := []string{name}
		if strings.Contains(code, "R") && from != "" {
			names = append(names, from)
		}
		for _, n := range names {
			switch {
			case seen[n]:
			case len(paths) < most:
				seen[n] = true
				paths = append(paths, n)
			default:
				more++
			}
		}
	})
	return paths, more
}

// Summary says in one line what a status holds: how many paths are staged,
// changed in the work tree, untracked and in conflict.
func Summary(porcelain []byte) string {
	var staged, changed, untracked, conflicts int
	eachStatus(porcelain, func(code, _, _ string) {
		switch {
		case code == "??":
			untracked++
			return
		case strings.Contains(code, "U") || code == "AA" || code == "DD":
			conflicts++
			return
		}
		if code[0] != ' ' {
			staged++
		}
		if code[1] != ' ' {
			changed++
		}
	})
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{staged, "staged"}, {changed, "changed"}, {untracked, "untracked"}, {conflicts, "in conflict"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "clean"
	}
	return strings.Join(parts, ", ")
}

// eachStatus calls fn with the two letters of each entry, its path, and the
// path that it was renamed or copied from.
func eachStatus(porcelain []byte, fn func(code, name, from string)) {
	entries := strings.Split(string(porcelain), "\x00")
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		if len(e) < 4 {
			continue
		}
		code, name, from := e[:2], e[3:], ""
		if strings.ContainsAny(code, "RC") && i+1 < len(entries) {
			i++
			from = entries[i]
		}
		fn(code, name, from)
	}
}

// Staged is one path of the index that differs from HEAD: A, M, D, T or U.
type Staged struct {
	Status byte
	Path   string
}

// StagedPaths reads the output of `git diff --cached --name-status -z
// --no-renames`.
func StagedPaths(nameStatus []byte) []Staged {
	fields := strings.Split(string(nameStatus), "\x00")
	var list []Staged
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "" || fields[i+1] == "" {
			continue
		}
		list = append(list, Staged{Status: fields[i][0], Path: fields[i+1]})
	}
	return list
}

// Names reads a list that git prints with -z.
func Names(list []byte) []string {
	var names []string
	for name := range strings.SplitSeq(string(list), "\x00") {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Below gives a path that git names from the top of its work tree as it is
// seen from prefix, a directory below the top ("" or ending with a slash). What
// lies outside of it begins with "../".
func Below(prefix, name string) string {
	rest, inside := strings.CutPrefix(name, prefix)
	if inside {
		return rest
	}
	return strings.Repeat("../", strings.Count(prefix, "/")) + path.Clean(name)
}

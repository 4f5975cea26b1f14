// Package gitrepo reads what git prints. It is pure: bytes in, facts out.
package gitrepo

import "strings"

// DirtyPaths reads the output of `git status --porcelain=v1 -z`: the paths that
// differ from HEAD or are untracked, at most most of them, and how many more
// there are.
func DirtyPaths(porcelain []byte, most int) (paths []string, more int) {
	entries := strings.Split(string(porcelain), "\x00")
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		if len(e) < 4 {
			continue
		}
		if len(paths) < most {
			paths = append(paths, e[3:])
		} else {
			more++
		}
		if strings.ContainsAny(e[:2], "RC") {
			i++ // the next entry is the old name
		}
	}
	return paths, more
}

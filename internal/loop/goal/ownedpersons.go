package goal

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"omc-hook/internal/plain"
)

// PersonsPaths tells which paths were the person's when the segment began.
type PersonsPaths struct {
	dirty, given map[string]bool
	all          string
	goal         string
}

// Persons are the paths of the person, without what was given to the loop. The
// goal gives what it names word for word, in the segment that it opened: text
// of an earlier invocation gives nothing.
func (run Run) Persons() PersonsPaths {
	p := PersonsPaths{dirty: map[string]bool{}, given: map[string]bool{}}
	for _, name := range run.Dirty.Paths {
		p.dirty[name] = true
	}
	for _, name := range run.Transferred {
		p.given[name] = true
	}
	if run.GoalSegment == run.Segment {
		p.goal = run.Goal
	}
	switch {
	case run.Dirty.Unknown != "":
		p.all = "may have been changed before the loop began: git could not be asked then"
	case run.Dirty.More > 0:
		p.all = "may have been changed before the loop began: too many paths were dirty then to list them"
	}
	return p
}

// Why says in a phrase why path is not the loop's to own, "" where it is.
func (p PersonsPaths) Why(path string) string {
	if p.given[path] || p.goal != "" && (Names(p.goal, path) || Names(p.goal, "./"+path)) {
		return ""
	}
	if p.dirty[path] {
		return "was changed before the loop began and is the person's"
	}
	for i, c := range path {
		if c == '/' && p.dirty[path[:i+1]] {
			return "lies in " + plain.Line(path[:i+1], 200) + ", which is the person's since before the loop began"
		}
	}
	return p.all
}

// Twin is another path that is dirty since the start or owned, and that differs
// from path in the case of its letters only, "" for none.
func (run Run) Twin(path string) string {
	for _, name := range run.Dirty.Paths {
		if name != path && strings.EqualFold(name, path) {
			return name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(run.Owned)) {
		if name != path && strings.EqualFold(name, path) {
			return name
		}
	}
	return ""
}

// Names reports whether text names path word for word: not as a part of a
// longer word, and, where path itself could be a plain word, only in quotes.
func Names(text, path string) bool {
	if path == "" {
		return false
	}
	word := !strings.ContainsAny(path, "./\\")
	for at := 0; ; {
		i := strings.Index(text[at:], path)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(path)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		quoted := strings.ContainsRune("`'\"", before) && before == after
		if quoted || !word && !inWord(before) && !goesOn(text[end:]) {
			return true
		}
		at = start + 1
	}
}

// inWord holds for what belongs to a path.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./\\~@+%#$", r)
}

// goesOn holds when rest continues the word before it. A dot that ends a
// sentence does not.
func goesOn(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	if r == '.' {
		next, _ := utf8.DecodeRuneInString(rest[size:])
		return rest[size:] != "" && inWord(next)
	}
	return rest != "" && inWord(r)
}

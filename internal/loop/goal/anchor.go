package goal

import (
	"strings"
	"unicode"
)

// said holds for a text that is there and says something.
func said(s string) bool { return filled(s) && !vague(s) }

// vague holds for a placeholder in the place of a text: what one writes to get
// past a form. Whether a text is true is not for the binary.
func vague(s string) bool {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return true
	}
	const few = 3
	switch words[0] {
	case "tbd", "tba", "tbc", "todo", "fixme", "placeholder", "lorem":
		return len(words) <= few
	}
	switch strings.Join(words, " ") {
	case "n a", "na", "none", "nothing", "null", "nil", "unknown", "x", "xx", "xxx", "foo", "later", "see above", "as above", "idem",
		"not sure", "not known", "not applicable", "to be determined", "to be decided", "to be defined", "to do", "no idea", "some text":
		return true
	}
	return false
}

// anchored holds for a text that names a place where a later reader can check
// it: path:line, a part of a file, URL, commit or digest, issue, or message id.
func anchored(s string) bool {
	before := ""
	for _, token := range tokens(s) {
		if isURL(token) || isPlace(token) || isDigest(token, before == "commit") || isIssue(token) {
			return true
		}
		before = strings.ToLower(token)
	}
	return false
}

// dated holds for a text with a day or a time in it, such as that of a message.
func dated(s string) bool {
	for _, token := range tokens(s) {
		if len(token) >= len("2006-01-02") && shape(token[:len("2006-01-02")]) == "0000-00-00" {
			return true
		}
	}
	return false
}

func tokens(s string) []string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`,;()[]{}<>\"'|=", r) })
	for i, f := range fields {
		fields[i] = strings.TrimRight(f, ".:!?*_")
	}
	return fields
}

// shape is s with every digit as 0 and every letter as a.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r):
			return 'a'
		}
		return r
	}, s)
}

func isURL(token string) bool {
	scheme, rest, found := strings.Cut(token, "://")
	return found && scheme != "" && strings.Trim(shape(scheme), "a") == "" && len(strings.Trim(rest, "./")) > 1
}

// isPlace tells path:line, path:line-line, path:line:column, path#L12 and
// path#heading.
func isPlace(token string) bool {
	if path, part, found := strings.Cut(token, "#"); found {
		return isPath(path) && part != ""
	}
	i := strings.LastIndexByte(token, ':')
	if i < 0 {
		return false
	}
	line := strings.TrimPrefix(token[i+1:], "L")
	if line == "" || !unicode.IsDigit(rune(line[0])) || strings.Trim(line, "0123456789-–L") != "" {
		return false
	}
	path := token[:i]
	return isPath(path) || isPlace(path)
}

// isPath tells the name of a file from a word: it has a folder or an ending, or
// it is one of those that have none.
func isPath(s string) bool {
	if strings.IndexFunc(s, unicode.IsLetter) < 0 || strings.Contains(s, "://") {
		return false
	}
	return strings.ContainsAny(s, `./\`) || strings.HasSuffix(s, "file") || len(s) > 3 && s == strings.ToUpper(s)
}

// isDigest tells a commit, another digest and a UUID. What is digits alone is one
// only where the word before says so.
func isDigest(token string, commit bool) bool {
	token = strings.ToLower(strings.TrimPrefix(token, "sha256:"))
	token, _, _ = strings.Cut(token, "..")
	if shape(strings.Map(hexAsDigit, token)) == "00000000-0000-0000-0000-000000000000" {
		return true
	}
	const shortest, longest = 7, 64
	if len(token) < shortest || len(token) > longest || strings.Trim(token, "0123456789abcdef") != "" {
		return false
	}
	return commit || strings.ContainsAny(token, "0123456789") && strings.ContainsAny(token, "abcdef")
}

func hexAsDigit(r rune) rune {
	if r >= 'a' && r <= 'f' {
		return '0'
	}
	return r
}

// isIssue tells #12, owner/name#12 and !12.
func isIssue(token string) bool {
	i := strings.LastIndexAny(token, "#!")
	return i >= 0 && token[i+1:] != "" && strings.Trim(token[i+1:], "0123456789") == ""
}

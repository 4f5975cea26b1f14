package modestate

// File is one file of a session directory as it was read. Fault says why the
// file cannot be used (a link, too large, no permission …) in one phrase; it is
// empty when Data holds the whole file.
type File struct {
	Data  []byte
	Fault string
}

// Snapshot is the named files of one session directory at one moment. A file
// that does not exist is an absent key.
type Snapshot map[string]File

// maxSessionLength is the longest session id that the specification allows.
const maxSessionLength = 256

// ValidSession reports whether id may name a session and so become part of a
// path: a letter or digit, then letters, digits, '_' and '-', 256 at the most
// (spec/README.md, Mode state).
func ValidSession(id string) bool {
	if id == "" || len(id) > maxSessionLength {
		return false
	}
	for i := range len(id) {
		c := id[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return true
}

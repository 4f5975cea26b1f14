package goal

import (
	"errors"
	"strings"
	"unicode"
)

// verifyOption is the one option that may stand more than once and whose value
// may be quoted, so that it can hold spaces.
const verifyOption = "--verify="

// verifyToken is the first token of rest when it is a verifyOption: all of it,
// and the command in it. A value in '…' or "…" ends with the same quote, and
// nothing in it has a meaning.
func verifyToken(rest string) (token, command string, err error) {
	value := rest[len(verifyOption):]
	if value == "" || value[0] != '\'' && value[0] != '"' {
		command = firstToken(value)
		if strings.ContainsAny(command, "“”‘’„«»") {
			return "", "", errors.New(`wants straight quotes, as in --verify="go test ./..."`)
		}
		return verifyOption + command, command, CheckCommand(command)
	}
	end := strings.IndexByte(value[1:], value[0])
	if end < 0 {
		return "", "", errors.New("has a quotation mark without its end")
	}
	command, after := value[1:1+end], value[end+2:]
	if after != "" && strings.IndexFunc(after, unicode.IsSpace) != 0 {
		return "", "", errors.New("has text behind its closing quotation mark: a command with one kind of quotes in it is put into the other kind")
	}
	return rest[:len(verifyOption)+end+2], command, CheckCommand(command)
}

// takeVerify reads one such option.
func (in *Invocation) takeVerify(rest string) (token string, err error) {
	token, command, err := verifyToken(rest)
	if err == nil {
		err = CheckCommands(append(in.Verify, command))
	}
	if err == nil {
		in.Verify = append(in.Verify, command)
	}
	return token, err
}

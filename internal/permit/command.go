// Package permit reads one shell command of the model and says whether it may
// run without asking the person.
//
// What it holds to: a command is understood wholly or not at all. Parse accepts
// only text that bash and zsh read as one run of our program with exactly the
// arguments and the standard input that Call names, and nothing else besides.
// Everything that could start a second program, write a file or change a word is
// an error, whether or not it would do so here. Decide then allows what the
// caller's table lists, and stays silent on the rest, so that the client asks as
// it would have without us.
//
// What it does not do: it runs nothing, knows no verb by itself, and does not
// check approvals or what an argument means.
package permit

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Program is the only first word that Parse accepts.
const Program = "omc-hook"

// MaxSize is the longest command that is read, in bytes.
const MaxSize = 1 << 20

// Call is one run of our program.
type Call struct {
	Program  string
	Args     []string
	Stdin    string // the body of the heredoc
	HasStdin bool
}

// Parse reads a command of the form
//
//	omc-hook WORD... [<<'DELIMITER'
//	BODY
//	DELIMITER]
//
// A word is made of plain characters, single-quoted text and double-quoted text
// without anything that the shell expands.
func Parse(command string) (Call, error) {
	if err := checkText(command); err != nil {
		return Call{}, fmt.Errorf("parse command: %w", err)
	}
	line, body, hasBody := strings.Cut(command, "\n")
	p := parser{line: line}
	words, delimiter, err := p.words()
	if err != nil {
		return Call{}, fmt.Errorf("parse command: %w", err)
	}
	call := Call{Program: Program, Args: words}
	switch {
	case delimiter != "" && !hasBody:
		err = errors.New("heredoc without a body")
	case delimiter != "":
		call.HasStdin = true
		call.Stdin, err = heredoc(body, delimiter)
	case !blank(body):
		err = errors.New("more than one line")
	}
	if err != nil {
		return Call{}, fmt.Errorf("parse command: %w", err)
	}
	return call, nil
}

// checkText refuses what no place of a command may hold. A carriage return is
// among it: the shell takes it as part of a word or of a delimiter line.
func checkText(command string) error {
	if len(command) > MaxSize {
		return errors.New("longer than 1 MiB")
	}
	if !utf8.ValidString(command) {
		return errors.New("not UTF-8")
	}
	for _, r := range command {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return fmt.Errorf("control character %U", r)
		}
	}
	return nil
}

// heredoc returns the body up to the first delimiter line, which is where the
// shell ends it too. Whatever follows would be a second command.
func heredoc(text, delimiter string) (string, error) {
	for start := 0; start < len(text); {
		line, _, _ := strings.Cut(text[start:], "\n")
		end := start + len(line)
		if line == delimiter {
			if !blank(text[end:]) {
				return "", errors.New("text after the heredoc")
			}
			return text[:start], nil
		}
		start = end + 1
	}
	return "", errors.New("heredoc without its closing line")
}

func blank(s string) bool {
	return strings.Trim(s, " \n") == ""
}

// parser walks over the first line of a command.
type parser struct {
	line string
	pos  int
}

// words returns the arguments and, where there is a heredoc, its delimiter.
func (p *parser) words() (args []string, delimiter string, err error) {
	rest, found := strings.CutPrefix(p.line, Program)
	if !found || rest != "" && rest[0] != ' ' {
		return nil, "", errors.New("first word is not " + Program)
	}
	p.pos = len(Program)
	for {
		p.spaces()
		switch {
		case p.pos == len(p.line):
			return args, "", nil
		case strings.HasPrefix(p.line[p.pos:], "<<"):
			delimiter, err = p.delimiter()
			return args, delimiter, err
		}
		word, err := p.word()
		if err != nil {
			return nil, "", err
		}
		args = append(args, word)
	}
}

func (p *parser) spaces() {
	for p.pos < len(p.line) && p.line[p.pos] == ' ' {
		p.pos++
	}
}

// word reads one argument. The shell joins pieces that touch each other.
func (p *parser) word() (string, error) {
	var b strings.Builder
	for first := true; p.pos < len(p.line) && p.line[p.pos] != ' '; first = false {
		c := p.line[p.pos]
		switch {
		case c == '\'':
			piece, err := p.single()
			if err != nil {
				return "", err
			}
			b.WriteString(piece)
		case c == '"':
			piece, err := p.double()
			if err != nil {
				return "", err
			}
			b.WriteString(piece)
		case first && c == '=': // zsh puts a program's path in place of =NAME
			return "", errors.New("word that begins with =")
		case isPlain(c):
			b.WriteByte(c)
			p.pos++
		default:
			return "", p.unexpected()
		}
	}
	return b.String(), nil
}

// single reads '…'. Two such pieces side by side are refused, since zsh can be
// set to read an apostrophe there.
func (p *parser) single() (string, error) {
	text, after, found := strings.Cut(p.line[p.pos+1:], "'")
	switch {
	case !found:
		return "", errors.New("single quote without an end")
	case strings.ContainsRune(text, '\t'):
		return "", errors.New("tab in a word")
	case strings.HasPrefix(after, "'"):
		return "", errors.New("single quotes side by side")
	}
	p.pos += len(text) + 2
	return text, nil
}

// double reads "…" without an expansion, an escape or a history reference.
func (p *parser) double() (string, error) {
	text, _, found := strings.Cut(p.line[p.pos+1:], `"`)
	switch {
	case !found:
		return "", errors.New("double quote without an end")
	case strings.ContainsAny(text, "$`\\!\t"):
		return "", errors.New("character with a meaning in double quotes")
	}
	p.pos += len(text) + 2
	return text, nil
}

// delimiter reads the quoted word after << up to the end of the line. Without
// quotes the shell would expand the body.
func (p *parser) delimiter() (string, error) {
	p.pos += len("<<")
	p.spaces()
	rest := p.line[p.pos:]
	if len(rest) < 3 || rest[0] != '\'' && rest[0] != '"' {
		return "", errors.New("heredoc whose delimiter is not quoted")
	}
	name, found := strings.CutSuffix(rest[1:], rest[:1])
	if !found || name == "" {
		return "", errors.New("text after the heredoc's delimiter")
	}
	for i := range len(name) {
		if !isAlnum(name[i]) && name[i] != '_' {
			return "", errors.New("heredoc delimiter that is not letters, digits and _")
		}
	}
	return name, nil
}

func (p *parser) unexpected() error {
	r, _ := utf8.DecodeRuneInString(p.line[p.pos:])
	return fmt.Errorf("character %q outside quotes", r)
}

// isPlain reports whether no shell gives c a meaning in the middle of a word.
func isPlain(c byte) bool {
	return isAlnum(c) || strings.IndexByte("_./:=,@%+-", c) >= 0
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

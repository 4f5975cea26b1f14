package goal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"omc-hook/internal/plain"
)

// Defaults of the invocation (spec/goal-loop.txt, section 1).
const (
	DefaultStateDir      = ".goal-loop"
	DefaultMaxIterations = 50
	DefaultNoProgress    = 3
	DefaultFailures      = 3
)

// Bounds of what a person may ask for. There is no unlimited value.
const (
	maxLimit     = 10_000
	maxGoalBytes = 512 << 10
)

// Limits bound a segment. A zero in an Invocation means that the person did not
// name it.
type Limits struct {
	MaxIterations int64 `json:"max_iterations"`
	NoProgress    int64 `json:"no_progress_limit"`
	Failures      int64 `json:"failure_limit"`
	MaxMinutes    int64 `json:"max_minutes,omitempty"`
}

// Or takes the limits of l, and of other where l names none.
func (l Limits) Or(other Limits) Limits {
	pick := func(a, b int64) int64 {
		if a != 0 {
			return a
		}
		return b
	}
	return Limits{
		MaxIterations: pick(l.MaxIterations, other.MaxIterations),
		NoProgress:    pick(l.NoProgress, other.NoProgress),
		Failures:      pick(l.Failures, other.Failures),
		MaxMinutes:    pick(l.MaxMinutes, other.MaxMinutes),
	}
}

// DefaultLimits are the limits of a run whose person named none.
func DefaultLimits() Limits {
	return Limits{MaxIterations: DefaultMaxIterations, NoProgress: DefaultNoProgress, Failures: DefaultFailures}
}

// Invocation is what a person typed after /goal-loop.
type Invocation struct {
	StateDir string
	Continue bool
	Limits   Limits
	// Verify are the commands that the person approves by typing them.
	Verify []string
	// Goal is the text after the options, byte for byte, "" for none.
	Goal string
	// Warnings are things that look like a mistake and were taken as text.
	Warnings []string
}

// option is one leading option: its name, and what it does with its value.
type option struct {
	name string
	set  func(in *Invocation, value string) error
}

var options = [...]option{
	{"--state-dir=", func(in *Invocation, v string) error { in.StateDir = v; return nil }},
	{"--continue", func(in *Invocation, _ string) error { in.Continue = true; return nil }},
	{"--max-iterations=", limit(func(in *Invocation) *int64 { return &in.Limits.MaxIterations })},
	{"--no-progress-limit=", limit(func(in *Invocation) *int64 { return &in.Limits.NoProgress })},
	{"--failure-limit=", limit(func(in *Invocation) *int64 { return &in.Limits.Failures })},
	{"--max-minutes=", limit(func(in *Invocation) *int64 { return &in.Limits.MaxMinutes })},
	{verifyOption, nil}, // read by takeVerify
}

func limit(field func(*Invocation) *int64) func(*Invocation, string) error {
	return func(in *Invocation, value string) error {
		n, err := PositiveNumber(value)
		if err != nil {
			return err
		}
		*field(in) = n
		return nil
	}
}

// PositiveNumber reads plain decimal digits from 1 to 10,000.
func PositiveNumber(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > maxLimit || strings.Trim(value, "0123456789") != "" {
		return 0, fmt.Errorf("wants a whole number from 1 to %d, not %q", maxLimit, plain.Line(value, 40))
	}
	return n, nil
}

// ParseInvocation reads the leading options of args and the goal after them
// (spec/goal-loop.txt, section 1). What is not exactly one of the options
// begins the goal; what looks like one is warned about.
func ParseInvocation(args string) (Invocation, error) {
	in := Invocation{StateDir: DefaultStateDir}
	seen := map[string]bool{}
	rest := args
	for {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		token := firstToken(rest)
		o, value, ok := match(token)
		if !ok {
			break
		}
		if o.name == verifyOption {
			token, err := in.takeVerify(rest)
			if err != nil {
				return Invocation{}, fmt.Errorf("--verify %w", err)
			}
			rest = rest[len(token):]
			continue
		}
		if seen[o.name] {
			return Invocation{}, fmt.Errorf("%s is given twice", strings.TrimSuffix(o.name, "="))
		}
		seen[o.name] = true
		if err := o.set(&in, value); err != nil {
			return Invocation{}, fmt.Errorf("%s %w", strings.TrimSuffix(o.name, "="), err)
		}
		rest = rest[len(token):]
	}
	in.Goal = rest
	if err := checkGoal(in.Goal); err != nil {
		return Invocation{}, err
	}
	in.Warnings = nearMisses(in.Goal)
	return in, nil
}

func firstToken(s string) string {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i]
	}
	return s
}

func match(token string) (option, string, bool) {
	for _, o := range options {
		if value, ok := strings.CutPrefix(token, o.name); ok && (strings.HasSuffix(o.name, "=") || value == "") {
			return o, value, true
		}
	}
	return option{}, "", false
}

// checkGoal refuses text that cannot be kept or that is not a goal.
func checkGoal(text string) error {
	trimmed := strings.TrimSpace(text)
	switch {
	case len(text) > maxGoalBytes:
		return fmt.Errorf("the goal is longer than %d KiB: put it into a file and name the file", maxGoalBytes>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return errors.New("the goal is not plain UTF-8 text")
	case ownCommand(trimmed):
		return errors.New("the goal is only the name of the command: say what is to be reached")
	case strings.HasPrefix(trimmed, banner), strings.HasPrefix(trimmed, startBanner):
		return errors.New("the goal is a message of this loop: say what is to be reached in your own words")
	}
	return nil
}

// ownCommand holds for text that is nothing but names of this command.
func ownCommand(text string) bool {
	words := strings.Fields(text)
	for _, w := range words {
		if w != "/"+Mode && w != "/omc-hook:"+Mode && w != Mode {
			return false
		}
	}
	return len(words) > 0
}

// maxWarned bounds how much of a goal is searched for near misses, maxWarnings
// how many of them are told.
const (
	maxWarned   = 2_000
	maxWarnings = 3
)

// nearMisses warns about words of the goal that look like an option.
func nearMisses(text string) []string {
	var warnings []string
	for _, word := range strings.Fields(text[:min(len(text), maxWarned)]) {
		name := nearest(word)
		if name == "" || len(warnings) == maxWarnings {
			continue
		}
		if strings.HasSuffix(name, "=") {
			name += "VALUE"
		}
		warnings = append(warnings, fmt.Sprintf("%q was taken as part of the goal; the option is written %s, before the goal",
			plain.Line(word, 40), name))
	}
	return warnings
}

// nearest is the option that word seems to mean: the same letters after a dash
// of any kind, whatever stands between them.
func nearest(word string) string {
	first, _ := utf8.DecodeRuneInString(word)
	if !strings.ContainsRune("-–—−‐‑―", first) {
		return ""
	}
	name, _, _ := strings.Cut(word, "=")
	for _, o := range options {
		if letters(name) == letters(o.name) || letters(name) == "max" && o.name == "--max-iterations=" {
			return o.name
		}
	}
	return ""
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

package permit

import (
	"slices"
	"strings"
)

// Class is what running a verb means for the person.
type Class int

const (
	// Other is a verb that the person is asked about as ever.
	Other Class = iota
	// Read only shows something. A subagent may read too.
	Read
	// Record changes the books of a loop.
	Record
	// Hook is called by the client; a call by the model is a forged event.
	Hook
	// Change changes more than the books. The person is asked about it as ever,
	// and a subagent does not do it.
	Change
	// Run runs the commands that the person approved, and no others. Whether there
	// are such is for the caller to say; a subagent does not run them.
	Run
)

// Kind is the form of a flag's value or of an operand.
type Kind int

const (
	// Bare is a flag without a value. An operand cannot be Bare.
	Bare Kind = iota
	// Name is 1 to 64 letters, digits and '-': a run, a task.
	Name
	// Digits is 1 to 9 digits.
	Digits
	// Duration is digits and one of s, m, h: 30m.
	Duration
	// Text is any text that is not empty and does not begin with '-'.
	Text
)

// Verb is one row of the caller's command table.
type Verb struct {
	Words    []string        // what the verb is called: goal record
	Flags    map[string]Kind // by name, without the dashes
	Operands []Kind          // what may follow, each of them optional
	Stdin    bool            // takes a heredoc
	Class    Class
}

// Action is what to answer to the client.
type Action int

const (
	// Silent leaves the decision to the client.
	Silent Action = iota
	// Allow runs the command without asking.
	Allow
	// Deny refuses the command and tells the model why.
	Deny
	// IfApproved is Allow where the person approved what the verb runs, else Silent.
	IfApproved
)

// Decision is an action with its reason, which is empty for Silent.
type Decision struct {
	Action Action
	Reason string
}

// Decide looks the call up in the table. The longest matching verb counts. It is
// allowed only when every flag and operand is listed and has its form; a class
// that is denied is denied with whatever arguments.
func Decide(call Call, table []Verb, subagent bool) Decision {
	verb, found := lookup(call, table)
	switch {
	case !found || call.Program != Program:
		return Decision{}
	case verb.Class == Hook:
		return Decision{Deny, "the client runs this verb when an event happens; it is not a command"}
	case (verb.Class == Record || verb.Class == Change || verb.Class == Run) && subagent:
		return Decision{Deny, "a subagent does not record; report to the main agent, which records"}
	case verb.Class != Record && verb.Class != Read && verb.Class != Run:
		return Decision{}
	case call.HasStdin && !verb.Stdin || !verb.fits(call.Args[len(verb.Words):]):
		return Decision{}
	case verb.Class == Read:
		return Decision{Allow, "shows the state of the loop"}
	case verb.Class == Run:
		return Decision{IfApproved, "runs the commands that the person approved"}
	}
	return Decision{Allow, "keeps the books of the loop"}
}

func lookup(call Call, table []Verb) (Verb, bool) {
	var (
		best  Verb
		found bool
	)
	for _, verb := range table {
		n := len(verb.Words)
		if n == 0 || n <= len(best.Words) || n > len(call.Args) {
			continue
		}
		if slices.Equal(verb.Words, call.Args[:n]) {
			best, found = verb, true
		}
	}
	return best, found
}

// fits reports whether args are flags and operands of the verb. A flag stands at
// most once and has two dashes; its value follows after '=' or as the next word.
func (v Verb) fits(args []string) bool {
	operands := v.Operands
	seen := map[string]bool{}
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		if !strings.HasPrefix(word, "-") {
			if len(operands) == 0 || !operands[0].matches(word) {
				return false
			}
			operands = operands[1:]
			continue
		}
		name, value, joined := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		kind, known := v.Flags[name]
		if !known || !strings.HasPrefix(word, "--") || seen[name] {
			return false
		}
		seen[name] = true
		switch {
		case kind == Bare && joined:
			return false
		case kind == Bare:
			continue
		case !joined && len(args) == 0:
			return false
		case !joined:
			value, args = args[0], args[1:]
		}
		if !kind.matches(value) {
			return false
		}
	}
	return true
}

func (k Kind) matches(s string) bool {
	switch k {
	case Name:
		return len(s) <= 64 && !strings.HasPrefix(s, "-") && consists(s, func(c byte) bool { return isAlnum(c) || c == '-' })
	case Digits:
		return len(s) <= 9 && consists(s, isDigit)
	case Duration:
		if s == "" || strings.IndexByte("smh", s[len(s)-1]) < 0 {
			return false
		}
		return Digits.matches(s[:len(s)-1])
	case Text:
		return s != "" && s[0] != '-'
	}
	return false
}

func consists(s string, of func(byte) bool) bool {
	for i := range len(s) {
		if !of(s[i]) {
			return false
		}
	}
	return s != ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

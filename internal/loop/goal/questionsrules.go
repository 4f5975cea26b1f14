package goal

import (
	"strings"
	"unicode"
)

// The classes of a resolution, in the order in which they are tried.
const (
	classStale      = "stale"
	classHuman      = "human-only"
	classResolvable = "resolvable"
)

// Whether the loop may act on a direction unasked. It never follows from the
// basis of the direction.
const (
	permissionReversible = "reversible"
	permissionGated      = "gated"
)

// QuestionTemplate is an empty question, explained.
func QuestionTemplate() string {
	return form("A decision that only a person can make, as JSON.", questionFields())
}

func questionFields() []Field {
	return []Field{
		{"context", "what is to be decided, and where it came up", `""`},
		{"evidence", "what was looked into already, with paths, commits or links", `""`},
		{"why", "why nothing that the loop can read or try decides it", `""`},
		{"blocks_all", "true when nothing safe is left to do before the answer, else false", `false`},
		{"default", `only where it blocks all: a choice that can be undone, else ""; what has one and blocks nothing belongs into "defaults" of the round`, `""`},
		{"rollback", "the way back from that choice", `""`},
		{"answer", "the exact answer that is needed", `""`},
	}
}

// ParseQuestion reads a question of the model.
func ParseQuestion(data []byte) (Question, error) { return readForm[Question](data) }

// lacks lists what keeps a question from being one.
func (q Question) lacks() []string {
	var w wants
	w.said(q.Context, "context: what is to be decided, and where it came up")
	w.said(q.Evidence, "evidence: what was looked into already")
	w.said(q.Why, "why: why the loop cannot decide it")
	w.said(q.Answer, "answer: the exact answer that is needed")
	if q.hasDefault() {
		w.said(q.Rollback, "rollback: the way back from the default")
		w.need(q.BlocksAll, `a decision of a person: what has a default that can be undone and blocks nothing goes into "defaults" of the round`)
	}
	return w
}

func (q Question) hasDefault() bool { return said(q.Default) }

// ResolutionTemplate is an empty resolution, explained.
func ResolutionTemplate() string {
	return form("What became of one open question, as JSON.", resolutionFields())
}

func resolutionFields() []Field {
	return []Field{
		{"question", "its id, such as Q1", `""`},
		{"class", "stale, human-only or resolvable, the first that holds", `""`},
		{"premise", "stale: what the question rests on and what you read that makes it false; human-only: the tentative words of the request, where no decision was ever pending", `""`},
		{"direction", "the choice, or the person's answer", `""`},
		{"basis", "where a later reader can check it: path:line, URL, commit, issue, message", `""`},
		{"permission", "resolvable: reversible (it may be done) or gated (the direction is kept, the question stays open)", `""`},
		{"done", "reversible: what was done, and how it is undone; gated: empty", `""`},
		{"answered_by", "human-only: the person who answered", `""`},
	}
}

// ParseResolution reads a resolution of the model.
func ParseResolution(data []byte) (Resolution, error) { return readForm[Resolution](data) }

// lacks lists what keeps a resolution from being one. Direction and permission
// are apart: a basis never permits, and nothing is resolved without one.
func (r Resolution) lacks() []string {
	var w wants
	switch r.Class {
	case classStale:
		w.said(r.Premise, "premise: what the question rests on and what you read that makes it false")
	case classHuman:
		answered := said(r.Direction) && said(r.AnsweredBy)
		w.need(answered || said(r.Premise), "direction and answered_by: the answer and the person who gave it; or premise: the tentative words of the request")
		w.need(!itself(r.AnsweredBy), "answered_by: a person; the loop does not answer what only a person can")
	case classResolvable:
		w.said(r.Direction, "direction: the choice that the basis gives")
		w.need(r.Permission == permissionReversible || r.Permission == permissionGated, "permission: reversible or gated")
		w.need(r.Permission != permissionReversible || said(r.Done), "done: what was done, and how it is undone")
		w.need(r.Permission != permissionGated || !filled(r.Done) || none(r.Done), "done: empty, since a gated direction is kept and nothing is done on it")
	default:
		w.need(false, "class: stale, human-only or resolvable")
	}
	w.need(anchored(r.Basis) || r.Class == classHuman && dated(r.Basis), "basis: where it can be checked (path:line, URL, commit, issue, message); without one the question stays open and unannotated")
	return w
}

// closes reports whether the question is resolved by it. A direction that may
// not be followed unasked leaves it open.
func (r Resolution) closes() bool {
	return r.Class == classStale || r.Class == classHuman || r.Class == classResolvable && r.Permission == permissionReversible
}

// itself holds where the one who answers is the loop.
func itself(who string) bool {
	switch strings.TrimPrefix(strings.ToLower(strings.TrimSpace(who)), "the ") {
	case "model", "agent", "subagent", "assistant", "claude", "loop", "goal-loop", "omc-hook", "self", "me", "i", "ai":
		return true
	}
	return false
}

// PassTemplate is an empty resolution pass, explained.
func PassTemplate() string {
	return form("One look at every open question, once a segment, as JSON.", passFields())
}

func passFields() []Field {
	return []Field{
		{
			"questions", `every open question once, each as in "omc-hook goal question resolve --template"; ` +
				`one that stays open has "question" and "class" (human-only or resolvable) alone`, `[]`,
		},
	}
}

// ParsePass reads a resolution pass of the model.
func ParsePass(data []byte) (Pass, error) { return readForm[Pass](data) }

// bare holds for a question of a pass that stays as it is: only a person can
// answer it, or no basis for a direction was found.
func (r Resolution) bare() bool {
	return (r.Class == classHuman || r.Class == classResolvable) && r == (Resolution{Question: r.Question, Class: r.Class})
}

// namesWord reports whether text holds the word.
func namesWord(text, word string) bool {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w == word {
			return true
		}
	}
	return false
}

package goal

import (
	"strings"
	"unicode"
)

// How the direction of a satisfied ask came about.
const (
	directionGiven    = "given"
	directionInferred = "inferred"
)

// AskTemplate is an empty ask, explained.
func AskTemplate() string { return form("A request from outside the loop, as JSON.", askFields()) }

func askFields() []Field {
	return []Field{
		{"asked", "what was asked, in the words of the one who asked", `""`},
		{"anchor", "where that stands: URL, issue, path:line, message with its day", `""`},
		{"work", "the same as work whose result can be tested", `""`},
	}
}

// ParseAsk reads an ask of the model.
func ParseAsk(data []byte) (Ask, error) { return readForm[Ask](data) }

func (a Ask) lacks() []string {
	var w wants
	w.said(a.Asked, "asked: what was asked")
	w.need(anchored(a.Anchor) || dated(a.Anchor), "anchor: where it was asked (URL, issue, path:line, message with its day)")
	w.said(a.Work, "work: the same as work whose result can be tested")
	return w
}

// SatisfiedTemplate is an empty Satisfied, explained.
func SatisfiedTemplate() string { return form("What satisfied an ask, as JSON.", satisfiedFields()) }

func satisfiedFields() []Field {
	return []Field{
		{"ask", "its id, such as A1", `""`},
		{"by", "what satisfied it", `""`},
		{"evidence", "what shows that: commands with results, commits, tests", `""`},
		{"direction", "given (they said what they want) or inferred", `""`},
		{"alternative", "inferred: the other reading of the request", `""`},
		{"changes", "inferred: what the other reading would change", `""`},
	}
}

// ParseSatisfied reads a Satisfied of the model.
func ParseSatisfied(data []byte) (Satisfied, error) { return readForm[Satisfied](data) }

func (s Satisfied) lacks() []string {
	var w wants
	w.said(s.By, "by: what satisfied it")
	w.said(s.Evidence, "evidence: what shows that")
	w.need(s.Direction == directionGiven || s.Direction == directionInferred, "direction: given or inferred")
	if s.Direction == directionInferred {
		w.said(s.Alternative, "alternative: the other reading of the request")
		w.said(s.Changes, "changes: what the other reading would change")
	}
	return w
}

// DeclinedTemplate is an empty Declined, explained.
func DeclinedTemplate() string {
	return form("An ask that is closed without being built, as JSON.", declinedFields())
}

func declinedFields() []Field {
	return []Field{
		{"ask", "its id, such as A1", `""`},
		{"why", "why it is not built", `""`},
		{"superseded_by", "or what has taken its place", `""`},
	}
}

// ParseDeclined reads a Declined of the model.
func ParseDeclined(data []byte) (Declined, error) { return readForm[Declined](data) }

func (d Declined) lacks() []string {
	var w wants
	w.need(said(d.Why) || said(d.SupersededBy), "why: why it is not built, or superseded_by: what has taken its place")
	return w
}

// ToldTemplate is an empty Told, explained.
func ToldTemplate() string {
	return form("Who was told what became of an ask, after it was sent, as JSON.", toldFields())
}

func toldFields() []Field {
	return []Field{
		{"ask", "its id, such as A1", `""`},
		{"to", "who was told", `""`},
		{"channel", "over what: issue comment, mail, chat, this session", `""`},
		{"link", "the exact link that was sent, or the path or commit that was named", `""`},
		{"observation", "what shows that it was sent: the id of the message or its time; a draft, a plan, a push and a merge show nothing", `""`},
		{"alternative_said", "inferred direction: true once the message said so, with the other reading", `false`},
	}
}

// ParseTold reads a Told of the model.
func ParseTold(data []byte) (Told, error) { return readForm[Told](data) }

// lacks lists what keeps a message from having been observed. inferred says that
// the ask was satisfied on an inferred direction.
func (t Told) lacks(inferred bool) []string {
	var w wants
	w.said(t.To, "to: who was told")
	w.said(t.Channel, "channel: over what")
	w.need(said(t.Link) && linked(t.Link), "link: the exact link that was sent, or the path or commit that was named")
	w.need(observed(t.Observation), "observation: the id of the message or its time; what is drafted, planned, pushed or merged has told nobody")
	w.need(!inferred || t.AlternativeSaid, "alternative_said: true, after the message said that the direction was inferred, with the other reading and what it would change")
	return w
}

// linked holds for a text with a link, a place or a path in it.
func linked(s string) bool {
	if anchored(s) {
		return true
	}
	for _, token := range tokens(s) {
		if isPath(token) || strings.HasPrefix(strings.ToLower(token), "mailto:") {
			return true
		}
	}
	return false
}

// observed holds for a text with an id or a time in it that is not only of what
// will be, or of what landed in the repository. It is a check of the form: that
// the message exists is for the reader.
func observed(s string) bool {
	if !said(s) || strings.IndexFunc(s, unicode.IsDigit) < 0 {
		return false
	}
	sent, intended := false, false
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	for i, word := range words {
		switch word {
		case "not", "never", "will", "shall", "draft", "drafts", "drafted", "plan", "plans", "planned", "intend", "intended", "intends", "pending", "unsent",
			"soon", "later", "todo", "tbd", "scheduled", "prepared", "push", "pushed", "merge", "merged", "commit", "committed", "landed":
			intended = true
		case "sent", "posted", "delivered", "received", "commented", "replied", "answered", "said", "told", "acknowledged", "message", "comment":
			sent = sent || i == 0 || words[i-1] != "be" && words[i-1] != "not" && words[i-1] != "draft" && words[i-1] != "drafted"
		}
	}
	return sent || !intended
}

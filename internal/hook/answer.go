package hook

import (
	"strings"
	"unicode/utf8"

	"omc-hook/internal/plain"
)

// maxText bounds each text of an answer in bytes: the client cuts context and
// notes of more than 10,000 characters down to a preview.
const maxText = 9000

// Continue is the answer to a Stop that lets the session go on: text is for the
// model, note for the person. A blank text is replaced, since a client takes an
// empty reason for none.
func Continue(d Dialect, text, note string) []byte {
	body := bounded(text)
	if body == "" {
		body = "Go on with the next action of the loop."
	}
	if d == DialectContext {
		return contextAnswer("Stop", body, bounded(note))
	}
	return blockAnswer(body, bounded(note))
}

// Note is an answer that only tells the person something. An empty note is no
// answer at all.
func Note(note string) []byte {
	note = bounded(note)
	if note == "" {
		return nil
	}
	return finish(appendMember([]byte{'{'}, "systemMessage", note))
}

// BlockExpansion answers the person in place of the model, which never sees the
// slash command.
func BlockExpansion(reason string) []byte {
	body := bounded(reason)
	if body == "" {
		body = "done"
	}
	return blockAnswer(body, "")
}

// ExpandContext lets a slash command through with text for the model.
func ExpandContext(text, note string) []byte {
	return contextAnswer("UserPromptExpansion", bounded(text), bounded(note))
}

// SessionContext gives the model text at the start of a session.
func SessionContext(text, note string) []byte {
	return contextAnswer("SessionStart", bounded(text), bounded(note))
}

// Permission is the answer to a tool call that is about to be made. Any decision
// but "allow" and "deny" is no answer: the client then asks as it would have.
func Permission(decision, reason string) []byte {
	if decision != "allow" && decision != "deny" {
		return nil
	}
	out := appendMember([]byte(`{"hookSpecificOutput":{`), "hookEventName", "PreToolUse")
	out = appendMember(append(out, ','), "permissionDecision", decision)
	if reason = bounded(reason); reason != "" {
		out = appendMember(append(out, ','), "permissionDecisionReason", reason)
	}
	return finish(append(out, '}'))
}

func blockAnswer(reason, note string) []byte {
	out := appendMember([]byte{'{'}, "decision", "block")
	out = appendMember(append(out, ','), "reason", reason)
	if note != "" {
		out = appendMember(append(out, ','), "systemMessage", note)
	}
	return finish(out)
}

// contextAnswer leaves out what is empty; with nothing to say it is no answer.
func contextAnswer(event, text, note string) []byte {
	if text == "" {
		return Note(note)
	}
	out := appendMember([]byte(`{"hookSpecificOutput":{`), "hookEventName", event)
	out = appendMember(append(out, ','), "additionalContext", text)
	out = append(out, '}')
	if note != "" {
		out = appendMember(append(out, ','), "systemMessage", note)
	}
	return finish(out)
}

func finish(out []byte) []byte {
	return append(out, '}', '\n')
}

func appendMember(out []byte, key, value string) []byte {
	out = appendString(out, key)
	return appendString(append(out, ':'), value)
}

// appendString appends valid UTF-8 as a JSON string. gjson.AppendJSONString
// escapes '<', '>' and '&' unless a global of the library is changed.
func appendString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\t':
			out = append(out, '\\', 't')
		case c < ' ':
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// bounded is plain text without blank ends, cut to maxText bytes.
func bounded(s string) string {
	s = strings.TrimSpace(plain.Text(s))
	if len(s) <= maxText {
		return s
	}
	cut := maxText - len(plain.Ellipsis)
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + plain.Ellipsis
}

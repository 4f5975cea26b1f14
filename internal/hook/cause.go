package hook

import (
	"strings"
	"unicode"
)

// Cause is why a client says that a turn ended, as far as it matters to a loop.
type Cause string

const (
	// None is every reason that is no obstacle, and every reason that is prose.
	None Cause = ""
	// ContextLimit means that the context window is full: only compaction helps.
	ContextLimit Cause = "context limit"
	// Abort means that the person interrupted.
	Abort Cause = "abort"
	// Authentication means that the account has to be seen to by the person:
	// an expired login, no permission, no credit. Waiting does not help.
	Authentication Cause = "authentication"
	// RateLimit means that the service refuses for a while: a limit or overload.
	RateLimit Cause = "rate limit"
)

// maxWords is more than the longest known spelling has.
const maxWords = 12

// StopReason classifies the reasons of an event. A reason counts only when the
// whole of it is a known spelling, so that a sentence which happens to hold the
// words, or a number which happens to hold the digits, does not end a loop.
// With several reasons the most binding one is returned, in the order of the
// constants.
func StopReason(reasons []string) Cause {
	found := map[Cause]bool{}
	for _, reason := range reasons {
		found[classify(words(reason))] = true
	}
	for _, cause := range [...]Cause{ContextLimit, Abort, Authentication, RateLimit} {
		if found[cause] {
			return cause
		}
	}
	return None
}

// classify cuts the words into known phrases, longest first, and returns the
// cause of the first; words that belong to no phrase make it None.
func classify(list []string) Cause {
	const longest = 4
	first := None
	for len(list) > 0 {
		cause, n := None, min(longest, len(list))
		for ; n > 0; n-- {
			if cause = phrase(strings.Join(list[:n], " ")); cause != None {
				break
			}
		}
		if cause == None {
			return None
		}
		if first == None {
			first = cause
		}
		list = list[n:]
	}
	return first
}

// words splits a reason in any spelling (snake_case, kebab-case, camelCase, a
// short sentence) into lower-case words without those that say nothing. It
// returns nil for what is too long to be a reason.
func words(reason string) []string {
	if len(reason) > maxReason {
		return nil
	}
	var b strings.Builder
	lower := false
	for _, r := range reason {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	fields := strings.Fields(b.String())
	if len(fields) > maxWords {
		return nil
	}
	var list []string
	for _, word := range fields {
		if word == "resets" { // what follows is a time
			break
		}
		if !fills(word) {
			list = append(list, word)
		}
	}
	return list
}

// fills reports whether a word may stand in a reason without changing it. A
// number of five or more digits is a count of tokens, never a status code.
func fills(word string) bool {
	switch word {
	case "a", "an", "the", "is", "was", "has", "have", "been", "you", "ve", "your",
		"api", "http", "status", "code", "error", "response", "model", "provider",
		"exceed", "exceeded", "exceeds", "reached", "hit", "failed":
		return true
	}
	return len(word) >= 5 && strings.Trim(word, "0123456789") == ""
}

// phrase returns the cause that a phrase without filling words stands for.
func phrase(s string) Cause {
	switch s {
	case "context limit", "context window", "context length", "context full", "context window full",
		"context overflow", "context window limit", "context length limit", "context too long",
		"max context", "max context length", "max tokens", "max output tokens", "token limit",
		"output token limit", "prompt too long", "input too long", "conversation too long",
		"request too large", "tokens maximum", "413":
		return ContextLimit
	case "abort", "aborted", "cancel", "canceled", "cancelled", "interrupt", "interrupted",
		"user abort", "user aborted", "user cancel", "user canceled", "user cancelled",
		"user interrupt", "user interrupted", "user requested", "aborted by user", "canceled by user",
		"cancelled by user", "interrupted by user", "stopped by user", "request aborted",
		"request interrupted by user", "ctrl c", "sigint", "manual stop":
		return Abort
	case "authentication", "auth", "unauthorized", "unauthenticated", "forbidden", "401", "403",
		"authentication required", "token expired", "oauth expired", "oauth token expired",
		"expired token", "token revoked", "oauth token revoked", "login expired", "not logged in",
		"credentials expired", "invalid grant", "invalid key", "invalid token", "invalid credentials",
		"invalid x key", "billing", "credit balance too low", "402":
		return Authentication
	case "rate limit", "rate limited", "ratelimit", "ratelimited", "too many requests", "429", "529",
		"overloaded", "overload", "over capacity", "quota", "insufficient quota", "usage limit",
		"session limit", "weekly limit", "daily limit", "hourly limit", "5 hour limit", "throttled", "throttling":
		return RateLimit
	}
	return None
}

package hook

import (
	"strconv"
	"strings"
)

// Dialect is the form of an answer that continues a session.
type Dialect int

const (
	// DialectBlock is {"decision":"block"}, which every client understands.
	DialectBlock Dialect = iota
	// DialectContext is hookSpecificOutput.additionalContext: the model reads it
	// once, and the person is told of no problem. Claude Code knows it for Stop
	// since 2.1.163; Codex fails on it and ends the turn.
	DialectContext
)

// DialectFor picks the dialect from AI_AGENT and from OMC_HOOK_ANSWER (forced:
// "block", "context" or anything else for no wish). Codex always gets
// DialectBlock, since every other form ends its turn.
func DialectFor(aiAgent, forced string, codex bool) Dialect {
	switch {
	case codex || forced == "block":
		return DialectBlock
	case forced == "context" || knowsStopContext(aiAgent):
		return DialectContext
	}
	return DialectBlock
}

func knowsStopContext(aiAgent string) bool {
	major, minor, patch, ok := ClientVersion(aiAgent)
	switch {
	case !ok:
		return false
	case major != 2:
		return major > 2
	case minor != 1:
		return minor > 1
	}
	return patch >= 163
}

// ClientVersion reads the version of Claude Code from AI_AGENT, which looks like
// claude-code_2-1-332_harness.
func ClientVersion(aiAgent string) (major, minor, patch int, ok bool) {
	rest, found := strings.CutPrefix(aiAgent, "claude-code_")
	if !found {
		return 0, 0, 0, false
	}
	version, _, found := strings.Cut(rest, "_")
	parts := strings.Split(version, "-")
	if !found || len(parts) != 3 {
		return 0, 0, 0, false
	}
	var numbers [3]int
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return 0, 0, 0, false
		}
		numbers[i] = int(n)
	}
	return numbers[0], numbers[1], numbers[2], true
}

// FromModelShell reports whether AI_AGENT is the one that a command of the model
// sees, rather than a hook.
func FromModelShell(aiAgent string) bool {
	return strings.HasSuffix(aiAgent, "_agent")
}

package cli

import (
	"fmt"
	"strconv"
	"strings"

	"omc-hook/internal/plain"
)

// switchedOff names the environment variable that switches the hook off, "" for
// none. "0" and the empty text are not set.
func (e Env) switchedOff() string {
	for _, name := range []string{"OMC_HOOK_DISABLE", "DISABLE_OMC"} {
		switch strings.ToLower(strings.TrimSpace(e.Getenv(name))) {
		case "", "0", "false", "no", "off":
		default:
			return name
		}
	}
	for _, word := range strings.Split(e.Getenv("OMC_SKIP_HOOKS"), ",") {
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "omc-hook", "stop":
			return "OMC_SKIP_HOOKS"
		}
	}
	return ""
}

// clientCap is the client's own cap of continuations without a tool call: 8
// unless the variable names a number, 0 for none.
func (e Env) clientCap() int64 {
	const byDefault = 8
	n, err := strconv.ParseInt(strings.TrimSpace(e.Getenv("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")), 10, 32)
	switch {
	case err != nil:
		return byDefault
	case n <= 0:
		return 0
	}
	return n
}

// session is the id of the session that the model's shell belongs to.
func (e Env) session() string {
	for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID"} {
		if id := e.Getenv(name); id != "" {
			return id
		}
	}
	return ""
}

func (e Env) attended() bool {
	switch strings.ToLower(e.Getenv("CLAUDE_CODE_SESSION_ATTENDED")) {
	case "1", "true":
		return true
	}
	return false
}

// maxLine bounds what one line for people holds.
const maxLine = 1_000

func oneLine(s string) string { return plain.Line(s, maxLine) }

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

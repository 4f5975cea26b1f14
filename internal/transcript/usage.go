package transcript

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// maxTokens is more than any window; a larger number is no count.
const maxTokens = 1 << 40

// Usage returns the tokens that the newest answer of the main agent had in its
// context window, its own output included.
func Usage(tail []byte) (tokens int64, ok bool) {
	for end := len(tail); end >= 0; {
		start := bytes.LastIndexByte(tail[:end], '\n') + 1
		if tokens, ok = usageOf(tail[start:end]); ok {
			return tokens, true
		}
		end = start - 1
	}
	return 0, false
}

func usageOf(raw []byte) (int64, bool) {
	line, ok := object(raw, `"usage"`)
	if !ok || text(line, "type") != "assistant" || member(line, "isSidechain").Type == gjson.True {
		return 0, false
	}
	usage := member(member(line, "message"), "usage")
	var sum float64
	for _, name := range [...]string{
		"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens",
	} {
		count := member(usage, name)
		if count.Type == gjson.Number && count.Num > 0 && count.Num < maxTokens {
			sum += count.Num
		}
	}
	return int64(sum), sum > 0
}

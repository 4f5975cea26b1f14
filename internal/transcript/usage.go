package transcript

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// maxTokens is more than any window; a larger number is no count.
const maxTokens = 1 << 40

// Fill is how full the context window was at an answer, and of which model.
type Fill struct {
	Tokens int64
	Model  string
}

// Usage returns the tokens that the newest answer of the main agent had in its
// context window, its own output included.
func Usage(tail []byte) (fill Fill, ok bool) {
	for end := len(tail); end >= 0; {
		start := bytes.LastIndexByte(tail[:end], '\n') + 1
		if fill, ok = usageOf(tail[start:end]); ok {
			return fill, true
		}
		end = start - 1
	}
	return Fill{}, false
}

func usageOf(raw []byte) (Fill, bool) {
	line, ok := object(raw, `"usage"`)
	if !ok || text(line, "type") != "assistant" || member(line, "isSidechain").Type == gjson.True {
		return Fill{}, false
	}
	message := member(line, "message")
	usage := member(message, "usage")
	var sum float64
	for _, name := range [...]string{
		"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens",
	} {
		count := member(usage, name)
		if count.Type == gjson.Number && count.Num > 0 && count.Num < maxTokens {
			sum += count.Num
		}
	}
	return Fill{Tokens: int64(sum), Model: text(message, "model")}, sum > 0
}

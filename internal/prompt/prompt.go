// Package prompt fills the embedded texts of the workflows: each {{name}} is
// replaced by its value, once, so that a value is never read as a text of ours.
// It is pure and knows no workflow.
package prompt

import "strings"

// Fill replaces every {{name}} of text by values[name]. A name without a value
// stays as it is, which a test of each text would show.
func Fill(text string, values map[string]string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, closed := strings.Cut(rest, "}}")
		value, known := values[name]
		if !closed || !known {
			out.WriteString("{{")
			text = rest
			continue
		}
		out.WriteString(value)
		text = after
	}
}

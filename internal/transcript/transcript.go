// Package transcript reads the end of a client's transcript, which is one JSON
// object a line.
//
// What it holds to: it is given bytes that may begin and end in the middle of a
// line and may hold anything; a line that cannot be read is skipped and takes no
// other with it. Nothing that it returns may be needed for safety, since the
// client writes the file late and in a form that it does not promise.
//
// What it does not do: it opens no file and bounds no tail; the caller hands over
// as much as it wants looked at.
package transcript

import (
	"bytes"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"omc-hook/internal/hook"
)

// maxLine is the longest line that is read. A longer one is a pasted document or
// a tool's output, not one of the small lines that are looked for.
const maxLine = 1 << 20

// object returns the line as a JSON object. The key is the cheap test that spares
// all but a few lines the parsing.
func object(line []byte, key string) (gjson.Result, bool) {
	if len(line) > maxLine || !bytes.Contains(line, []byte(key)) {
		return gjson.Result{}, false
	}
	// Complete bounds the depth before the validator recurses.
	if end, err := hook.Complete(line); err != nil || end == 0 {
		return gjson.Result{}, false
	}
	if !utf8.Valid(line) || !gjson.ValidBytes(line) {
		return gjson.Result{}, false
	}
	return gjson.ParseBytes(line), true
}

// member returns a member of an object by its plain name, which is never taken
// as a path.
func member(object gjson.Result, name string) gjson.Result {
	var found gjson.Result
	if !object.IsObject() {
		return found
	}
	object.ForEach(func(key, value gjson.Result) bool {
		if key.Str == name {
			found = value
		}
		return true
	})
	return found
}

// text returns a string member of an object, or "".
func text(object gjson.Result, name string) string {
	if value := member(object, name); value.Type == gjson.String {
		return value.Str
	}
	return ""
}

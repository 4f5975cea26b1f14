// Package strictjson tells whether bytes are one whole JSON document that is
// safe to hand to a recursive reader. It is pure and reads no values.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Check refuses, in this order, what is empty, not UTF-8, nested deeper than
// maxDepth, and not one whole document. The depth comes before the syntax since
// the validator recurses, and a stack overflow cannot be recovered.
func Check(data []byte, maxDepth int) error {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return errors.New("it is empty")
	case !utf8.Valid(data):
		return errors.New("it is not valid UTF-8")
	case depth(data) > maxDepth:
		return fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	case !gjson.ValidBytes(data):
		return errors.New("it is not one whole JSON document")
	}
	return nil
}

// CheckObject is Check for a document that must be an object.
func CheckObject(data []byte, maxDepth int) error {
	if err := Check(data, maxDepth); err != nil {
		return err
	}
	if !gjson.ParseBytes(data).IsObject() {
		return errors.New("it is not a JSON object")
	}
	return nil
}

// depth is the deepest nesting of brackets outside strings.
func depth(data []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

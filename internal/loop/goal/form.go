package goal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"omc-hook/internal/strictjson"
)

// form writes an empty input of the model with its fields explained: lines that
// begin with #, then the JSON object.
func form(title string, fields []Field) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s Lines that begin with # are not needed.\n", title)
	for _, f := range fields {
		fmt.Fprintf(&out, "# %-13s %s\n", f.Name, f.Meaning)
	}
	out.WriteString("{\n")
	for i, f := range fields {
		comma := ","
		if i == len(fields)-1 {
			comma = ""
		}
		fmt.Fprintf(&out, "  %q: %s%s\n", f.Name, f.Empty, comma)
	}
	out.WriteString("}\n")
	return out.String()
}

// readForm reads what the model wrote: JSON, after lines that begin with #.
// Unknown fields are refused by name, so that nothing said is lost in silence.
func readForm[T any](data []byte) (T, error) {
	var v, zero T
	if len(data) > MaxEntryBytes {
		return zero, fmt.Errorf("the record is longer than %d KiB", MaxEntryBytes>>10)
	}
	data = bytes.TrimSpace(data)
	for bytes.HasPrefix(data, []byte("#")) {
		_, rest, _ := bytes.Cut(data, []byte("\n"))
		data = bytes.TrimSpace(rest)
	}
	if err := strictjson.CheckObject(data, maxEntryDepth); err != nil {
		return zero, fmt.Errorf("the record cannot be read: %w%s", err, place(data))
	}
	if bytes.ContainsRune(data, 0) || bytes.Contains(data, []byte(`\u0000`)) {
		return zero, errors.New("the record holds a NUL character")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return zero, fmt.Errorf("the record does not fit the template: %w", err)
	}
	return v, nil
}

// place says where the syntax of a document breaks, "" where it is not the syntax.
func place(data []byte) string {
	var syntax *json.SyntaxError
	if len(data) > MaxEntryBytes || !errors.As(json.Unmarshal(data, new(json.RawMessage)), &syntax) {
		return ""
	}
	before := data[:min(max(syntax.Offset-1, 0), int64(len(data)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf(" (line %d, column %d of the JSON: %v)", line, column, syntax)
}

// wants collects what an input lacks, one line each.
type wants []string

func (w *wants) need(ok bool, what string) {
	if !ok {
		*w = append(*w, what)
	}
}

// said wants a text that is there and is no placeholder.
func (w *wants) said(text, what string) { w.need(said(text), what) }

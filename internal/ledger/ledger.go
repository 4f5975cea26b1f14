// Package ledger reads and writes the markdown records of a workflow.
//
// A record is a heading, a rendering for people, and one fenced block of JSON
// whose info string is "json omc-hook". Only these blocks are read; text of
// people and models stands in longer fences and is never parsed. In an
// append-only file each block carries a sequence number and the digest of the
// block before, so that a change, a gap and a cut tail show.
//
// The package is pure. A fault in a file is reported with its line and a
// repair; it never hides the records that can be read.
package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"omc-hook/internal/strictjson"
)

// infoString marks the fence of a block that is read.
const infoString = "json omc-hook"

// MaxBytes bounds a file of records; MaxRecords the records in it.
const (
	MaxBytes   = 64 << 20
	MaxRecords = 100_000
)

// maxDepth bounds the nesting of one block.
const maxDepth = 32

// Record is one record of a file. Body is its JSON as written by the workflow.
type Record struct {
	Seq  int             `json:"seq"`
	Prev string          `json:"prev"`
	Kind string          `json:"kind"`
	At   time.Time       `json:"at"`
	Body json.RawMessage `json:"body"`

	// Line is the line of the block's opening fence, from 1.
	Line int `json:"-"`
}

// Fault is something wrong in a file: where, what, and what mends it.
type Fault struct {
	Line   int    `json:"line"`
	What   string `json:"what"`
	Repair string `json:"repair"`
}

// String is the fault in one line.
func (f Fault) String() string {
	return fmt.Sprintf("line %d: %s; %s", f.Line, f.What, f.Repair)
}

// File is everything that Parse found.
type File struct {
	Records []Record
	Faults  []Fault
	// Whole is the length in bytes up to the end of the last whole record; what
	// follows it is a half record when Torn is true.
	Whole int
	Torn  bool
}

// Head is the digest of the last record, "" for none.
func (f File) Head() string {
	if len(f.Records) == 0 {
		return ""
	}
	return f.Records[len(f.Records)-1].Digest()
}

// Digest identifies the record. White space of the block does not count, so a
// formatter that indents it changes nothing.
func (r Record) Digest() string {
	sum := sha256.Sum256(r.compact())
	return hex.EncodeToString(sum[:])
}

func (r Record) compact() []byte {
	var out bytes.Buffer
	if err := json.Compact(&out, r.Body); err != nil {
		return r.Body
	}
	return fmt.Appendf(nil, "%d\n%s\n%s\n%s\n%s", r.Seq, r.Prev, r.Kind, r.At.UTC().Format(time.RFC3339Nano), out.Bytes())
}

// New makes the record that follows the records of f.
func (f File) New(kind string, at time.Time, body any) (Record, error) {
	raw, err := encode(body)
	if err != nil {
		return Record{}, fmt.Errorf("encode a record of kind %s: %w", kind, err)
	}
	r := Record{Seq: 1, Kind: kind, At: at.UTC(), Body: raw}
	if n := len(f.Records); n > 0 {
		r.Seq, r.Prev = f.Records[n-1].Seq+1, f.Head()
	}
	return r, nil
}

// encode is JSON as people want to read it: no escapes for <, > and &.
func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// Render writes a record under heading with prose for people before its block.
// The prose must not open a fence of this package's kind; Quote makes text of
// others safe.
func Render(r Record, heading, prose string) ([]byte, error) {
	block, err := encode(r)
	if err != nil {
		return nil, fmt.Errorf("encode record %d: %w", r.Seq, err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n## %s\n\n", heading)
	if prose = strings.TrimSpace(prose); prose != "" {
		out.WriteString(prose + "\n\n")
	}
	fmt.Fprintf(&out, "```%s\n%s\n```\n", infoString, block)
	return []byte(out.String()), nil
}

// Quote puts text of a person or a model into a fence longer than any run of
// backticks in it, so that nothing in it can be taken for a record. What would
// make the file unreadable is replaced.
func Quote(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\ufffd"), "\ufffd")
	longest, run := 0, 0
	for _, c := range text {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", max(4, longest+1))
	return fence + "text\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// Parse reads a file of records. An error means that nothing of it can be read;
// what is wrong inside stands in Faults.
func Parse(data []byte) (File, error) {
	text := withoutStub(data)
	switch {
	case len(data) > MaxBytes:
		return File{}, fmt.Errorf("larger than %d MiB", MaxBytes>>20)
	case !utf8.Valid(text):
		return File{}, fmt.Errorf("not valid UTF-8")
	case bytes.IndexByte(text, 0) >= 0:
		return File{}, fmt.Errorf("holds NUL bytes")
	}
	p := parser{data: text, stub: len(text) < len(data)}
	p.run()
	if p.stub && len(p.file.Records) == 0 {
		return File{}, fmt.Errorf("cut off before its first record")
	}
	return p.file, nil
}

// withoutStub is data without what only a write that was cut off leaves at the
// end: NUL bytes of a block that was never filled, and the first bytes of a
// character.
func withoutStub(data []byte) []byte {
	data = bytes.TrimRight(data, "\x00")
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		last := data[len(data)-n:]
		if !utf8.RuneStart(last[0]) {
			continue
		}
		if !utf8.FullRune(last) {
			return data[:len(data)-n]
		}
		break
	}
	return data
}

// decode reads one block.
func decode(block []byte) (Record, error) {
	if err := strictjson.CheckObject(block, maxDepth); err != nil {
		return Record{}, fmt.Errorf("the block cannot be read: %w", err)
	}
	var r Record
	dec := json.NewDecoder(bytes.NewReader(block))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("the block is not a record (%w)", err)
	}
	if r.Seq < 1 || r.Seq > MaxRecords || r.Kind == "" || r.At.IsZero() || !gjson.ParseBytes(r.Body).IsObject() {
		return Record{}, fmt.Errorf("the block lacks its number, kind, time or body")
	}
	return r, nil
}

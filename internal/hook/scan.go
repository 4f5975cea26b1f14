package hook

import (
	"errors"
	"fmt"
	"io"
)

const (
	// MaxSize is the largest event that is read, in bytes.
	MaxSize = 8 << 20
	// MaxDepth is the deepest nesting that is read. gjson.ValidBytes recurses
	// once a level, and a stack overflow in Go cannot be recovered.
	MaxDepth = 128
)

var (
	// ErrTooLarge is returned for an event of more than MaxSize bytes.
	ErrTooLarge = errors.New("event larger than 8 MiB")
	// ErrTooDeep is returned for an event nested deeper than MaxDepth.
	ErrTooDeep = errors.New("event nested deeper than 128 levels")
	// ErrNotObject is returned when the first value is not a JSON object.
	ErrNotObject = errors.New("not a JSON object")
	// ErrTrailing is returned when something but white space follows the object.
	ErrTrailing = errors.New("data after the JSON object")

	errMismatch = errors.New("brackets that do not match")
)

// bom is the UTF-8 byte order mark that some Windows shells put in front.
const bom = "\xef\xbb\xbf"

// scanner finds the end of the first JSON object of a stream without recursion.
// It looks at strings and brackets only; whether the rest is JSON is for a
// validator, which may recurse once the scanner has bounded the depth.
type scanner struct {
	n        int // bytes seen, the object's end once done
	depth    int
	closers  [MaxDepth]byte
	inString bool
	escaped  bool
	started  bool
	done     bool
}

// feed takes the next bytes and returns how many of them it used. It uses all of
// them unless the object ends before.
func (s *scanner) feed(chunk []byte) (int, error) {
	for i, c := range chunk {
		if err := s.step(c); err != nil {
			return i, err
		}
		s.n++
		if s.done {
			return i + 1, nil
		}
	}
	return len(chunk), nil
}

func (s *scanner) step(c byte) error {
	switch {
	case s.n >= MaxSize:
		return ErrTooLarge
	case !s.started:
		return s.start(c)
	case s.inString:
		s.stepString(c)
		return nil
	}
	switch c {
	case '"':
		s.inString = true
	case '{':
		return s.open('}')
	case '[':
		return s.open(']')
	case '}', ']':
		if s.closers[s.depth-1] != c {
			return errMismatch
		}
		s.depth--
		s.done = s.depth == 0
	}
	return nil
}

// start takes what may stand before the object: a byte order mark at the very
// beginning, then white space.
func (s *scanner) start(c byte) error {
	switch {
	case s.n < len(bom) && c == bom[s.n]:
		return nil
	case isSpace(c):
		return nil
	case c == '{':
		s.started = true
		return s.open('}')
	}
	return ErrNotObject
}

func (s *scanner) stepString(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = false
	}
}

func (s *scanner) open(closer byte) error {
	if s.depth == MaxDepth {
		return ErrTooDeep
	}
	s.closers[s.depth] = closer
	s.depth++
	return nil
}

// Complete looks for the end of the first JSON object in data. It returns the
// object's end, or 0 and no error when more bytes are needed, or an error when
// no further byte can help. It bounds size and depth and checks nothing else.
func Complete(data []byte) (int, error) {
	var s scanner
	if _, err := s.feed(data); err != nil {
		return 0, err
	}
	if !s.done {
		return 0, nil
	}
	return s.n, nil
}

// Read reads one event: it returns as soon as one whole JSON object is there, so
// that a pipe which the client leaves open does not hold the hook up. Only white
// space may follow the object in the bytes that arrived together with its end.
// An input without a byte is io.EOF, one that ends early io.ErrUnexpectedEOF.
// Read itself has no deadline; the caller has.
func Read(r io.Reader) ([]byte, error) {
	var (
		s     scanner
		data  []byte
		chunk [16 << 10]byte
	)
	for idle := 0; idle < maxIdleReads; idle++ {
		n, err := r.Read(chunk[:])
		used, scanErr := s.feed(chunk[:n])
		data = append(data, chunk[:used]...)
		switch {
		case scanErr != nil:
			return nil, fmt.Errorf("read event: %w", scanErr)
		case s.done && !allSpace(chunk[used:n]):
			return nil, fmt.Errorf("read event: %w", ErrTrailing)
		case s.done:
			return data, nil
		case err == io.EOF && s.started:
			return nil, fmt.Errorf("read event: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return nil, fmt.Errorf("read event: %w", err)
		}
		if n > 0 {
			idle = 0
		}
	}
	return nil, fmt.Errorf("read event: %w", io.ErrNoProgress)
}

// maxIdleReads ends a reader that returns nothing and no error again and again.
const maxIdleReads = 100

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r'
}

func allSpace(data []byte) bool {
	for _, c := range data {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

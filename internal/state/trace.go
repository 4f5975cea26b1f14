package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// TraceFile is the name of the trace in a session's directory.
const TraceFile = "omc-hook-trace.jsonl"

const (
	maxTrace = 256 << 10
	// readTrace leaves room for writers that passed maxTrace side by side.
	readTrace = 2 * maxTrace
)

// AppendTrace adds a line to the session's trace. It makes no directory and is
// not synced.
func (s Store) AppendTrace(loc Location, line []byte) error {
	if err := s.checkSession(loc); err != nil {
		return fmt.Errorf("append to the trace of session %q: %w", loc.Session, err)
	}
	return s.Disk.AppendLine(filepath.Join(loc.Dir, TraceFile), line, maxTrace)
}

// ReadTrace returns the lines of the session's trace, newest last. What is not
// one JSON object is left out: a line that a kill cut, or that somebody else
// wrote. An error may come with the lines of the file that could be read.
func (s Store) ReadTrace(loc Location) ([][]byte, error) {
	if err := s.checkSession(loc); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("read the trace of session %q: %w", loc.Session, err)
	}
	var lines [][]byte
	var errs []error
	for _, name := range TraceFiles() {
		data, err := s.Disk.ReadRegular(filepath.Join(loc.Dir, name), readTrace)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for line := range bytes.Lines(data) {
			line = bytes.TrimSpace(line)
			if bytes.HasPrefix(line, []byte("{")) && json.Valid(line) {
				lines = append(lines, line)
			}
		}
	}
	return lines, errors.Join(errs...)
}

// TraceFiles lists the files of a session's trace, the older one first.
func TraceFiles() [2]string { return [2]string{TraceFile + ".1", TraceFile} }

// TraceLines returns every line of one of the session's trace files, broken ones
// too. Without the file the error is fs.ErrNotExist.
func (s Store) TraceLines(loc Location, name string) ([][]byte, error) {
	if err := s.checkSession(loc); err != nil {
		return nil, fmt.Errorf("read the trace of session %q: %w", loc.Session, err)
	}
	data, err := s.Disk.ReadRegular(filepath.Join(loc.Dir, name), readTrace)
	return slices.Collect(bytes.Lines(data)), err
}

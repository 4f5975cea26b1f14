package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"omc-hook/internal/disk"
)

func TestTraceComesBackNewestLast(t *testing.T) {
	s, loc := newSession(t)
	for i := range 3 {
		if err := s.AppendTrace(loc, fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := s.ReadTrace(loc)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%s", lines), `[{"n":0} {"n":1} {"n":2}]`; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
}

func TestTraceIsBoundedAndReadAcrossItsTwoFiles(t *testing.T) {
	s, loc := newSession(t)
	const written = 1500
	for i := range written {
		if err := s.AppendTrace(loc, fmt.Appendf(nil, `{"n":%d,"x":"%s"}`, i, strings.Repeat("x", 500))); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := s.ReadTrace(loc)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		want := fmt.Sprintf(`{"n":%d,`, written-len(lines)+i)
		if !strings.HasPrefix(string(line), want) {
			t.Fatalf("line %d is %.20s, want %s", i, line, want)
		}
	}
	if bytes := len(content(t, filepath.Join(loc.Dir, TraceFile))); bytes > maxTrace || len(lines) < 500 {
		t.Errorf("%d bytes, %d lines", bytes, len(lines))
	}
}

func TestReadTraceLeavesOutBadLines(t *testing.T) {
	s, loc := newSession(t)
	write(t, filepath.Join(loc.Dir, TraceFile), "{\"n\":1}\n\n{\"n\":\nnull\n[1]\n\x00\x00\n{\"n\":2}\r\n{\"n\":3} {}\n"+
		strings.Repeat("[", 100_000)+"\n"+`{"x":`+strings.Repeat("[", 100_000)+"\n"+`{"n":4}`)
	lines, err := s.ReadTrace(loc)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%s", lines), `[{"n":1} {"n":2} {"n":4}]`; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
}

func TestReadTraceGivesWhatItCanAndSaysWhatItCannot(t *testing.T) {
	s, loc := newSession(t)
	write(t, filepath.Join(loc.Dir, TraceFile), "{}\n")
	symlink(t, "nothing", filepath.Join(loc.Dir, TraceFile+".1"))
	lines, err := s.ReadTrace(loc)
	if len(lines) != 1 || !errors.Is(err, disk.ErrLink) {
		t.Errorf("%d lines, error %v, want 1 and %v", len(lines), err, disk.ErrLink)
	}
}

func TestTraceMakesNoDirectory(t *testing.T) {
	s, loc := newStore(t)
	if err := s.AppendTrace(loc, []byte("{}")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("append: %v, want %v", err, fs.ErrNotExist)
	}
	if lines, err := s.ReadTrace(loc); lines != nil || err != nil {
		t.Errorf("read: %s, %v, want nothing", lines, err)
	}
	if got := tree(t, loc.Root); len(got) != 1 {
		t.Errorf("the root holds %q, want only .git", got)
	}
}

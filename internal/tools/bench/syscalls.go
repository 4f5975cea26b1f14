package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// calls counts the system calls of one run of a subject, its threads and
// children included. Those of waiting (nanosleep, futex) differ between runs.
type calls struct {
	Name   string         `json:"name"`
	Total  int            `json:"total"`
	ByCall map[string]int `json:"by_call"`
}

// most names the most frequent ones.
func (c calls) most() string {
	const shown = 6
	names := slices.SortedFunc(maps.Keys(c.ByCall), func(a, b string) int {
		return cmp.Or(c.ByCall[b]-c.ByCall[a], strings.Compare(a, b))
	})
	var list []string
	for _, name := range names[:min(shown, len(names))] {
		list = append(list, fmt.Sprintf("%s %d", name, c.ByCall[name]))
	}
	return strings.Join(list, ", ")
}

// countCalls counts what an empty program and an idle Stop ask of the system,
// where strace is installed and allowed; else a note says why not.
func countCalls(ctx context.Context, scratch string, subjects []subject) ([]calls, string) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return []calls{}, "system calls are not counted: there is no strace"
	}
	var list []calls
	for _, s := range subjects {
		if s.name != emptyGo && s.name != aloneIdle && s.name != hookIdle {
			continue
		}
		counted, err := s.traced(ctx, strace, filepath.Join(scratch, "strace"))
		if err != nil {
			return []calls{}, "system calls are not counted: " + err.Error()
		}
		list = append(list, counted)
	}
	return list, ""
}

func (s subject) traced(ctx context.Context, strace, file string) (calls, error) {
	plain := s.command(ctx)
	cmd := exec.CommandContext(ctx, strace, append([]string{"-f", "-c", "-o", file, plain.Path}, plain.Args[1:]...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = plain.Dir, plain.Env, bytes.NewReader(s.input)
	if out, err := cmd.CombinedOutput(); err != nil {
		return calls{}, fmt.Errorf("strace: %w: %s", err, bytes.TrimSpace(out))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return calls{}, fmt.Errorf("read what strace says: %w", err)
	}
	return parseCalls(s.name, string(data)), nil
}

// parseCalls reads the table of strace -c. Its fourth column is the number of
// calls, its last the name; the number of errors between them may be missing.
func parseCalls(name, table string) calls {
	c := calls{Name: name, ByCall: map[string]int{}}
	for line := range strings.Lines(table) {
		columns := strings.Fields(line)
		if len(columns) < 5 || columns[len(columns)-1] == "total" {
			continue
		}
		n, err := strconv.Atoi(columns[3])
		if err != nil {
			continue
		}
		c.ByCall[columns[len(columns)-1]] = n
		c.Total += n
	}
	return c
}

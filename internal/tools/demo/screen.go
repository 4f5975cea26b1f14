package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"omc-hook/internal/tools/demo/client"
)

// screen prints the stories. Colour only repeats what the words say.
type screen struct {
	out    io.Writer
	colour bool
}

// The codes of a terminal's colours.
const (
	bold   = "1"
	grey   = "2"
	green  = "1;32"
	yellow = "1;33"
	cyan   = "36"
)

// coloured reports whether file is a terminal of a person who wants colour.
func coloured(file *os.File, getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" || runtime.GOOS == "windows" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (s *screen) paint(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *screen) title(text string) {
	fmt.Fprintf(s.out, "\n%s\n", s.paint(bold, text))
}

// line is one line with who speaks.
func (s *screen) line(who, format string, args ...any) {
	code := grey
	if who == "person" || who == "note" {
		code = cyan
	}
	fmt.Fprintf(s.out, "  %s %s\n", s.paint(code, fmt.Sprintf("%-8s", who)), fmt.Sprintf(format, args...))
}

// text is what a command printed, each line set in.
func (s *screen) text(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(s.out, "           %s\n", s.paint(grey, strings.TrimRight(line, "\r\n")))
	}
}

// stop is one decision: when, what, by which rule, what it saw, how long the
// client waited, and the first line of what was said to whom.
func (s *screen) stop(d decision, a client.Answer) {
	word, code := "let go  ", yellow
	if a.Continue {
		word, code = "continue", green
	}
	fmt.Fprintf(s.out, "  %s %s  %s  rule %-10s  %s %s\n", s.paint(bold, "stop    "), d.At.Local().Format("15:04:05.000"),
		s.paint(code, word), d.Rule, d.Detail, s.paint(grey, fmt.Sprintf("(%.1f ms)", float64(a.Took)/float64(time.Millisecond))))
	if a.Text != "" {
		s.line("", "to the model: %s", firstLine(a.Text))
	}
	if a.Note != "" {
		s.line("note", "%s", firstLine(a.Note))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// close says where everything lies and what to type next.
func (s *screen) close(plugin client.Plugin, place scratch, took time.Duration) {
	s.title(fmt.Sprintf("All as it should be, in %.1f s.", took.Seconds()))
	s.line("worklog", "%s", place.worklog())
	s.line("try", "cat %s", quoted(place.worklog()))
	s.line("next", "in a project of yours: claude --plugin-dir %s", quoted(plugin.Dir))
	s.line("", "then type: /goal-loop --max-iterations=12 what is to be reached")
	s.line("remove", "rm -r %s", quoted(place.dir))
}

func (s scratch) worklog() string {
	return filepath.Join(s.project, ".goal-loop", "GOAL-WORKLOG.md")
}

// quoted is a word for a POSIX shell.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

package decide

import (
	"fmt"
	"strings"

	"omc-hook/internal/loop"
	"omc-hook/internal/plain"
)

// Bounds of what a continuation tells the model (DESIGN, Answers).
const (
	maxTextLines = 4
	maxTextRunes = 600
	// shortNext is the length of the next action where a shell is named too.
	shortNext = 80
)

// text is what the model reads at a continuation. The word about a shell ends
// the last line, and the next action makes room for it; where it does not fit
// all the same it is left out, since half a command helps nobody.
func (s *stop) text(nudge int64) string {
	view, id := s.view, s.unwaitedShell()
	if id == "" {
		return clip(s.mode.next(view, nudge))
	}
	view.NextAction = plain.Line(view.NextAction, shortNext)
	text := clip(s.mode.next(view, nudge))
	if more := text + fmt.Sprintf(" Shell %s runs; if it ends by itself: omc-hook wait %s --for 30m", id, id); clip(more) == more {
		return more
	}
	return text
}

// unwaitedShell is the id of a running background shell that nobody waits for.
func (s *stop) unwaitedShell() string {
	for _, t := range s.event.Tasks {
		if t.Type == "shell" && t.Status == "running" && !s.waitsFor(t) {
			return plain.Line(t.ID, 40)
		}
	}
	return ""
}

func clip(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > maxTextLines {
		lines = lines[:maxTextLines]
	}
	runes := []rune(strings.Join(lines, "\n"))
	if len(runes) > maxTextRunes {
		runes = append(runes[:maxTextRunes-1], '…')
	}
	return string(runes)
}

// Continuation is what a Stop of this mode would tell the model next.
func Continuation(mode string, v loop.View) string {
	for _, m := range modes {
		if m.name == mode {
			return clip(m.next(v, max(v.Used, 1)))
		}
	}
	return ""
}

package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// writeJSON prints one indented document.
func (c *call) writeJSON(v any) error {
	enc := json.NewEncoder(c.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// ago is how long before now a time lies, as people say it.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t)
	switch {
	case d < 0:
		return "in " + span(-d)
	case d < time.Second:
		return "just now"
	}
	return span(d) + " ago"
}

func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}

// bar draws done of all as a picture of at most 24 cells.
func bar(done, all int64) string {
	const most = 24
	if all <= 0 {
		return ""
	}
	cells := min(all, most)
	filled := min(done*cells/all, cells)
	return "[" + strings.Repeat("#", int(filled)) + strings.Repeat(".", int(cells-filled)) + "]"
}

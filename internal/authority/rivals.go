// Package authority tells who else would continue a session: OMC's native modes
// and the ralph-loop plugin. It only reads, a fixed list of names, and decides
// nothing.
package authority

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"omc-hook/internal/decide"
	"omc-hook/internal/state"
	"omc-hook/internal/strictjson"
)

// omcModes are the modes that OMC's own hook continues, in its order.
var omcModes = [...]string{
	"ralph", "ultragoal", "autopilot", "ultrapilot", "swarm", "pipeline", "team", "omc-teams", "ultraqa", "ultrawork",
}

// rivalFresh is the age at which a rival's state no longer counts, as OMC's own
// hook has it.
const rivalFresh = 2 * time.Hour

// maxRalphLoop bounds the file of the ralph-loop plugin that is read.
const maxRalphLoop = 64 << 10

// Rivals lists the active continuations of the session at loc that are not ours.
func Rivals(store state.Store, loc state.Location, now time.Time) []decide.Rival {
	var rivals []decide.Rival
	names := make([]string, len(omcModes))
	for i, m := range omcModes {
		names[i] = m + "-state.json"
	}
	for name, file := range store.Read(loc, names) {
		if file.Fault == "" && activeOMC(file.Data, loc.Session, now) {
			mode := strings.TrimSuffix(name, "-state.json")
			rivals = append(rivals, decide.Rival{Name: "OMC's " + mode, Path: filepath.Join(loc.Dir, name)})
		}
	}
	path := filepath.Join(loc.Root, ".claude", "ralph-loop.local.md")
	data, err := store.Disk.ReadRegular(path, maxRalphLoop)
	if err == nil && activeRalphLoop(string(data), loc.Session) {
		rivals = append(rivals, decide.Rival{Name: "the ralph-loop plugin", Path: path})
	}
	slices.SortFunc(rivals, func(a, b decide.Rival) int { return strings.Compare(a.Path, b.Path) })
	return rivals
}

// activeOMC holds for a state of OMC that its hook would continue here.
func activeOMC(data []byte, session string, now time.Time) bool {
	const maxDepth = 64
	if strictjson.CheckObject(data, maxDepth) != nil {
		return false
	}
	doc := gjson.ParseBytes(data)
	owner := doc.Get("session_id").String()
	if doc.Get("active").Type != gjson.True || owner != "" && owner != session {
		return false
	}
	for _, field := range []string{"started_at", "updated_at", "last_checked_at"} {
		if t, err := time.Parse(time.RFC3339Nano, doc.Get(field).String()); err == nil && now.Sub(t) <= rivalFresh {
			return true
		}
	}
	return false
}

// activeRalphLoop holds for a front matter with `active: true` that names this
// session or none.
func activeRalphLoop(text, session string) bool {
	active, owner := false, ""
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if len(lines) == 0 || strings.TrimSpace(lines[0]) != "---" {
		return false
	}
	for _, line := range lines[1:] {
		if strings.TrimSpace(line) == "---" {
			break
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch strings.TrimSpace(key) {
		case "active":
			active = value == "true"
		case "session_id":
			owner = value
		}
	}
	return active && (owner == "" || owner == "null" || owner == session)
}

package transcript

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// maxQueue bounds what is remembered of a hostile tail.
const maxQueue = 256

// Entry is one thing that waits: its text, and when the client put it into the
// queue (zero where it does not say).
type Entry struct {
	Text string
	At   time.Time
}

// Waiting returns what a person typed while the turn ran and the client still
// holds back, oldest first: a slash command always waits for the turn's end, and
// so do plain words in a turn that uses no tool.
//
// The client writes a line for each change of its queue. A command that is taken
// back (remove, popAll) is named by its content; one that is taken up (dequeue) is
// not: it is the oldest, except that the client takes what the person typed
// before its own task notifications.
func Waiting(tail []byte) []Entry {
	var queue []Entry
	for len(tail) > 0 {
		raw, rest, _ := bytes.Cut(tail, []byte("\n"))
		tail = rest
		line, ok := object(raw, `"queue-operation"`)
		if !ok || text(line, "type") != "queue-operation" {
			continue
		}
		content := member(line, "content")
		switch text(line, "operation") {
		case "enqueue":
			queue = append(queue, Entry{Text: contentText(content), At: stamp(line)})
			queue = queue[max(0, len(queue)-maxQueue):]
		case "dequeue":
			queue = take(queue, content, notifies)
		case "remove", "popAll":
			queue = take(queue, content, isCommand)
		}
	}
	return slices.DeleteFunc(queue, func(e Entry) bool { return e.Text == "" || notifies(e.Text) })
}

// take removes the entry that an operation names. An operation that names none
// takes the oldest entry that is not spared, else the oldest; one that names an
// entry from before the tail takes nothing.
func take(queue []Entry, content gjson.Result, spared func(string) bool) []Entry {
	i := 0
	if content.Exists() {
		named := contentText(content)
		i = slices.IndexFunc(queue, func(e Entry) bool { return e.Text == named })
	} else if other := slices.IndexFunc(queue, func(e Entry) bool { return !spared(e.Text) }); other >= 0 {
		i = other
	}
	if i < 0 || i >= len(queue) {
		return queue
	}
	return slices.Delete(queue, i, i+1)
}

func stamp(line gjson.Result) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text(line, "timestamp"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// contentText is the text of a queued prompt: a string, or a list of blocks of
// which only the text counts.
func contentText(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	var b strings.Builder
	if content.IsArray() {
		content.ForEach(func(_, block gjson.Result) bool {
			if block.Type == gjson.String {
				b.WriteString(block.Str)
			}
			b.WriteString(text(block, "text"))
			return true
		})
	}
	return b.String()
}

// isCommand reports whether an entry is a slash command and not, say, a path.
func isCommand(entry string) bool {
	name, found := strings.CutPrefix(entry, "/")
	if !found {
		return false
	}
	if i := strings.IndexAny(name, " \t\r\n"); i >= 0 {
		name = name[:i]
	}
	return name != "" && !strings.ContainsAny(name, "/\\")
}

func notifies(entry string) bool {
	return strings.HasPrefix(entry, "<task-notification>")
}

//go:build linux

package realclient

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

var update = flag.Bool("update", false, "write the samples in testdata/events anew")

const sampleDir = "testdata/events"

// samples are texts that the client wrote, by file name. The files in
// testdata are what other packages test with; here they are held against what
// the client under test writes: same fields, same types.
type samples struct {
	w     *World
	texts map[string]string
}

func (s *samples) add(name, text string) { s.texts[name] = clean(s.w, text) }

func (s *samples) addEvent(name string, e Event) { s.add(name+".json", e.Input.Raw) }

// check writes the samples, or compares their shape with the files.
func (s *samples) check(t *testing.T) {
	t.Helper()
	for name, text := range s.texts {
		path := filepath.Join(sampleDir, name)
		if *update {
			s.w.Write(path, text)
			continue
		}
		stored, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("read a sample: %v (run with -update)", err)
			continue
		}
		if diff := cmp.Diff(shapes(string(stored)), shapes(text)); diff != "" {
			t.Errorf("%s: the client's fields have changed (-sample +client):\n%s", name, diff)
		}
	}
}

// clean replaces what differs from run to run, and what belongs to this machine.
func clean(w *World, text string) string {
	slug := regexp.MustCompile(`[^A-Za-z0-9]`)
	text = strings.NewReplacer(
		slug.ReplaceAllString(w.Work, "-"), "-home-u-project",
		w.Work, "/home/u/project", w.Home, "/home/u", w.client, "/opt/claude-code/claude",
		filepath.Join(w.short, "client"), "/tmp/claude", w.dir, "/home/u",
	).Replace(text)
	text = number(text, `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "00000000-0000-4000-8000-%012d")
	text = number(text, `\ba[0-9a-f]{16}\b`, "a%016d")
	text = number(text, `\bb[0-9a-z]{8}\b`, "b%08d")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`).ReplaceAllString(text, "2026-01-01T00:00:00.000Z")
	text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(text, "127.0.0.1:8080")
	var out strings.Builder
	for line := range strings.Lines(text) {
		var indented bytes.Buffer
		if json.Indent(&indented, []byte(line), "", "  ") != nil || strings.Contains(strings.TrimSpace(text), "\n") {
			out.WriteString(line)
			continue
		}
		out.WriteString(strings.TrimSpace(indented.String()) + "\n")
	}
	return out.String()
}

// number replaces each different match with the format of its number.
func number(text, pattern, format string) string {
	seen := map[string]string{}
	return regexp.MustCompile(pattern).ReplaceAllStringFunc(text, func(match string) string {
		if seen[match] == "" {
			seen[match] = fmt.Sprintf(format, len(seen)+1)
		}
		return seen[match]
	})
}

// shapes are the field paths and types of every line, or of the whole document.
func shapes(text string) []string {
	found := map[string]bool{}
	if gjson.Valid(text) {
		shape("", gjson.Parse(text), found)
	} else {
		for _, line := range lines(text) {
			shape(line.Get("operation").String(), line, found)
		}
	}
	var out []string
	for path := range found {
		out = append(out, path)
	}
	sort.Strings(out)
	return out
}

func shape(path string, v gjson.Result, found map[string]bool) {
	if !v.IsObject() && !v.IsArray() {
		kind := v.Type.String()
		if v.IsBool() {
			kind = "Bool"
		}
		found[path+" "+kind] = true
		return
	}
	v.ForEach(func(key, value gjson.Result) bool {
		if v.IsArray() {
			shape(path+"[]", value, found)
		} else {
			shape(path+"."+key.String(), value, found)
		}
		return true
	})
}

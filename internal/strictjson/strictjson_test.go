package strictjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"omc-hook/internal/strictjson"
)

func TestCheckObjectAcceptsOneWholeObjectOnly(t *testing.T) {
	const depth = 8
	tests := []struct {
		name, input string
		want        string
	}{
		{"an object", `{"a":1}`, ""},
		{"an object with white space around it", " \n{\"a\":[1,{}]}\t\r\n", ""},
		{"brackets within strings are no nesting", `{"a":"` + strings.Repeat("[{", 100) + `\"[["}`, ""},
		{"the deepest nesting that is allowed", `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`, ""},
		{"one level more", `{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`, "it is nested deeper than 8 levels"},
		{"nothing", "", "it is empty"},
		{"white space", " \n\t", "it is empty"},
		{"bytes that are not UTF-8", "{\"a\":\"\xff\"}", "it is not valid UTF-8"},
		{"a cut end", `{"a":1`, "it is not one whole JSON document"},
		{"an object and the tail of another", `{"a":1}"b":2}`, "it is not one whole JSON document"},
		{"two objects", `{"a":1}{"a":2}`, "it is not one whole JSON document"},
		{"trailing NUL bytes", "{\"a\":1}\x00\x00", "it is not one whole JSON document"},
		{"a byte order mark", "\xef\xbb\xbf{}", "it is not one whole JSON document"},
		{"a comment", `{} // x`, "it is not one whole JSON document"},
		{"an array", `[{"a":1}]`, "it is not a JSON object"},
		{"null", `null`, "it is not a JSON object"},
		{"a number", `7`, "it is not a JSON object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := strictjson.CheckObject([]byte(tt.input), depth); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTenMillionLevelsAreRefusedBeforeAnythingRecurses(t *testing.T) {
	const levels = 10_000_000
	for name, input := range map[string]string{
		"arrays":            strings.Repeat("[", levels),
		"objects":           strings.Repeat(`{"a":`, levels),
		"an object of them": `{"a":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}`,
	} {
		if err := strictjson.Check([]byte(input), 64); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func FuzzCheckObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[{"b":"\\\"["}]}`, `]]]]{{{{`, `{"a":"\`, "{\"\x00\":1}", `{"a":1}x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strictjson.CheckObject(data, 16) != nil {
			return
		}
		if !json.Valid(data) || bytes.TrimSpace(data)[0] != '{' {
			t.Errorf("accepted %q, which encoding/json does not read as an object", data)
		}
	})
}

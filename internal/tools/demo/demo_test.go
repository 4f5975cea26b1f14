package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"omc-hook/internal/tools/demo/plugintest"
)

// temporary sends the scratch directories of a run below a directory that the
// test removes.
func temporary(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
}

func TestTheDemonstrationShowsASuccessAndARelease(t *testing.T) {
	plugin := plugintest.Build(t)
	temporary(t)
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-plugin", plugin}, &out, false); err != nil {
		t.Fatalf("demo: %v\n%s", err, out.String())
	}
	for _, want := range []string{
		"round 3 of 6", "3 passed, 0 failed", "rule outcome", "SUCCESS",
		"nudge 8 of 8", "rule lease-used", "not finished", "GOAL-WORKLOG.md",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the demonstration does not show %q", want)
		}
	}
	if strings.ContainsRune(out.String(), '\x1b') {
		t.Errorf("it is coloured where no colour was wanted")
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// A plugin without a binary lets everything pass in silence, which must not look
// like a success.
func TestAPluginThatDoesNothingIsAnError(t *testing.T) {
	plugin := plugintest.Copy(t)
	temporary(t)
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-plugin", plugin}, &out, false); err == nil {
		t.Errorf("demo: got no error\n%s", out.String())
	}
}

func TestColourOnlyWhereATerminalWantsIt(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	tests := []struct {
		name string
		file *os.File
		env  map[string]string
		want bool
	}{
		{"a file gets none", file, nil, false},
		{"a device gets colour", null, nil, runtime.GOOS != "windows"},
		{"NO_COLOR is respected", null, map[string]string{"NO_COLOR": "1"}, false},
		{"a dumb terminal gets none", null, map[string]string{"TERM": "dumb"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := coloured(tt.file, func(name string) string { return tt.env[name] })
			if got != tt.want {
				t.Errorf("coloured: got %v, want %v", got, tt.want)
			}
		})
	}
}

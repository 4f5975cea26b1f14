//go:build linux

package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestATerminalAsInputHoldsNoHookUp is the last way of case 4: a person who tries
// a hook verb by hand.
func TestATerminalAsInputHoldsNoHookUp(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no script(1) here to make a terminal")
	}
	for _, verb := range []string{"stop", "permit"} {
		f := newField(t)
		f.live()
		keys, typed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		a := f.begin(keys, script, "-qec", "'"+f.binary+"' "+verb, "/dev/null").end()
		_, _ = keys.Close(), typed.Close()
		if strings.Contains(a.stdout, "decision") {
			t.Errorf("%s on a terminal: %q", verb, a.stdout)
		}
		f.wantIteration(3)
	}
}

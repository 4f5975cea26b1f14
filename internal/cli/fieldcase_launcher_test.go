//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheRegisteredCommandWorksBelowAnyName is cases 10 and 73: the real launcher
// and binary below a name with everything in it, for a repository with a name of
// its kind, with nothing in the environment.
func TestTheRegisteredCommandWorksBelowAnyName(t *testing.T) {
	for _, name := range []string{"My Plugins (x86)", "a'b", "$HOME", "ünï", `a"b`, "a\nb", "-dash", "[x]*", "~", "`id`", "%s"} {
		f := newField(t)
		top := filepath.Dir(f.root)
		moved := filepath.Join(top, name)
		launcher := f.plugin()
		plugin := filepath.Join(t.TempDir(), name)
		if err := os.Rename(f.root, moved); err != nil {
			t.Fatal(err)
		}
		if err := exec.Command("cp", "-R", filepath.Dir(filepath.Dir(launcher)), plugin).Run(); err != nil {
			t.Fatal(err)
		}
		f.root = moved
		f.live()
		cmd := exec.Command(filepath.Join(plugin, "bin", "omc-hook"), "stop")
		cmd.Dir, cmd.Env = "/", []string{"PATH=/nonexistent"}
		cmd.Stdin = strings.NewReader(string(f.in().bytes()))
		out, err := cmd.Output()
		a := answer{stdout: string(out)}
		f.formed(&a)
		if err != nil {
			t.Errorf("%q: %v", name, err)
		}
		f.wantBlock(a)
		f.wantIteration(4)
	}
}

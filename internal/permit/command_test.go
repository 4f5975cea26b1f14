package permit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/permit"
)

func TestParseReadsOurCommands(t *testing.T) {
	oracle := newShellOracle(t)
	tests := []struct {
		name, command string
		want          permit.Call
	}{
		{"no words", "omc-hook", permit.Call{}},
		{"a verb", "omc-hook status", permit.Call{Args: []string{"status"}}},
		{"spaces and newlines at the end", "omc-hook  goal   record  \n \n", permit.Call{Args: []string{"goal", "record"}}},
		{"flags", "omc-hook why --last 3 --json --run=r-1", permit.Call{Args: []string{"why", "--last", "3", "--json", "--run=r-1"}}},
		{"every plain character", "omc-hook aZ09_./:=,@%+-", permit.Call{Args: []string{"aZ09_./:=,@%+-"}}},
		{"single quotes", `omc-hook x 'a "b" $(c) \ ; # *'`, permit.Call{Args: []string{"x", `a "b" $(c) \ ; # *`}}},
		{"double quotes", `omc-hook x "it's #1; <a> & *"`, permit.Call{Args: []string{"x", "it's #1; <a> & *"}}},
		{"pieces that touch", `omc-hook --verify='go test'" ./..."x`, permit.Call{Args: []string{"--verify=go test ./...x"}}},
		{"empty words", `omc-hook '' ""`, permit.Call{Args: []string{"", ""}}},
		{"other letters in quotes", `omc-hook 'é表' "😀"`, permit.Call{Args: []string{"é表", "😀"}}},
		{"a history reference in single quotes", `omc-hook '!!'`, permit.Call{Args: []string{"!!"}}},
		{
			"a heredoc", "omc-hook goal record --stdin <<'EOF'\n{\"a\":\"$(x) `y` \\ it's\"}\n\tb\nEOF\n",
			permit.Call{Args: []string{"goal", "record", "--stdin"}, Stdin: "{\"a\":\"$(x) `y` \\ it's\"}\n\tb\n", HasStdin: true},
		},
		{"a heredoc in double quotes", "omc-hook r <<\"END_1\"\n$x\nEND_1", permit.Call{Args: []string{"r"}, Stdin: "$x\n", HasStdin: true}},
		{"a heredoc after a space", "omc-hook r << 'EOF'\nx\nEOF", permit.Call{Args: []string{"r"}, Stdin: "x\n", HasStdin: true}},
		{"an empty heredoc", "omc-hook r <<'EOF'\nEOF\n\n", permit.Call{Args: []string{"r"}, HasStdin: true}},
		{"no words before a heredoc", "omc-hook <<'EOF'\nx\nEOF", permit.Call{Stdin: "x\n", HasStdin: true}},
		{
			"near misses of the delimiter", "omc-hook r <<'EOF'\n EOF\nEOF \nEOFx\nxEOF\n'EOF'\nEO\\\nF\n\nEOF\n",
			permit.Call{Args: []string{"r"}, Stdin: " EOF\nEOF \nEOFx\nxEOF\n'EOF'\nEO\\\nF\n\n", HasStdin: true},
		},
		{
			"shell text in the body", "omc-hook r <<'EOF'\n; rm -rf ~ && $(touch pwn)\n<<'A'\nA\nEOF",
			permit.Call{Args: []string{"r"}, Stdin: "; rm -rf ~ && $(touch pwn)\n<<'A'\nA\n", HasStdin: true},
		},
		{"a delimiter of digits", "omc-hook r <<'0'\nx\n0", permit.Call{Args: []string{"r"}, Stdin: "x\n", HasStdin: true}},
		{"other letters in the body", "omc-hook r <<'EOF'\né表😀\u200f\nEOF", permit.Call{Args: []string{"r"}, Stdin: "é表😀\u200f\n", HasStdin: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Program = permit.Program
			got, err := permit.Parse(tt.command)
			if err != nil {
				t.Fatalf("Parse(%q): %v", tt.command, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.command, diff)
			}
			oracle.agrees(t, tt.command, got)
		})
	}
}

func TestParseRefusesTheHostileLines(t *testing.T) {
	for _, command := range hostileCommands() {
		t.Run(command, func(t *testing.T) {
			if call, err := permit.Parse(command); err == nil {
				t.Errorf("Parse(%q) = %+v, want an error", command, call)
			}
		})
	}
}

func TestParseBoundsTheSize(t *testing.T) {
	frame := "omc-hook r <<'EOF'\n\nEOF"
	body := strings.Repeat("x", permit.MaxSize-len(frame))
	fits := strings.Replace(frame, "\n\n", "\n"+body+"\n", 1)
	if call, err := permit.Parse(fits); err != nil || len(call.Stdin) != len(body)+1 {
		t.Errorf("Parse of %d bytes: %d bytes of input, error %v", len(fits), len(call.Stdin), err)
	}
	if _, err := permit.Parse(fits + "\n"); err == nil {
		t.Errorf("Parse of %d bytes is no error", len(fits)+1)
	}
}

func FuzzParseCommand(f *testing.F) {
	for _, seed := range []string{
		"omc-hook goal record --stdin <<'EOF'\nx\nEOF\n", `omc-hook x 'a'"b"c`, "omc-hook", "omc-hook r << \"E\"\nE",
		"omc-hook r <<'EOF'\nEOF\nEOF", "omc-hook =x", "omc-hook x''y",
	} {
		f.Add(seed)
	}
	for _, command := range hostileCommands() {
		f.Add(command)
	}
	oracle := newShellOracle(f)
	f.Fuzz(func(t *testing.T, command string) {
		call, err := permit.Parse(command)
		if err != nil {
			return
		}
		oracle.agrees(t, command, call)
	})
}

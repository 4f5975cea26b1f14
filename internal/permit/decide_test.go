package permit_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"omc-hook/internal/permit"
)

func table() []permit.Verb {
	run := map[string]permit.Kind{"run": permit.Name, "json": permit.Bare}
	return []permit.Verb{
		{Words: []string{"stop"}, Class: permit.Hook},
		{Words: []string{"status"}, Flags: run, Class: permit.Read},
		{Words: []string{"why"}, Flags: map[string]permit.Kind{"last": permit.Digits, "json": permit.Bare}, Class: permit.Read},
		{Words: []string{"wait"}, Flags: map[string]permit.Kind{"for": permit.Duration}, Operands: []permit.Kind{permit.Name}, Class: permit.Record},
		{Words: []string{"goal"}, Class: permit.Other},
		{Words: []string{"goal", "record"}, Flags: map[string]permit.Kind{"run": permit.Name, "stdin": permit.Bare, "note": permit.Text}, Stdin: true, Class: permit.Record},
		{Words: []string{"goal", "record", "undo"}, Class: permit.Other},
		{Words: []string{"loop", "verify"}, Flags: run, Class: permit.Other},
		{Words: []string{"goal", "put"}, Flags: run, Operands: []permit.Kind{permit.Text}, Stdin: true, Class: permit.Change},
		{Words: []string{"goal", "verify"}, Flags: map[string]permit.Kind{"timeout": permit.Duration}, Class: permit.Run},
		{Words: nil, Class: permit.Read},
	}
}

func TestDecide(t *testing.T) {
	tests := []struct {
		name, command string
		subagent      bool
		want          permit.Action
	}{
		{"a verb that reads", "omc-hook status", false, permit.Allow},
		{"a verb that reads, of a subagent", "omc-hook status --json", true, permit.Allow},
		{"a flag with its value behind it", "omc-hook status --run r-1", false, permit.Allow},
		{"a flag with its value joined", "omc-hook status --run=r-1", false, permit.Allow},
		{"digits", "omc-hook why --last 12 --json", false, permit.Allow},
		{"an operand and a duration", "omc-hook wait b1 --for 30m", false, permit.Allow},
		{"a flag before the operand", "omc-hook wait --for=30m b1", false, permit.Allow},
		{"a record", "omc-hook goal record --stdin --run r1 <<'EOF'\n{}\nEOF", false, permit.Allow},
		{"a text", "omc-hook goal record --note 'it works; really'", false, permit.Allow},
		{"a record of a subagent", "omc-hook goal record --stdin <<'EOF'\n{}\nEOF", true, permit.Deny},
		{"a record of a subagent with a flag that is unknown", "omc-hook goal record --bogus", true, permit.Deny},
		{"a hook verb", "omc-hook stop", false, permit.Deny},
		{"a hook verb with an event", "omc-hook stop --x <<'EOF'\n{}\nEOF", false, permit.Deny},
		{"a hook verb of a subagent", "omc-hook stop", true, permit.Deny},
		{"a verb that runs commands", "omc-hook loop verify", false, permit.Silent},
		{"a verb that runs commands, of a subagent", "omc-hook loop verify", true, permit.Silent},
		{"a verb that changes a file", "omc-hook goal put a.go <<'EOF'\nx\nEOF", false, permit.Silent},
		{"a verb that changes a file, of a subagent", "omc-hook goal put a.go <<'EOF'\nx\nEOF", true, permit.Deny},
		{"a verb that runs approved commands", "omc-hook goal verify --timeout=5m", false, permit.IfApproved},
		{"a verb that runs approved commands, of a subagent", "omc-hook goal verify", true, permit.Deny},
		{"a verb that runs approved commands, with a flag that is unknown", "omc-hook goal verify --command=x", false, permit.Silent},
		{"a verb that runs approved commands, with input", "omc-hook goal verify <<'EOF'\nx\nEOF", false, permit.Silent},
		{"the longest verb counts", "omc-hook goal record undo", false, permit.Silent},
		{"the shorter verb of another class", "omc-hook goal", false, permit.Silent},
		{"no verb", "omc-hook", false, permit.Silent},
		{"an unknown verb", "omc-hook reset", false, permit.Silent},
		{"half a verb", "omc-hook loop", false, permit.Silent},
		{"a verb in another case", "omc-hook Status", false, permit.Silent},
		{"a flag before the verb", "omc-hook --json status", false, permit.Silent},
		{"an unknown flag", "omc-hook status --force", false, permit.Silent},
		{"a flag of another verb", "omc-hook status --last 3", false, permit.Silent},
		{"one dash", "omc-hook status -json", false, permit.Silent},
		{"three dashes", "omc-hook status ---json", false, permit.Silent},
		{"two dashes only", "omc-hook status --", false, permit.Silent},
		{"one dash only", "omc-hook status -", false, permit.Silent},
		{"a flag twice", "omc-hook status --run a --run b", false, permit.Silent},
		{"a bare flag with a value", "omc-hook status --json=false", false, permit.Silent},
		{"a flag without its value", "omc-hook status --run", false, permit.Silent},
		{"a flag with an empty value", "omc-hook status --run=", false, permit.Silent},
		{"a flag that takes the next flag for its value", "omc-hook status --run --json", false, permit.Silent},
		{"a run with a path in it", "omc-hook status --run ../x", false, permit.Silent},
		{"a run that is too long", "omc-hook status --run " + strings.Repeat("a", 65), false, permit.Silent},
		{"digits with a sign", "omc-hook why --last=-3", false, permit.Silent},
		{"too many digits", "omc-hook why --last 1234567890", false, permit.Silent},
		{"a duration without a unit", "omc-hook wait b1 --for 30", false, permit.Silent},
		{"a duration without a number", "omc-hook wait b1 --for m", false, permit.Silent},
		{"an operand too many", "omc-hook wait b1 b2", false, permit.Silent},
		{"an operand of another form", "omc-hook wait b/1", false, permit.Silent},
		{"an operand where there is none", "omc-hook status x", false, permit.Silent},
		{"an empty operand", "omc-hook wait ''", false, permit.Silent},
		{"a text that begins with a dash", "omc-hook goal record --note '-x'", false, permit.Silent},
		{"input for a verb that takes none", "omc-hook status <<'EOF'\nx\nEOF", false, permit.Silent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call, err := permit.Parse(tt.command)
			if err != nil {
				t.Fatalf("Parse: %v", err)
			}
			got := permit.Decide(call, table(), tt.subagent)
			if got.Action != tt.want {
				t.Errorf("Decide(%q) = %+v, want %v", tt.command, got, tt.want)
			}
			if (got.Reason == "") != (got.Action == permit.Silent) {
				t.Errorf("Decide(%q) gives the reason %q", tt.command, got.Reason)
			}
		})
	}
}

func TestDecideIsSilentOnACallThatWasNotParsed(t *testing.T) {
	if got := permit.Decide(permit.Call{Args: []string{"status"}}, table(), false); got != (permit.Decision{}) {
		t.Errorf("Decide = %+v, want none", got)
	}
}

func TestDecideNeverAllowsOutsideTheTable(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"status", "why", "wait", "goal", "record", "undo", "loop", "verify", "stop", "--run", "--json", "--last", "--for", "--stdin", "--note", "r1", "3", "30m"}),
		rapid.StringMatching(`-{0,3}[a-z0-9=./-]{0,6}`),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		call := permit.Call{Program: permit.Program, Args: rapid.SliceOfN(word, 0, 6).Draw(t, "args"), HasStdin: rapid.Bool().Draw(t, "stdin")}
		subagent := rapid.Bool().Draw(t, "subagent")
		got := permit.Decide(call, table(), subagent)
		line := strings.Join(call.Args, " ")
		switch {
		case line == "stop" || strings.HasPrefix(line, "stop "):
			if got.Action != permit.Deny {
				t.Fatalf("Decide(%q) = %+v, want Deny", line, got)
			}
		case got.Action != permit.Allow:
		case strings.HasPrefix(line, "status"), strings.HasPrefix(line, "why"):
		case !subagent && (strings.HasPrefix(line, "goal record") && !strings.HasPrefix(line, "goal record undo") || strings.HasPrefix(line, "wait")):
		default:
			t.Fatalf("Decide(%q) for subagent %v = %+v", line, subagent, got)
		}
	})
}

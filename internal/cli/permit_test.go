package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"omc-hook/internal/permit"
)

// goodCommands are commands of the model that are allowed as they stand: one of
// each permitted verb, with its flags.
func goodCommands() []string {
	return []string{
		"omc-hook status --json", "omc-hook why --last=3", "omc-hook show --run g1 --json", "omc-hook goal show --state-dir=.g --lint",
		"omc-hook history --session=" + s1, "omc-hook lint", "omc-hook version", "omc-hook wait b1 --for 30m",
		"omc-hook goal record --template", "omc-hook goal record --stdin --run=g1 <<'EOF'\n{\"planned\":\"$(x); `y`\"}\nEOF\n",
		"omc-hook goal finish SUCCESS --stdin <<\"END\"\n{}\nEND", "omc-hook help", "omc-hook status --help",
	}
}

// answerTo is what the hook answers to one command of the model.
func answerTo(command string, subagent bool) permit.Action {
	call, err := permit.Parse(command)
	if err != nil {
		return permit.Silent
	}
	return permit.Decide(call, permitTable(), subagent).Action
}

// everyHostileCommand makes each good command hostile in each way.
func everyHostileCommand() []string {
	var all []string
	for _, good := range goodCommands() {
		for _, before := range hostileBefore() {
			all = append(all, before+good)
		}
		line, body, heredoc := strings.Cut(good, "\n")
		for _, after := range hostileAfter() {
			if !heredoc {
				all = append(all, good+after)
				continue
			}
			// A line break after the delimiter's line begins the body, which is data.
			if !strings.HasPrefix(after, "\n") {
				all = append(all, line+after+"\n"+body)
			}
			if trimmed := strings.TrimSuffix(body, "\n"); strings.Trim(after, " \n") != "" {
				all = append(all, line+"\n"+trimmed+after, line+"\n"+trimmed+"\n"+after)
			}
		}
		for _, word := range hostileValues() {
			first, rest, _ := strings.Cut(line, " <<")
			command := first + " " + word
			if heredoc {
				command += " <<" + rest + "\n" + body
			}
			all = append(all, command)
		}
		for from, to := range map[string]string{
			" ": "\t", "omc-hook ": "omc-hook\u00a0", "-hook": "\u2010hook", "c-h": "c\u2013h", "omc": "оmc", "o": "\u200bo", "h": "һ",
			"omc-hook s": "omc-hook \\\ns", "omc-hook": "omc-\\\nhook", "--": "—", " --": " \u2212\u2212", "status": "ѕtatus", "goal": "gоal",
		} {
			if changed := strings.Replace(good, from, to, 1); changed != good {
				all = append(all, changed)
			}
		}
	}
	return all
}

// hostileBefore is what stands before our program.
func hostileBefore() []string {
	return []string{
		"A=1 ", "PATH=/tmp ", "OMC_STATE_DIR=/tmp/x ", "CLAUDE_CODE_SESSION_ID=" + s2 + " ", "HOME=/tmp ", "LD_PRELOAD=./x.so ", "GODEBUG=x ", "AI_AGENT=x_harness ",
		"A= ", "A+=1 ", "A[0]=1 ", "A=$(id) ", "\ufeff", "\u200b", "\u00a0", "\u2060", "\t", " ", "\n", "\r", "\\\n", "\\", "./", "/tmp/", "~/", "../", "$PWD/",
		"env ", "env -i ", "env A=1 ", "sudo ", "exec ", "exec -a x ", "command ", "builtin ", "nohup ", "nice ", "time ", "timeout 5 ", "xargs ", "watch ", "! ", "eval ", "bash -c ",
		"( ", "{ ", "if ", "while ", "for x in ", "case x in x) ", "function f { ", "x() { ", "coproc ", "trap x 0; ", "rm x; ", "rm x && ", "rm x || ", "rm x | ", "rm x & ", "cat x | ",
		"cd /tmp && ", "cd /tmp; ", ": ; ", "true && ", "> x ", "< x ", "2>x ", "<<'EOF' ", "`id` ", "$(id) ", "$x ", "'' ", "\"\" ", "# ", "-", "--",
	}
}

// hostileAfter is what follows a line of ours.
func hostileAfter() []string {
	return []string{
		"; id", ";id", ";", " && id", "&& id", " || id", " | id", "|id", " |& id", " & id", " &", "&", "\nid", "\n\nid", "\n id", "\r\nid", "\r", "\\\nid", "\n\\\nid", "\nomc-hook cancel --all",
		" > x", ">x", " >> x", " >| x", " >&2", " 2>&1", " 2>/dev/null", " &> x", " <> x", " < x", " <x", " <<< x", " <(id)", " >(id)", " {x}> y",
		" $(id)", " `id`", " $x", " ${x}", " $((1))", " $'x'", " $\"x\"", " *", " ?", " [a]", " ~", " {a,b}", " !!", " !$", " #", " # x", "#", " \\", "\\", " ;;", " )", " }", " (", " {",
		"\x00", "\x1b[2J", "\x7f", "\u0085", "\u2028id", "\u2028", "\u00a0id", " \u200b", "\ufeff", "\v", "\f", "'", "\"", " 'x", " \"x",
	}
}

// hostileValues are options and operands that smuggle something, or that mean
// more than a verb's row of the table says.
func hostileValues() []string {
	return []string{
		"--session=$(x)", "--session=`x`", "--session=$x", "--session=${x}", "--session=\"$(x)\"", "--session=\"`x`\"", "--session=\"$x\"", "--session=a;id", "--session=a&id", "--session=a|id",
		"--session=a>x", "--session=<(id)", "--session=~", "--session=*", "--session={a,b}", "--session=a\\ b", "--session=\\$x", "--session=$'x'", "--session=#", "--session='a'#b$",
		"--session", "--session=", "--session ''", "--session --json --json", "-session=x", "-s x", "-j", "---json", "--json=false", "--json=$(x)", "--json --json", "--", "-- x", "-- --all", "-", "--=x", "--=",
		"--run=../x", "--run='a b'", "--run='$(x)'", "--run=a/b", "--run=é", "--run", "--last=-1", "--last=1e3", "--last=99999999999", "--last='3;id'", "--for=1", "--for='1m;x'", "--for=-1m", "--for=1d",
		"--all", "--from=" + s2, "--to=" + s3, "--force", "--config=x", "--exec=id", "--verify=id", "--output=x", "-o x", "@x", "=id", "=omc-hook", "+x", "%self", "\u2013-json", "\u2014json", "‐‐json", "\"\"", "''", "' '",
		"--state-dir=-x --state-dir=-y", "--stdin --stdin", "--template=x", "--help=x", "cancel", "adopt", "goal start", "../../x", "--\u200bjson", "--jsоn", "--json\u00a0", "--json\\\n",
	}
}

// TestPermitAllowsNoHostileCommand puts more than 500 hostile command lines to the
// real command table: none of them runs without the person being asked, for the
// main agent and for a subagent.
func TestPermitAllowsNoHostileCommand(t *testing.T) {
	for _, good := range goodCommands() {
		if got := answerTo(good, false); got != permit.Allow {
			t.Errorf("%q is not allowed: the commands made from it would mean nothing", good)
		}
	}
	commands := everyHostileCommand()
	distinct := map[string]bool{}
	for _, command := range commands {
		distinct[command] = true
	}
	if len(distinct) < 500 {
		t.Errorf("%d hostile commands, want at least 500", len(distinct))
	}
	for command := range distinct {
		for _, subagent := range []bool{false, true} {
			if answerTo(command, subagent) == permit.Allow {
				t.Errorf("%q of a subagent %v is allowed", command, subagent)
			}
		}
	}
	t.Logf("%d hostile commands", len(distinct))
}

// TestPermitAsksForWhatIsNotBookkeeping holds the verbs that are the person's,
// and those that are the client's.
func TestPermitAsksForWhatIsNotBookkeeping(t *testing.T) {
	for _, command := range []string{"omc-hook cancel", "omc-hook cancel --all", "omc-hook adopt --from=" + s2, "omc-hook goal start --stdin <<'EOF'\nmake\nEOF", "omc-hook", "omc-hook goal"} {
		for _, subagent := range []bool{false, true} {
			if got := answerTo(command, subagent); got != permit.Silent {
				t.Errorf("%q: got %v, want silence", command, got)
			}
		}
	}
	for _, verb := range hookVerbNames {
		for _, command := range []string{"omc-hook " + verb, "omc-hook " + verb + " --json", "omc-hook " + verb + " <<'EOF'\n{}\nEOF"} {
			if got := answerTo(command, false); got != permit.Deny {
				t.Errorf("%q: got %v, want a refusal", command, got)
			}
		}
	}
	for _, command := range goodCommands() {
		record := strings.Contains(command, " wait ") || strings.Contains(command, " record ") || strings.Contains(command, " finish ")
		want := permit.Allow
		if record {
			want = permit.Deny
		}
		if got := answerTo(command, true); got != want {
			t.Errorf("%q of a subagent: got %v, want %v", command, got, want)
		}
	}
}

// TestWhatIsPermittedIsUnderstoodAlike holds for any words: whatever the hook
// allows, the program itself takes for the same verb with the same flags, and
// refuses nothing of its form.
func TestWhatIsPermittedIsUnderstoodAlike(t *testing.T) {
	var vocabulary []string
	for _, c := range commands() {
		vocabulary = append(vocabulary, strings.Fields(c.words)...)
		for name := range c.flags {
			vocabulary = append(vocabulary, "--"+name, "--"+name+"=x1", "--"+name+"=3", "--"+name+"=30m", "-"+name)
		}
	}
	slices.Sort(vocabulary)
	vocabulary = append(vocabulary, "--", "-", "x1", "3", "30m", "--help", "-h", "help", "'a b'", "''", "SUCCESS")
	allowed := 0
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(commands()).Draw(t, "command")
		words := append(strings.Fields(c.words), rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 4).Draw(t, "words")...)
		if answerTo(permit.Program+" "+strings.Join(words, " "), false) != permit.Allow {
			return
		}
		allowed++
		parsed, err := permit.Parse(permit.Program + " " + strings.Join(words, " "))
		if err != nil {
			t.Fatal(err)
		}
		understood(t, parsed.Args)
	})
	if allowed == 0 {
		t.Error("nothing was allowed")
	}
}

// understood runs the program's own parser over arguments that were permitted.
func understood(t *rapid.T, args []string) {
	cmd, rest, ok := find(args)
	if !ok && isHelp(args[0]) {
		return
	}
	if !ok || cmd.class != permit.Read && cmd.class != permit.Record {
		t.Fatalf("%q is allowed, and the program takes it for %q", args, cmd.words)
	}
	if slices.ContainsFunc(rest, isHelp) {
		return
	}
	c := &call{command: cmd}
	if err := c.parse(rest); err != nil {
		t.Fatalf("%q is allowed, and the program says %v", args, err)
	}
	for name, value := range c.flags {
		if kind := cmd.flags[name]; kind == permit.Bare && value != "true" {
			t.Fatalf("%q: --%s is %q", args, name, value)
		}
	}
	if got := len(c.args); got > len(cmd.operands) {
		t.Fatalf("%q: %d operands", args, got)
	}
}

// TestPermitThroughTheHook sends some of them as the client does.
func TestPermitThroughTheHook(t *testing.T) {
	withoutPrograms(t)
	f := insideOf(newField(t))
	ask := func(command, agent string) string {
		e := newEvent("permit", s1, f.root).with("tool_input", map[string]string{"command": command})
		if agent != "" {
			e = e.with("agent_id", agent)
		}
		a := f.hook("permit", e.bytes())
		switch {
		case a.stdout == "":
			return "silent"
		case strings.Contains(a.stdout, `"permissionDecision":"allow"`):
			return "allow"
		case strings.Contains(a.stdout, `"permissionDecision":"deny"`):
			return "deny"
		}
		return a.stdout
	}
	got := map[string]string{}
	want := map[string]string{}
	for _, command := range goodCommands() {
		got[command], want[command] = ask(command, ""), "allow"
	}
	for i, command := range everyHostileCommand() {
		if i%17 == 0 && answerTo(command, false) == permit.Silent {
			got[command], want[command] = ask(command, ""), "silent"
		}
	}
	got["subagent"], want["subagent"] = ask("omc-hook wait b1 --for 1m", "a1"), "deny"
	got["verb"], want["verb"] = ask("omc-hook stop", ""), "deny"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

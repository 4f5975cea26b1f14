package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"omc-hook/internal/loop/goal"
	"omc-hook/internal/modestate"
	"omc-hook/internal/permit"
)

// Flags that several commands share.
var (
	sessionFlags = map[string]permit.Kind{"session": permit.Text, "json": permit.Bare}
	runFlags     = map[string]permit.Kind{"session": permit.Text, "run": permit.Name, "json": permit.Bare}
)

// with is flags with more of them.
func with(flags map[string]permit.Kind, more map[string]permit.Kind) map[string]permit.Kind {
	all := map[string]permit.Kind{}
	for name, kind := range flags {
		all[name] = kind
	}
	for name, kind := range more {
		all[name] = kind
	}
	return all
}

// commands is the command table: what people and models may run. Help, flags,
// and what the hook permits a model are read from it.
func commands() []command {
	stdin := map[string]permit.Kind{"stdin": permit.Bare}
	return []command{
		{
			words: "status", flags: sessionFlags, class: permit.Read, run: statusCommand,
			usage: "[--session=ID] [--json]", short: "says whether the next stop is continued, and why; status 3 when it is not",
			example: "omc-hook status --json",
		},
		{
			words: "why", flags: with(sessionFlags, map[string]permit.Kind{"last": permit.Digits}), class: permit.Read, run: whyCommand,
			usage: "[--session=ID] [--last=N] [--json]", short: "prints the last decisions, newest first: rule, inputs, remedy",
			example: "omc-hook why --last=3",
		},
		{
			words: "show", flags: with(runFlags, map[string]permit.Kind{"state-dir": permit.Text, "lint": permit.Bare}), class: permit.Read, run: goalShow,
			usage: "[--session=ID] [--run=RUN] [--state-dir=PATH] [--lint] [--json]", short: "prints the session's run: goal, counters, last round, next action",
			example: "omc-hook show",
		},
		{
			words: "history", flags: sessionFlags, class: permit.Read, run: historyCommand,
			usage: "[--session=ID] [--json]", short: "lists the loops of this repository, ended ones too",
			example: "omc-hook history",
		},
		{
			words: "cancel", flags: with(sessionFlags, map[string]permit.Kind{"all": permit.Bare}), class: permit.Other, run: cancelCommand,
			usage: "[--session=ID] [--all] [--json]", short: "ends a loop at its next stop; its files are kept",
			example: "omc-hook cancel --all",
		},
		{
			words: "adopt", flags: with(sessionFlags, map[string]permit.Kind{"from": permit.Text, "to": permit.Text}), class: permit.Other, run: adoptCommand,
			usage: "--from=ID [--to=ID] [--session=ID] [--json]", short: "takes the loop of another session over; one of several wins",
			example: "omc-hook adopt --from=0f3a9c52-71be-4c0d-9a44-5d1e7b2c8f60 --to=11111111-2222-4333-8444-555555555555",
		},
		{
			words: "lint", flags: sessionFlags, class: permit.Read, run: lintCommand,
			usage: "[--session=ID] [--json]", short: "checks every file that omc-hook has written here: line, what, repair; status 1 on a fault",
			example: "omc-hook lint",
		},
		{
			words: "wait", flags: with(runFlags, map[string]permit.Kind{"for": permit.Duration}), operands: []permit.Kind{permit.Name},
			class: permit.Record, run: waitCommand,
			usage: "ID --for=TIME [--run=RUN] [--session=ID] [--json]", short: "declares that the loop waits for background task ID, which ends by itself",
			example: "omc-hook wait b1 --for 30m",
		},
		{
			words: "goal start", flags: with(sessionFlags, stdin), stdin: true, class: permit.Other, run: goalStart,
			usage: "--stdin [--session=ID] [--json]", short: "starts a goal-loop from options and goal on standard input",
			example: "omc-hook goal start --stdin <<'EOF'\n  --max-iterations=12 make the tests pass\n  EOF",
		},
		{
			words: "goal record", flags: with(runFlags, with(stdin, map[string]permit.Kind{"template": permit.Bare})), stdin: true,
			class: permit.Record, run: goalRecord,
			usage: "--stdin [--run=RUN] [--session=ID] [--json] | --template", short: "records one round as JSON; --template prints an empty one, explained",
			example: "omc-hook goal record --template",
		},
		{
			words: "goal finish", flags: with(runFlags, stdin), operands: []permit.Kind{permit.Name}, stdin: true,
			class: permit.Record, run: goalFinish,
			usage: "SUCCESS|BLOCKED|ERROR --stdin [--run=RUN] [--session=ID] [--json]", short: "ends the run on the evidence of its last round",
			example: "omc-hook goal finish BLOCKED --stdin <<'EOF'\n  {\"reason\": \"no access to the service\", \"kind\": \"external\", \"needs\": \"a token from its owner; with it the upload is tested\"}\n  EOF",
		},
		{
			words: "goal propose", flags: with(runFlags, stdin), stdin: true, class: permit.Record, run: goalPropose,
			usage: "--stdin [--run=RUN] [--session=ID] [--json]", short: "proposes the commands of goal verify, one a line; the person types /goal-loop approve",
			example: "omc-hook goal propose --stdin <<'EOF'\n  go test ./store\n  make lint test\n  EOF",
		},
		{
			words: "goal verify", flags: map[string]permit.Kind{"run": permit.Name, "timeout": permit.Duration, "json": permit.Bare},
			class: permit.Run, run: goalVerify,
			usage: "[--timeout=10m] [--run=RUN] [--json]", short: "runs the commands that the person approved and records how they ended; status 1 unless all passed",
			example: "omc-hook goal verify --timeout=20m",
		},
		{
			words: "goal own", flags: with(runFlags, stdin), operands: manyPaths(), stdin: true, class: permit.Record, run: goalOwn,
			usage: "PATH... [--stdin] [--run=RUN] [--session=ID] [--json]", short: "takes paths, as they are now, for the loop's own; --stdin reads one a line",
			example: "omc-hook goal own store/cache.go store/cache_test.go",
		},
		{
			words: "goal put", flags: with(runFlags, with(stdin, map[string]permit.Kind{"expect": permit.Text})), operands: []permit.Kind{permit.Text}, stdin: true,
			class: permit.Change, run: goalPut,
			usage: "PATH --expect=DIGEST|ABSENT --stdin [--run=RUN] [--session=ID] [--json]", short: "writes a file of the loop if it still holds what was seen, and owns it",
			example: "omc-hook goal put notes/plan.txt --expect=ABSENT --stdin <<'EOF'\n  first the cache\n  EOF",
		},
		{
			words: "goal check-owned", flags: with(runFlags, map[string]permit.Kind{"state-dir": permit.Text}), class: permit.Read, run: goalCheckOwned,
			usage: "[--session=ID] [--run=RUN] [--state-dir=PATH] [--json]", short: "compares the owned paths with their records; status 1 where one differs",
			example: "omc-hook goal check-owned",
		},
		{
			words: "goal check-staged", flags: with(runFlags, map[string]permit.Kind{"state-dir": permit.Text}), class: permit.Read, run: goalCheckStaged,
			usage: "[--session=ID] [--run=RUN] [--state-dir=PATH] [--json]", short: "lists what is staged and not the loop's to commit; status 1 where anything is",
			example: "omc-hook goal check-staged",
		},
		{
			words: "goal authorizations", flags: runFlags, class: permit.Read, run: goalAuthorizations,
			usage: "[--session=ID] [--run=RUN] [--json]", short: "lists what the person authorized for this run, and what needs such a word",
			example: "omc-hook goal authorizations",
		},
		{
			words: "goal show", flags: with(runFlags, map[string]permit.Kind{"state-dir": permit.Text, "lint": permit.Bare}), class: permit.Read, run: goalShow,
			usage: "[--session=ID] [--run=RUN] [--state-dir=PATH] [--lint] [--json]", short: "prints a goal's run; --lint lists what is wrong in its files, with status 1",
			example: "omc-hook goal show --lint",
		},
		formCommand("goal question add", questionAdd, "records a decision that only a person can make; --template explains it",
			`{"context": "…", "evidence": "…", "why": "…", "blocks_all": false, "answer": "…"}`),
		formCommand("goal question resolve", questionResolve, "records what became of one question, with its basis",
			`{"question": "Q1", "class": "stale", "premise": "…", "basis": "store/cache.go:12"}`),
		formCommand("goal question pass", questionPass, "records the segment's one resolution pass over every open question",
			`{"questions": [{"question": "Q1", "class": "human-only"}]}`),
		{
			words: "goal questions", flags: with(runFlags, map[string]permit.Kind{"state-dir": permit.Text}), class: permit.Read, run: goalQuestions,
			usage: "[--session=ID] [--run=RUN] [--state-dir=PATH] [--json]", short: "lists the questions, and says whether a resolution pass is due",
			example: "omc-hook goal questions",
		},
		formCommand("goal ask add", askAdd, "records a request from outside the loop",
			`{"asked": "…", "anchor": "owner/name#12", "work": "…"}`),
		formCommand("goal ask satisfy", askSatisfy, "records what satisfied an ask",
			`{"ask": "A1", "by": "…", "evidence": "…", "direction": "given"}`),
		formCommand("goal ask decline", askDecline, "records that an ask is not built, or what has taken its place",
			`{"ask": "A1", "why": "…"}`),
		formCommand("goal ask told", askTold, "records who was told what became of an ask, after it was sent",
			`{"ask": "A1", "to": "…", "channel": "issue comment", "link": "https://…", "observation": "comment 4711, 10:02"}`),
		{
			words: "goal asks", flags: with(runFlags, map[string]permit.Kind{"state-dir": permit.Text}), class: permit.Read, run: goalAsks,
			usage: "[--session=ID] [--run=RUN] [--state-dir=PATH] [--json]", short: "lists the asks, and those of which nobody was told what became of them",
			example: "omc-hook goal asks",
		},
		{
			words: "version", flags: map[string]permit.Kind{"json": permit.Bare}, class: permit.Read, run: versionCommand,
			usage: "[--json]", short: "prints the build and the schemas that it reads",
			example: "omc-hook version",
		},
	}
}

// formCommand is the row of a record of the model that is given as a JSON object.
func formCommand(words string, run func(c *call) error, short, object string) command {
	return command{
		words: words, flags: with(runFlags, map[string]permit.Kind{"stdin": permit.Bare, "template": permit.Bare}), stdin: true,
		class: permit.Record, run: run,
		usage: "--stdin [--run=RUN] [--session=ID] [--json] | --template", short: short,
		example: "omc-hook " + words + " --stdin <<'EOF'\n  " + object + "\n  EOF",
	}
}

// manyPaths are the operands of a command that takes paths. A longer list comes
// on standard input.
func manyPaths() []permit.Kind {
	const most = 64
	operands := make([]permit.Kind, most)
	for i := range operands {
		operands[i] = permit.Text
	}
	return operands
}

// permitTable is what the hook permits a model to run, read from the commands
// and the hook verbs.
func permitTable() []permit.Verb {
	var table []permit.Verb
	for _, c := range commands() {
		flags := map[string]permit.Kind{"help": permit.Bare}
		for name, kind := range c.flags {
			flags[name] = kind
		}
		table = append(table, permit.Verb{Words: strings.Fields(c.words), Flags: flags, Operands: c.operands, Stdin: c.stdin, Class: c.class})
	}
	for _, name := range hookVerbNames {
		table = append(table, permit.Verb{Words: []string{name}, Class: permit.Hook})
	}
	return append(table, permit.Verb{Words: []string{"help"}, Class: permit.Read})
}

// overview is `omc-hook help`.
func overview() string {
	var out strings.Builder
	out.WriteString("omc-hook keeps an agent's loop going while its goal is unmet and its bounds hold,\nand says why it did or did not.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&out, "  %-21s %s\n", c.words, c.short)
	}
	out.WriteString("\nHook verbs, called by the client alone: stop, expand, permit, session-start, user-prompt, stop-failure.\n")
	out.WriteString("Each command explains itself with --help. Status: 0 done, 1 refused or failed, 3 not continuing (status).\n")
	return out.String()
}

// help is `omc-hook COMMAND --help`.
func help(c command) string {
	return fmt.Sprintf("omc-hook %s %s\n\n%s.\n\nExample:\n  %s\n", c.words, c.usage, strings.ToUpper(c.short[:1])+c.short[1:], c.example)
}

// goalStart is the start for clients that do not send what the person typed.
func goalStart(c *call) error {
	const most = 1 << 20
	data, err := c.readStdin(most)
	if err != nil {
		return err
	}
	store, loc, err := c.locate()
	if err != nil {
		return err
	}
	if loc.Session == "" {
		return hinted{errors.New("no session id is known, and a loop without an owner is never started"), "give --session=ID"}
	}
	_, pointerErr := store.ReadPointer(loc.Session)
	s := starter{Env: c.Env, store: store, loc: loc, proven: pointerErr == nil}
	// A heredoc ends with a line break that the person did not type.
	run, warnings, err := s.start(strings.TrimSuffix(string(data), "\n"))
	if err != nil {
		return err
	}
	if c.json() {
		return c.writeJSON(struct {
			goal.Owner
			Segment  int64       `json:"segment"`
			Limits   goal.Limits `json:"limits"`
			Warnings []string    `json:"warnings"`
		}{run.Owner, run.Segment, run.Limits, append([]string{}, warnings...)})
	}
	for _, w := range warnings {
		fmt.Fprintf(c.Stderr, "warning: %s\n", oneLine(w))
	}
	if !s.proven {
		fmt.Fprintln(c.Stdout, "no hook was seen in this session, so nothing continues it: do one round, record it, and tell the person how to resume")
	}
	_, err = io.WriteString(c.Stdout, goal.Started(run))
	return err
}

func versionCommand(c *call) error {
	if c.json() {
		return c.writeJSON(struct {
			Version string `json:"version"`
			Go      string `json:"go"`
			OS      string `json:"os"`
			Arch    string `json:"arch"`
			Schema  int    `json:"mode_state_schema"`
			Format  int    `json:"goal_state_format"`
		}{c.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, modestate.Schema, goal.Format})
	}
	fmt.Fprintf(c.Stdout, "omc-hook %s (%s, %s/%s), mode state schema %d, goal state format %d\n",
		c.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, modestate.Schema, goal.Format)
	return nil
}

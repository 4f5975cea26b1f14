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
			example: "omc-hook adopt --from=0f3a9c52-71be-4c0d-9a44-5d1e7b2c8f60",
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
			example: "omc-hook goal finish BLOCKED --stdin <<'EOF'\n  {\"reason\": \"no access to the service\", \"needs\": \"a token from its owner; with it the upload is tested\"}\n  EOF",
		},
		{
			words: "goal show", flags: with(runFlags, map[string]permit.Kind{"state-dir": permit.Text, "lint": permit.Bare}), class: permit.Read, run: goalShow,
			usage: "[--session=ID] [--run=RUN] [--state-dir=PATH] [--lint] [--json]", short: "prints a goal's run; --lint lists what is wrong in its files, with status 1",
			example: "omc-hook goal show --lint",
		},
		{
			words: "version", flags: map[string]permit.Kind{"json": permit.Bare}, class: permit.Read, run: versionCommand,
			usage: "[--json]", short: "prints the build and the schemas that it reads",
			example: "omc-hook version",
		},
	}
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
		fmt.Fprintf(&out, "  %-12s %s\n", c.words, c.short)
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

// Package cli is the shell of omc-hook: it reads events and arguments, gathers
// facts, asks the pure packages, and writes answers. Streams, environment,
// clock and disk come in as one Env, so that every command runs in a test as it
// runs for a person.
//
// A hook verb ends with status 0 whatever happens, and prints one JSON document
// or nothing. A command ends with 0, with 1 and one line on standard error, or,
// for status alone, with 3.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"omc-hook/internal/disk"
	"omc-hook/internal/permit"
	"omc-hook/internal/state"
)

// Env is everything that a run takes from the world.
type Env struct {
	Version        string
	GOOS           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Getwd          func() (string, error)
	Now            func() time.Time
	// Started is when the process began, from which a hook's deadline counts.
	Started time.Time
	Disk    disk.Disk
	// Exit ends the process when a hook's deadline passes.
	Exit func(int)
}

// The statuses of a command. None of them is 2, which a client takes for a
// block.
const (
	statusOK            = 0
	statusFault         = 1
	statusNotContinuing = 3
)

// command is one row of the command table. Help, the flags and what the hook
// permits a model are all read from it.
type command struct {
	words    string
	flags    map[string]permit.Kind
	operands []permit.Kind
	stdin    bool
	class    permit.Class
	// usage, short and example are what help prints.
	usage, short, example string
	run                   func(c *call) error
}

// call is one run of a command.
type call struct {
	Env
	command command
	flags   map[string]string
	args    []string
}

// has reports whether a flag was given.
func (c *call) has(name string) bool { _, ok := c.flags[name]; return ok }

// json reports whether the output is to be JSON.
func (c *call) json() bool { return c.has("json") }

// hinted is an error with the next command to try.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// statusError ends a command with a status of its own and says nothing.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

// Main runs one hook verb or command and returns the status of the process.
func Main(args []string, env Env) int {
	if len(args) > 0 {
		if verb, ok := hookVerbFor(args[0]); ok {
			return runHook(env, args[0], verb)
		}
	}
	if len(args) == 0 || isHelp(args[0]) {
		fmt.Fprint(env.Stdout, overview())
		return statusOK
	}
	cmd, rest, ok := find(args)
	if !ok {
		return complain(env, args[0], hinted{errors.New("no such command"), "omc-hook help lists the commands"})
	}
	for _, a := range rest {
		if isHelp(a) {
			fmt.Fprint(env.Stdout, help(cmd))
			return statusOK
		}
	}
	c := &call{Env: env, command: cmd}
	if err := c.parse(rest); err != nil {
		return complain(env, cmd.words, hinted{err, "omc-hook " + cmd.words + " --help"})
	}
	if err := cmd.run(c); err != nil {
		return complain(env, cmd.words, err)
	}
	return statusOK
}

func isHelp(arg string) bool { return arg == "help" || arg == "--help" || arg == "-h" }

// complain prints one line, and a second one with the next command where there
// is one.
func complain(env Env, words string, err error) int {
	var status statusError
	if errors.As(err, &status) {
		return int(status)
	}
	fmt.Fprintf(env.Stderr, "omc-hook: %s: %s\n", oneLine(words), oneLine(err.Error()))
	var h hinted
	if errors.As(err, &h) && h.hint != "" {
		fmt.Fprintf(env.Stderr, "hint: %s\n", oneLine(h.hint))
	}
	return statusFault
}

// find takes the longest command that args begin with.
func find(args []string) (command, []string, bool) {
	best, words := command{}, 0
	for _, cmd := range commands() {
		want := strings.Fields(cmd.words)
		if len(want) > words && len(args) >= len(want) && strings.Join(args[:len(want)], " ") == cmd.words {
			best, words = cmd, len(want)
		}
	}
	return best, args[words:], words > 0
}

// parse reads flags and operands by the row of the table.
func (c *call) parse(args []string) error {
	set := flag.NewFlagSet(c.command.words, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for name, kind := range c.command.flags {
		if kind == permit.Bare {
			set.Bool(name, false, "")
		} else {
			set.String(name, "", "")
		}
	}
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return err
		}
		args = set.Args()
		if len(args) > 0 {
			c.args = append(c.args, args[0])
			args = args[1:]
		}
	}
	if len(c.args) > len(c.command.operands) {
		return fmt.Errorf("unexpected argument %q", c.args[len(c.command.operands)])
	}
	c.flags = map[string]string{}
	set.Visit(func(f *flag.Flag) { c.flags[f.Name] = f.Value.String() })
	return nil
}

// store is the state as seen from this process. cwd is the working directory of
// an event, "" for the process's own.
func (e Env) store(cwd string) state.Store {
	if cwd == "" || !filepath.IsAbs(cwd) {
		cwd, _ = e.Getwd()
	}
	home := e.Getenv("HOME")
	if e.GOOS == "windows" {
		home = e.Getenv("USERPROFILE")
	}
	return state.Store{
		Place: state.Place{
			ProjectDir: e.Getenv("CLAUDE_PROJECT_DIR"), Cwd: cwd, StateDir: e.Getenv("OMC_STATE_DIR"),
			Home: home, PersonDir: state.PersonDir(e.Getenv, e.GOOS),
		},
		Disk: e.Disk, Now: e.Now,
	}
}

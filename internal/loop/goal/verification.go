package goal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"omc-hook/internal/gitrepo"
	"omc-hook/internal/plain"
	"omc-hook/internal/testcount"
)

// Kinds of the records about verification by the binary, in the worklog.
const (
	kindCommands     = "commands"
	kindProposal     = "proposal"
	kindVerifying    = "verifying"
	kindVerification = "verification"
)

// Bounds of the commands of one run.
const (
	MaxCommands     = 20
	maxCommandBytes = 1_000
)

// How the commands of a run came to be approved.
const (
	HowTyped    = "typed in the invocation"
	HowAccepted = "accepted by /goal-loop approve"
)

// CommandList is the body of the records "commands", what the person approved
// word for word, and "proposal", what the model would have approved.
type CommandList struct {
	Segment  int64    `json:"segment"`
	How      string   `json:"how,omitempty"`
	Commands []string `json:"commands"`
	Digest   string   `json:"digest"`
}

// Verifying is the intent to run the approved commands. One without a
// verification after it was broken off.
type Verifying struct {
	Segment int64     `json:"segment"`
	Digest  string    `json:"digest"`
	At      time.Time `json:"at"`
}

// Verification is one run of the approved commands by the binary.
type Verification struct {
	Segment int64 `json:"segment"`
	// Digest is that of the commands that were to be run.
	Digest string   `json:"digest"`
	Ran    []Ran    `json:"ran"`
	NotRun []string `json:"not_run,omitempty"`
	// Tree is what the work tree held before the first command, Changed what
	// became another while they ran.
	Tree    gitrepo.Tree `json:"tree"`
	Changed []string     `json:"changed_meanwhile,omitempty"`
	At      time.Time    `json:"at"`
}

// Ran is one command and how it ended.
type Ran struct {
	Command string `json:"command"`
	// Ended is exit, signal, timeout, cancelled or not-started; Detail names the
	// signal, the time limit or the cause. Exit is -1 where there is no status.
	Ended  string            `json:"ended"`
	Detail string            `json:"detail,omitempty"`
	Exit   int               `json:"exit"`
	Millis int64             `json:"ms"`
	Counts *testcount.Counts `json:"counts,omitempty"`
	// Bytes and SHA256 are of the whole output, Log is the file that holds it, or
	// its beginning and end.
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Log    string `json:"log"`
}

// Verify is what the records tell of verification by the binary.
type Verify struct {
	// Found are the commands that the preflight suggests, Proposed those of the
	// model, Commands those that the person approved.
	Found, Proposed, Commands []string
	// Began is a verification that has not ended, Last the newest that has.
	Began *Verifying
	Last  *Verification
}

// CommandsDigest identifies a list of commands, word for word and in order.
func CommandsDigest(commands []string) string {
	h := sha256.New()
	for _, c := range commands {
		fmt.Fprintf(h, "%q\n", c)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// CheckCommand refuses a command that would not be shown as it is run: people
// approve what they see.
func CheckCommand(command string) error {
	switch {
	case command == "" || strings.TrimSpace(command) == "":
		return errors.New("the command is empty")
	case len(command) > maxCommandBytes:
		return fmt.Errorf("the command is longer than %d bytes: put it into a script", maxCommandBytes)
	case !utf8.ValidString(command):
		return errors.New("the command is not plain UTF-8 text")
	case strings.TrimSpace(command) != command:
		return fmt.Errorf("the command %q begins or ends with a space", plain.Line(command, 60))
	}
	for _, r := range command {
		if r != ' ' && unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return fmt.Errorf("the command %q holds %U, which is not shown", plain.Line(command, 60), r)
		}
	}
	return nil
}

// CheckCommands is CheckCommand for a list.
func CheckCommands(commands []string) error {
	if len(commands) == 0 || len(commands) > MaxCommands {
		return fmt.Errorf("1 to %d commands are wanted, not %d", MaxCommands, len(commands))
	}
	for i, c := range commands {
		if err := CheckCommand(c); err != nil {
			return err
		}
		if slices.Contains(commands[:i], c) {
			return fmt.Errorf("the command %q is given twice", plain.Line(c, 60))
		}
	}
	return nil
}

// Candidates is what the person would approve now: what was typed, then what the
// model proposed, or where it proposed nothing what the run was approved for, or
// what the preflight found.
func (run Run) Candidates(typed []string) []string {
	more := run.Verify.Found
	switch {
	case len(run.Verify.Proposed) > 0:
		more = run.Verify.Proposed
	case len(run.Verify.Commands) > 0:
		more = run.Verify.Commands
	}
	list := slices.Clone(typed)
	for _, c := range more {
		if !slices.Contains(list, c) && CheckCommand(c) == nil && len(list) < MaxCommands {
			list = append(list, c)
		}
	}
	return list
}

// Fault says in a phrase why the command did not pass, "" where it did. A runner
// that ran no test has shown nothing.
func (r Ran) Fault() string {
	switch r.Ended {
	case "exit":
	case "signal":
		return "it was killed by a signal (" + plain.Line(r.Detail, 40) + ")"
	case "timeout":
		return "its time was over " + plain.Line(r.Detail, 40)
	case "cancelled":
		return "it was cancelled"
	default:
		return "it could not be started (" + plain.Line(r.Detail, 200) + ")"
	}
	switch c := r.Counts; {
	case r.Exit != 0:
		return fmt.Sprintf("exit status %d", r.Exit)
	case c != nil && c.Failed > 0:
		return fmt.Sprintf("exit status 0, and %s reports %d failed", plain.Line(c.Runner, 20), c.Failed)
	case c != nil && c.Passed == 0:
		return fmt.Sprintf("exit status 0, and %s ran no test", plain.Line(c.Runner, 20))
	}
	return ""
}

// Fault is the fault of the first command that did not pass, with its command,
// "" where all of them ran and passed.
func (v Verification) Fault() string {
	for _, r := range v.Ran {
		if fault := r.Fault(); fault != "" {
			return fmt.Sprintf("%q: %s, see %s", plain.Line(r.Command, 120), fault, plain.Line(r.Log, 200))
		}
	}
	if len(v.NotRun) > 0 || len(v.Ran) == 0 {
		return "not every command was run"
	}
	return ""
}

// Evidence is what a claim of SUCCESS is held against: the commands that the
// person approved for this run, and the work tree as it is now.
type Evidence struct {
	Approved []string
	Tree     gitrepo.Tree
}

const verifyNow = "omc-hook goal verify"

// unverified lists what SUCCESS needs of a verification by the binary, nothing
// where the person approved no command.
func (run Run) unverified(e Evidence) []string {
	v := run.Verify
	if len(v.Commands) == 0 && len(e.Approved) == 0 {
		return nil
	}
	if missing := run.unapproved(e.Approved); missing != "" {
		return []string{missing}
	}
	const each = "a passing verification by omc-hook: "
	switch last := v.Last; {
	case v.Began != nil:
		return []string{fmt.Sprintf("%sthe one that began at %s has not ended; %s", each, stamp(v.Began.At), verifyNow)}
	case last == nil:
		return []string{fmt.Sprintf("%snone is on record for the %s; %s", each, plural(int64(len(v.Commands)), "approved command"), verifyNow)}
	case last.Digest != CommandsDigest(v.Commands):
		return []string{each + "the newest one is of other commands; " + verifyNow}
	case last.Fault() != "":
		return []string{fmt.Sprintf("%s%s; mend it, then %s", each, last.Fault(), verifyNow)}
	case len(last.Changed) > 0:
		return []string{fmt.Sprintf("fresh evidence: while the commands ran, the tree changed (%s); have git ignore what they write, then %s", firstOf(last.Changed), verifyNow)}
	case !e.Tree.Same(last.Tree):
		return []string{fmt.Sprintf("fresh evidence: the tree changed since the verification at %s (%s); %s", stamp(last.At), firstOf(e.Tree.Since(last.Tree)), verifyNow)}
	}
	return nil
}

// unapproved names what the records and the person's approval do not agree on,
// "" where they do.
func (run Run) unapproved(approved []string) string {
	if slices.Equal(run.Verify.Commands, approved) {
		return ""
	}
	var odd []string
	for _, c := range append(slices.Clone(run.Verify.Commands), approved...) {
		if slices.Contains(run.Verify.Commands, c) != slices.Contains(approved, c) {
			odd = append(odd, fmt.Sprintf("%q", plain.Line(c, 120)))
		}
	}
	what := "their order"
	if len(odd) > 0 {
		what = firstOf(odd)
	}
	if len(approved) == 0 {
		return "the person's approval in this session of " + what + ": /goal-loop approve"
	}
	return "commands as they were approved: the worklog and the person's approval differ in " + what + ": /goal-loop approve"
}

// firstOf names the first few of a list.
func firstOf(list []string) string {
	const most = 5
	text := strings.Join(list[:min(len(list), most)], ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// verifiedBy says on what the verification of a SUCCESS rests.
func (run Run) verifiedBy() string {
	last := run.Verify.Last
	if len(run.Verify.Commands) == 0 || last == nil {
		return "reported by the model, not run by omc-hook"
	}
	return fmt.Sprintf("omc-hook ran the %s at %s, and the tree has not changed since (%.12s)",
		plural(int64(len(run.Verify.Commands)), "approved command"), stamp(last.At), last.Tree.Digest)
}

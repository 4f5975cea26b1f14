package goal

import (
	"fmt"
	"strings"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/plain"
)

// quoted names commands in one line.
func quoted(commands []string) string {
	var list []string
	for _, c := range commands {
		list = append(list, fmt.Sprintf("%q", plain.Line(c, 200)))
	}
	return strings.Join(list, ", ")
}

func commandsDraft(segment int64, s Approve, now time.Time) Draft {
	list := CommandList{Segment: segment, How: s.How, Commands: s.Commands, Digest: CommandsDigest(s.Commands)}
	var p prose
	p.item("how", s.How)
	return Draft{
		File: WorklogFile, Kind: kindCommands, Body: list, Prose: p.String() + "\n" + ledger.Quote(strings.Join(s.Commands, "\n")),
		Heading: fmt.Sprintf("Segment %d, approved commands, %s", segment, stamp(now)),
	}
}

func proposalDraft(l CommandList, now time.Time) Draft {
	return Draft{
		File: WorklogFile, Kind: kindProposal, Body: l, Prose: "Not approved yet.\n\n" + ledger.Quote(strings.Join(l.Commands, "\n")),
		Heading: fmt.Sprintf("Segment %d, proposed commands, %s", l.Segment, stamp(now)),
	}
}

func verifyingDraft(v Verifying, now time.Time) Draft {
	var p prose
	p.item("commands", v.Digest)
	return Draft{File: WorklogFile, Kind: kindVerifying, Body: v, Prose: p.String(), Heading: fmt.Sprintf("Segment %d, verification begins, %s", v.Segment, stamp(now))}
}

func verificationDraft(v Verification, now time.Time) Draft {
	var p prose
	for _, r := range v.Ran {
		p.item("ran", r.String())
	}
	for _, c := range v.NotRun {
		p.item("not run", c)
	}
	result := "passed"
	if fault := v.Fault(); fault != "" {
		result = "failed: " + fault
	}
	p.item("result", result)
	p.item("tree", v.Tree.Digest)
	p.item("not comparable", v.Tree.NotComparable)
	if len(v.Changed) > 0 {
		p.list("changed while they ran", v.Changed)
	}
	return Draft{File: WorklogFile, Kind: kindVerification, Body: v, Prose: p.String(), Heading: fmt.Sprintf("Segment %d, verification, %s", v.Segment, stamp(now))}
}

// String is the command with its end in one line.
func (r Ran) String() string {
	text := fmt.Sprintf("%s: passed", plain.Line(r.Command, 200))
	if fault := r.Fault(); fault != "" {
		text = fmt.Sprintf("%s: %s", plain.Line(r.Command, 200), fault)
	}
	text += fmt.Sprintf(" in %s", (time.Duration(r.Millis) * time.Millisecond).String())
	if r.Counts != nil {
		text += ", " + r.Counts.String()
	}
	if r.Log != "" {
		text += ", output in " + plain.Line(r.Log, 200)
	}
	return text
}

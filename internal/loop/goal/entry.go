package goal

import (
	"fmt"
	"strings"

	"omc-hook/internal/loop"
	"omc-hook/internal/plain"
)

// MaxEntryBytes bounds what one record may hold.
const MaxEntryBytes = 256 << 10

const maxEntryDepth = 16

// Entry is what the model reports of one round. The binary adds numbers, times
// and counters.
type Entry struct {
	Planned      string      `json:"planned"`
	Changed      []string    `json:"changed"`
	Verification []Check     `json:"verification"`
	Review       []Review    `json:"review"`
	Progress     []Progress  `json:"progress"`
	Failure      string      `json:"failure"`
	Defaults     []Default   `json:"defaults"`
	Remaining    string      `json:"remaining"`
	Next         string      `json:"next"`
	Decision     string      `json:"decision"`
	Criteria     []Criterion `json:"criteria"`
	Reason       string      `json:"reason"`
	Needs        string      `json:"needs"`
	Kind         string      `json:"kind"`
}

// Check is one command that was run to verify the round.
type Check struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Result  string `json:"result"`
	// Run identifies the run of a CI, "" for none.
	Run string `json:"run,omitempty"`
}

// String is the check in one line.
func (c Check) String() string {
	text := fmt.Sprintf("%s: exit %d, %s", c.Command, c.Exit, c.Result)
	if c.Run != "" {
		text += ", run " + c.Run
	}
	return text
}

// Review is one look at the diff from a clean perspective.
type Review struct {
	Reviewer string `json:"reviewer"`
	Lens     string `json:"lens"`
	Findings string `json:"findings"`
	Action   string `json:"action"`
}

// Progress is evidence that something of the goal is now true.
type Progress struct {
	Kind     string `json:"kind"`
	What     string `json:"what"`
	Evidence string `json:"evidence"`
}

// Default is a reversible choice that was made instead of asking.
type Default struct {
	Decision string `json:"decision"`
	Default  string `json:"default"`
	Rollback string `json:"rollback"`
}

// Criterion is one acceptance criterion with what shows that it holds.
type Criterion struct {
	Criterion string `json:"criterion"`
	Evidence  string `json:"evidence"`
}

// Field explains one field of an entry, for the template and for errors.
type Field struct {
	Name, Meaning, Empty string
}

// Fields lists the fields of an entry in their order. Empty is the value of the
// template.
func Fields() []Field {
	return []Field{
		{"planned", "the slice that this round set out to do (needed)", `""`},
		{"changed", "paths that this round changed", `[]`},
		{"verification", `commands that were run now, each {"command","exit","result"}; result holds counts, and "run" the id of a CI run`, `[]`},
		{"review", `looks at the diff, each {"reviewer","lens","findings","action"}; findings "none" or what was found, action what was done with it`, `[]`},
		{"progress", `what is newly true, each {"kind","what","evidence"}; kind criterion, defect or blocker`, `[]`},
		{"failure", `a failure of tools or state that kept the round from being done or verified, else ""`, `""`},
		{"defaults", `reversible choices made instead of asking, each {"decision","default","rollback"}`, `[]`},
		{"remaining", `what is still to do, "none" when nothing is`, `""`},
		{"next", "the exact next action (needed unless the loop ends)", `""`},
		{"decision", "continue, SUCCESS, BLOCKED or ERROR", `"continue"`},
		{"criteria", `for SUCCESS: every acceptance criterion, each {"criterion","evidence"}`, `[]`},
		{"reason", "for BLOCKED and ERROR: why, in plain terms", `""`},
		{"needs", "for BLOCKED: what is needed from whom, and what each answer unblocks, open questions by their id", `""`},
		{"kind", "for BLOCKED: impossible, human-decision or external; what is merely hard is yours to solve", `""`},
	}
}

// Template is an empty entry with its fields explained: lines that begin with #,
// then the JSON object.
func Template() string {
	return form("One round as JSON.", Fields())
}

// ParseEntry reads what the model wrote: JSON, after lines that begin with #.
// Unknown fields are refused by name, so that nothing said is lost in silence.
func ParseEntry(data []byte) (Entry, error) {
	e, err := readForm[Entry](data)
	if err != nil {
		return Entry{}, err
	}
	if e.Decision == "" {
		e.Decision = decisionContinue
	}
	return e, nil
}

// decisionContinue is the stop decision of a round after which the loop goes on.
const decisionContinue = "continue"

// claim is the outcome that the entry asks for, "" to continue.
func (e Entry) claim() loop.Outcome {
	if e.Decision == decisionContinue {
		return ""
	}
	return loop.Outcome(e.Decision)
}

// lacks lists what a record of any decision must have and this one has not.
func (e Entry) lacks() []string {
	var missing []string
	need := func(ok bool, what string) {
		if !ok {
			missing = append(missing, what)
		}
	}
	need(filled(e.Planned), "planned: the slice that this round set out to do")
	switch e.claim() {
	case "":
		need(filled(e.Next), "next: the exact next action")
	case loop.Success, loop.Blocked, loop.Error:
	default:
		need(false, fmt.Sprintf("decision: continue, SUCCESS, BLOCKED or ERROR, not %q", plain.Line(e.Decision, 40)))
	}
	for i, c := range e.Verification {
		need(filled(c.Command), fmt.Sprintf("verification %d: the command", i+1))
	}
	for i, p := range e.Progress {
		known := p.Kind == "criterion" || p.Kind == "defect" || p.Kind == "blocker"
		need(known, fmt.Sprintf("progress %d: kind criterion, defect or blocker", i+1))
		need(filled(p.What) && filled(p.Evidence), fmt.Sprintf("progress %d: what and evidence", i+1))
	}
	for i, r := range e.Review {
		need(filled(r.Reviewer) && filled(r.Findings), fmt.Sprintf("review %d: reviewer and findings", i+1))
	}
	for i, d := range e.Defaults {
		need(filled(d.Decision) && filled(d.Default) && filled(d.Rollback), fmt.Sprintf("defaults %d: decision, default and rollback", i+1))
	}
	return missing
}

// lacksFor lists what the entry has not that outcome needs.
func (e Entry) lacksFor(outcome loop.Outcome) []string {
	var missing []string
	need := func(ok bool, what string) {
		if !ok {
			missing = append(missing, what)
		}
	}
	switch outcome {
	case loop.Success:
		need(len(e.Criteria) > 0, "criteria: every acceptance criterion with its evidence")
		for i, c := range e.Criteria {
			need(filled(c.Criterion) && filled(c.Evidence), fmt.Sprintf("criteria %d: criterion and evidence", i+1))
		}
		need(len(e.Verification) > 0, "verification: the commands that were run in this round")
		for _, c := range e.Verification {
			need(c.Exit == 0, fmt.Sprintf("a passing check: %q exited with %d", plain.Line(c.Command, 60), c.Exit))
		}
		need(len(e.Review) > 0, "review: a fresh look at the diff")
		for i, r := range e.Review {
			need(!open(r), fmt.Sprintf("review %d: action, what was done with its findings", i+1))
		}
		need(!e.failed(), "a round without a failure")
		need(!filled(e.Remaining) || none(e.Remaining), `remaining: "none", since SUCCESS leaves nothing to do`)
	case loop.Blocked:
		need(said(e.Reason), "reason: why nothing safe is left to do")
		need(said(e.Needs), "needs: what is needed from whom, and what each answer unblocks")
		need(blockedKind(e.Kind), kindNeeded(e.Kind))
	case loop.Error:
		need(filled(e.Reason), "reason: what cannot be recovered")
	}
	return missing
}

// The kinds of BLOCKED. What is merely hard is none.
const (
	kindImpossible    = "impossible"
	kindHumanDecision = "human-decision"
	kindExternal      = "external"
)

func blockedKind(kind string) bool {
	return kind == kindImpossible || kind == kindHumanDecision || kind == kindExternal
}

// kindNeeded says what a BLOCKED without a kind needs. Almost everything that is
// called blocked is hard, and that is the loop's own work.
func kindNeeded(kind string) string {
	if strings.EqualFold(strings.TrimSpace(kind), "hard") {
		return "kind: impossible, human-decision or external; what is hard (a missing login, environment or source) is yours to solve: go on with it"
	}
	return "kind: impossible, human-decision or external, whichever it is"
}

// open holds for a review whose findings nothing was done with.
func open(r Review) bool { return !none(r.Findings) && !filled(r.Action) }

// failed holds for a round whose failure is named; "none" names no failure.
func (e Entry) failed() bool { return filled(e.Failure) && !none(e.Failure) }

func filled(s string) bool { return strings.TrimSpace(s) != "" }

func none(s string) bool {
	s = strings.Trim(strings.ToLower(strings.TrimSpace(s)), ".")
	return s == "none" || s == "nothing" || s == "no findings"
}

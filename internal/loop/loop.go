// Package loop holds the words that the workflows share: outcomes, the lease,
// the causes of a pause, and what a continuation is told. It is pure and knows
// no workflow.
package loop

import "omc-hook/internal/modestate"

// Outcome is how a run ended. The zero value means that it has not.
type Outcome string

// The stop states of spec/goal-loop.txt, section 7, in the order in which they
// are evaluated.
const (
	Cancelled Outcome = "CANCELLED"
	Error     Outcome = "ERROR"
	Blocked   Outcome = "BLOCKED"
	Success   Outcome = "SUCCESS"
	Budget    Outcome = "BUDGET"
)

// Outcomes lists the stop states in the order in which they are evaluated.
func Outcomes() []Outcome { return []Outcome{Cancelled, Error, Blocked, Success, Budget} }

// Known reports whether o is one of the stop states.
func (o Outcome) Known() bool {
	for _, known := range Outcomes() {
		if o == known {
			return true
		}
	}
	return false
}

// The causes of a pause. A pause without a time ends when the person resumes
// the loop; those of EndsWithPrompt also when the person types a prompt.
const (
	PausedByPerson      = "person"
	PausedLease         = "lease"
	PausedContinuations = "continuations"
	PausedMinimal       = "minimal-answers"
	PausedPlanMode      = "plan-mode"
	PausedClock         = "wall-clock"
	PausedSwitch        = "kill-switch"
	PausedContext       = "context-limit"
	PausedAbort         = "abort"
	PausedAuth          = "authentication"
	PausedRate          = "rate-limit"
	PausedAPI           = "api-error"
	PausedPlan          = "plan-used"
)

// EndsWithPrompt reports whether a prompt of the person ends a pause of this
// cause. What only an explicit resume ends stays: the person's own pause, the
// bounds of the whole run, and a kill switch that still lies there.
func EndsWithPrompt(cause string) bool {
	switch cause {
	case PausedLease, PausedMinimal, PausedPlanMode, PausedContext, PausedAbort, PausedAuth, PausedRate, PausedAPI:
		return true
	}
	return false
}

// leaseSize is the largest number of stops that one lease holds: the client
// ends a turn after eight continuations without a tool call.
const leaseSize = 8

// maxOwnCap bounds max_iterations of a state that another program wrote.
const maxOwnCap = 200

// LeaseFor is the number of stops of one lease of a run of planned rounds.
func LeaseFor(planned int64) int64 { return min(max(planned, 1), leaseSize) }

// ContinuationCap is how many continuations a run of planned rounds may use in
// all, since the person's last start, resume or --continue.
func ContinuationCap(planned int64) int64 { return max(leaseSize, 2*planned) }

// View is one mode state with the numbers that follow from it.
type View struct {
	modestate.State
	// Used counts the stops used of the lease, Lease its size.
	Used, LeaseSize int64
	// ContinuationCap bounds Continuations.
	ContinuationCap int64
}

// NewView derives the bounds of s. clientCap is the client's own cap of
// continuations without a tool call (0: none); it bounds the lease of a loop
// that opens a new one with each record, not of a foreign state whose iteration
// never starts anew.
func NewView(s modestate.State, clientCap int64) View {
	v := View{State: s, Used: s.Iteration, LeaseSize: leaseSize}
	if s.HighWater.Lease == s.Lease {
		v.Used = max(v.Used, s.HighWater.Iteration)
	}
	if s.HasMax {
		v.LeaseSize = min(s.MaxIterations, maxOwnCap)
	}
	planned := v.LeaseSize
	if s.HasPlanned {
		planned = s.Planned
		v.LeaseSize = min(v.LeaseSize, leaseSize)
		if clientCap > 0 {
			v.LeaseSize = min(v.LeaseSize, clientCap)
		}
	}
	v.ContinuationCap = ContinuationCap(planned)
	return v
}

// Round is the number of the round that is being worked on, from 1.
func (v View) Round() int64 { return v.Rounds + 1 }

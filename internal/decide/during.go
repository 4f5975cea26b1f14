package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"omc-hook/internal/hook"
	"omc-hook/internal/loop"
	"omc-hook/internal/modestate"
	"omc-hook/internal/plain"
)

// Bounds of the rules below.
const (
	// freshFor is the age at which a state that nothing touched is not fresh.
	freshFor = 2 * time.Hour
	// maxSkew is how far in the future a time may lie and still count.
	maxSkew = 15 * time.Minute
	// waitBound ends every wait for background work and every API pause.
	waitBound = 24 * time.Hour
	// duplicateWithin is how soon an equal event is the same event, and
	// maxDuplicates how often one event is answered without a charge.
	duplicateWithin = 500 * time.Millisecond
	maxDuplicates   = 16
	// minimalRun is the number of minimal answers in a row that pause.
	minimalRun = 3
	// window and bigWindow are the sizes of context windows in tokens, and
	// fullPercent the fill at which no continuation is worth its text.
	window      = 200_000
	bigWindow   = 1_000_000
	fullPercent = 95
)

func notFresh(s *stop) (Verdict, bool) {
	if s.fresh() {
		return no()
	}
	remedy := s.mode.command + " resume"
	note := fmt.Sprintf("%s does not continue: its state was last touched %s. It is not finished; %s goes on.",
		s.mode.name, s.age(), remedy)
	return s.tell("not-fresh", note, "last touched "+s.age(), remedy)
}

// fresh holds while the newest time of the state is at most two hours old, or
// while the turn of the last continuation, a wait or a pause of the API lasts.
func (s *stop) fresh() bool {
	now := s.facts.Now
	if newest := Touched(*s.state, now); !newest.IsZero() && now.Sub(newest) <= freshFor {
		return true
	}
	if s.event.PromptID != "" && s.event.PromptID == s.state.PromptID {
		return true
	}
	if since := s.state.BackgroundSince; !since.IsZero() && !since.After(now) && now.Sub(since) <= waitBound {
		return true
	}
	if until := s.state.Paused.Until; !until.IsZero() && now.Sub(until) <= waitBound && until.Sub(now) <= waitBound {
		return true
	}
	for _, w := range s.state.Waits {
		if w.Until.After(now) && w.Until.Sub(now) <= waitBound {
			return true
		}
	}
	return false
}

// Fresh reports whether a state counts as alive for others: a loop that was
// touched within two hours, or that waits within its bound.
func Fresh(state modestate.State, now time.Time) bool {
	s := stop{event: &hook.Event{}, state: &state, facts: &Facts{Now: now}}
	return s.fresh()
}

// Touched is the newest of the state's times that is not in the far future.
func Touched(state modestate.State, now time.Time) time.Time {
	var newest time.Time
	for _, t := range []time.Time{state.StartedAt, state.UpdatedAt, state.LastCheckedAt} {
		if t.After(newest) && t.Sub(now) <= maxSkew {
			newest = t
		}
	}
	return newest
}

func (s *stop) age() string {
	t := Touched(*s.state, s.facts.Now)
	if t.IsZero() {
		return "at no known time"
	}
	return s.facts.Now.Sub(t).Round(time.Minute).String() + " ago"
}

func rival(s *stop) (Verdict, bool) {
	if len(s.facts.Rivals) == 0 {
		return no()
	}
	r := s.facts.Rivals[0]
	remedy := "end one of the two: " + s.mode.command + " stop, or the other one's own cancel"
	note := fmt.Sprintf("%s does not continue while %s is active in this session (%s); %s.",
		s.mode.name, plain.Line(r.Name, 60), plain.Line(r.Path, 200), remedy)
	return s.tell("rival", note, plain.Line(r.Name, 60)+" is active", remedy)
}

func contextFull(s *stop) (Verdict, bool) {
	tokens, size := s.facts.ContextTokens, windowOf(s.facts.Model)
	if tokens > size {
		size = bigWindow
	}
	if tokens*100 < size*fullPercent {
		return no()
	}
	return s.pause(loop.PausedContext, time.Time{}, fmt.Sprintf("the context window is full (%d tokens)", tokens))
}

// windowOf is the size of a model's context window. The transcript does not say
// it; models from the fifth generation on have the big one, as has any whose
// name says so. A name that tells nothing gets the small window: a pause that
// the person ends is better than a turn that cannot be compacted.
func windowOf(model string) int64 {
	if strings.Contains(model, "[1m]") {
		return bigWindow
	}
	for _, part := range strings.Split(model, "-") {
		if n, err := strconv.Atoi(part); err == nil {
			if n >= 5 && n < 100 {
				return bigWindow
			}
			return window
		}
	}
	return window
}

// commandWaits lets in the oldest command that no Stop was let go for. One that
// stays in the queue after that is stale, and a Stop is let go for it once only.
func commandWaits(s *stop) (Verdict, bool) {
	for _, w := range s.facts.Waiting {
		if y := s.state.Yielded; !y.At.IsZero() && !w.At.After(y.CommandAt) {
			continue
		}
		command := plain.Line(w.Text, 60)
		return Verdict{
			Note:   fmt.Sprintf("%s lets %s in and goes on after it.", s.mode.name, command),
			Detail: "waiting: " + command,
			Edits:  []modestate.Change{modestate.SetYield(modestate.Yield{CommandAt: w.At, At: s.facts.Now})},
		}, true
	}
	return no()
}

// YieldedSince reports whether the last Stop was let go for a command of the
// person, so that the turn goes on when the command has been answered.
func YieldedSince(state modestate.State) bool {
	return !state.Yielded.At.IsZero() && state.Yielded.At.After(state.LastCheckedAt)
}

func background(s *stop) (Verdict, bool) {
	since := s.state.BackgroundSince
	if !since.IsZero() && s.facts.Now.Sub(since) > waitBound {
		return no()
	}
	for _, t := range s.event.Tasks {
		if !s.waitsFor(t) {
			continue
		}
		v := Verdict{Detail: "waits for " + plain.Line(t.Type+" "+t.ID, 80)}
		if since.IsZero() {
			v.Edits = []modestate.Change{modestate.SetTime("background_since", s.facts.Now)}
		}
		return v, true
	}
	return no()
}

// waitsFor holds for work that ends by itself: a subagent, a workflow, and a
// shell only where the model declared that it waits for it.
func (s *stop) waitsFor(t hook.Task) bool {
	if t.Status != "running" && t.Status != "pending" {
		return false
	}
	switch t.Type {
	case "subagent", "workflow":
		return true
	case "shell":
		for _, w := range s.state.Waits {
			if w.ID == t.ID && w.Until.After(s.facts.Now) {
				return true
			}
		}
	}
	return false
}

// eventKey identifies an event: its session is that of the state.
func (s *stop) eventKey() string {
	return digest(s.event.PromptID, s.event.Message, strconv.FormatInt(s.facts.TranscriptSize, 10))
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func duplicate(s *stop) (Verdict, bool) {
	seen := s.state.Seen
	if seen.Key == "" || seen.Times >= maxDuplicates || seen.Key != s.eventKey() ||
		s.facts.Received.Sub(seen.At) > duplicateWithin || seen.At.Sub(s.facts.Now) > maxSkew {
		return no()
	}
	seen.Times++
	return Verdict{
		Action: Continue,
		Text:   s.text(max(s.view.Used, 1)),
		Detail: "counted once already",
		Edits:  []modestate.Change{modestate.SetSeen(seen)},
	}, true
}

func workflowBound(s *stop) (Verdict, bool) {
	cause, detail := s.mode.bound(s.view)
	if cause == "" {
		return no()
	}
	return s.pause(cause, time.Time{}, detail)
}

func wallClock(s *stop) (Verdict, bool) {
	d := s.state.Deadline
	if d.IsZero() && s.state.MaxMinutes == 0 || !s.facts.Now.After(d) {
		return no()
	}
	return s.pause(loop.PausedClock, time.Time{}, fmt.Sprintf("its %d minutes are used up", s.state.MaxMinutes))
}

// same counts this answer into the run of empty or identical ones. An answer
// that the client does not report counts as empty.
func (s *stop) same() modestate.Same {
	d := digest(strings.TrimSpace(s.event.Message))
	if d == s.state.Same.Digest {
		return modestate.Same{Digest: d, Count: s.state.Same.Count + 1}
	}
	return modestate.Same{Digest: d, Count: 1}
}

func minimalAnswers(s *stop) (Verdict, bool) {
	if s.same().Count < minimalRun {
		return no()
	}
	return s.pause(loop.PausedMinimal, time.Time{},
		fmt.Sprintf("%d answers in a row were empty or identical, and nothing was recorded", minimalRun))
}

func continuationsUsed(s *stop) (Verdict, bool) {
	if s.state.Continuations < s.view.ContinuationCap {
		return no()
	}
	return s.pause(loop.PausedContinuations, time.Time{},
		fmt.Sprintf("all %d continuations of the run are used", s.view.ContinuationCap))
}

func leaseUsed(s *stop) (Verdict, bool) {
	if s.view.Used < s.view.LeaseSize {
		return no()
	}
	return s.pause(loop.PausedLease, time.Time{},
		fmt.Sprintf("%d stops without a recorded round", s.view.Used))
}

func goOn(s *stop) (Verdict, bool) {
	now, nudge := s.facts.Now, s.view.Used+1
	v := Verdict{
		Action: Continue,
		Text:   s.text(nudge),
		Detail: fmt.Sprintf("round %s, nudge %d of %d", s.progress(), nudge, s.view.LeaseSize),
		Edits: []modestate.Change{
			modestate.SetCount("iteration", nudge),
			modestate.SetCount("continuations", s.state.Continuations+1),
			modestate.SetHighWater(modestate.HighWater{Lease: s.state.Lease, Iteration: nudge}),
			modestate.SetTime("last_checked_at", now),
			modestate.SetText("prompt_id", s.event.PromptID),
			modestate.SetText("told", ""),
			modestate.SetPause(modestate.Pause{}),
			modestate.SetTime("background_since", time.Time{}),
			modestate.SetSeen(modestate.Seen{Key: s.eventKey(), At: now, Times: 1}),
			modestate.SetSame(s.same()),
		},
	}
	if s.interrupted() {
		v.Note = fmt.Sprintf("%s goes on in round %s; %s pause pauses it.", s.mode.name, s.progress(), s.mode.command)
	}
	return v, true
}

// interrupted holds when the person broke off the turn of the last continuation
// and typed something else: neither a task's end nor a command that was let in.
func (s *stop) interrupted() bool {
	return s.facts.Attended && s.state.PromptID != "" && s.event.PromptID != s.state.PromptID &&
		s.state.BackgroundSince.IsZero() && !YieldedSince(*s.state)
}

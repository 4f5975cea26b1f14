package cli

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"omc-hook/internal/hook"
	"omc-hook/internal/state"
)

// A hook answers within two seconds or not at all (DESIGN, Answers). What is
// not on its way to the disk by softDeadline is given up; what is has until
// hardDeadline.
const (
	softDeadline = 1500 * time.Millisecond
	hardDeadline = 1900 * time.Millisecond
	// slowDeadline is for verbs on which no turn waits: a start asks git, and a
	// sweep lists directories. Their event too has to be there by softDeadline.
	slowDeadline     = 8 * time.Second
	slowHardDeadline = slowDeadline + hardDeadline - softDeadline
	// logWait is what the last line of the log may take, once the time is over.
	logWait = 50 * time.Millisecond
)

// hookVerb is one event that the client sends.
type hookVerb struct {
	soft, hard time.Duration
	run        func(h *hookRun) []byte
}

// hookVerbNames are the events of hooks/hooks.json. The model never calls them.
var hookVerbNames = [...]string{"stop", "expand", "permit", "session-start", "user-prompt", "stop-failure"}

// hookVerbFor is the verb called name.
func hookVerbFor(name string) (hookVerb, bool) {
	switch name {
	case "stop":
		return hookVerb{softDeadline, hardDeadline, (*hookRun).stop}, true
	case "expand":
		return hookVerb{slowDeadline, slowHardDeadline, (*hookRun).expand}, true
	case "permit":
		return hookVerb{softDeadline, hardDeadline, (*hookRun).permit}, true
	case "session-start":
		return hookVerb{slowDeadline, slowHardDeadline, (*hookRun).sessionStart}, true
	case "user-prompt":
		return hookVerb{softDeadline, hardDeadline, (*hookRun).userPrompt}, true
	case "stop-failure":
		return hookVerb{softDeadline, hardDeadline, (*hookRun).stopFailure}, true
	}
	return hookVerb{}, false
}

// hookRun is one event on its way to an answer.
type hookRun struct {
	Env
	name     string
	verb     hookVerb
	event    hook.Event
	eventErr error
	received time.Time
	phase    atomic.Int32
	// known is the event's session once the event was read. The deadline logs it
	// from a goroutine of its own, which must not touch event.
	known atomic.Pointer[string]
	soft  *time.Timer
}

// The phases of a hook. The soft deadline ends it only while it is deciding, the
// hard one whatever it does.
const (
	deciding int32 = iota
	writing
	answered
	expired
)

// runHook reads the event, runs the verb under its deadline, and prints the
// answer. Whatever goes wrong, the turn ends in silence and the log says why.
func runHook(env Env, name string, verb hookVerb) int {
	h := &hookRun{Env: env, name: name, verb: verb, received: env.Started}
	// Before anything that could panic: the status is then that of a quiet end.
	defer h.caught()
	if off := env.switchedOff(); off != "" {
		if name == "expand" {
			h.answer(hook.BlockExpansion("omc-hook: switched off by " + off + ", so nothing would continue. Next: unset it and start the session again"))
		}
		return statusOK
	}
	if hook.FromModelShell(env.Getenv("AI_AGENT")) {
		fmt.Fprintf(env.Stderr, "omc-hook: %s: only the client sends this event\n", name)
		return statusFault
	}
	stop := h.watch()
	defer stop()
	h.read()
	h.soft.Reset(time.Until(h.received.Add(h.verb.soft)))
	h.answer(verb.run(h))
	return statusOK
}

// caught keeps a panic from ending the process with the status that blocks.
func (h *hookRun) caught() {
	if r := recover(); r != nil {
		h.log(fmt.Sprintf("panic: %v", r))
	}
}

// watch starts the two deadlines; the function it returns ends them.
func (h *hookRun) watch() func() {
	h.soft = time.AfterFunc(time.Until(h.received.Add(softDeadline)), func() {
		if h.phase.CompareAndSwap(deciding, expired) {
			h.log("deadline passed")
			h.Exit(statusOK)
		}
	})
	hard := time.AfterFunc(time.Until(h.received.Add(h.verb.hard)), h.expire)
	return func() { h.soft.Stop(); hard.Stop() }
}

// expire ends the hook at its hard deadline, also where the soft one hangs in
// its log or nobody reads the answer.
func (h *hookRun) expire() {
	if h.phase.CompareAndSwap(deciding, expired) || h.phase.CompareAndSwap(writing, expired) {
		logged := make(chan struct{})
		go func() {
			defer close(logged)
			h.log("deadline passed")
		}()
		select {
		case <-logged:
		case <-time.After(logWait):
		}
	}
	h.Exit(statusOK)
}

// until is the time by which a lock must be had.
func (h *hookRun) until() time.Time { return h.received.Add(h.verb.soft - 300*time.Millisecond) }

func (h *hookRun) read() {
	data, err := hook.Read(h.Stdin)
	if err == nil {
		h.event, err = hook.Parse(data)
		h.known.Store(&h.event.SessionID)
	}
	h.eventErr = err
	if err != nil && !errors.Is(err, io.EOF) {
		h.log("unreadable event: " + err.Error())
	}
}

// commit marks the point after which the soft deadline no longer ends the hook.
// It is false when the deadline has passed already.
func (h *hookRun) commit() bool { return h.phase.CompareAndSwap(deciding, writing) }

// answer prints the one document of the hook, unless the deadline has passed.
func (h *hookRun) answer(out []byte) {
	if !h.phase.CompareAndSwap(deciding, answered) && !h.phase.CompareAndSwap(writing, answered) {
		return
	}
	if len(out) == 0 {
		return
	}
	if _, err := h.Stdout.Write(out); err != nil {
		h.log("write the answer: " + err.Error())
	}
}

// log writes to the person's log. Nothing can be done about a failure there, be
// it a panic: this is the last thing that a hook in trouble does.
func (h *hookRun) log(what string) {
	defer func() { _ = recover() }()
	session := ""
	if known := h.known.Load(); known != nil {
		session = *known
	}
	line := fmt.Sprintf("%s %s session=%s %s", h.Now().UTC().Format(time.RFC3339), h.name, session, what)
	_ = h.store("").AppendLog(line)
}

// beat leaves the heartbeat of this session: a hook of this build was seen, and
// this is the session's root. A recent one is not written again.
func (h *hookRun) beat(store state.Store, loc state.Location) {
	const recent = time.Minute
	old, err := store.ReadPointer(loc.Session)
	if err == nil && old.Root == loc.Root && old.Build == h.Version && h.Now().Sub(old.Seen) < recent {
		return
	}
	p := state.Pointer{
		Session: loc.Session, Root: loc.Root, Launcher: h.Getenv("OMC_HOOK_LAUNCHER"),
		Build: h.Version, Event: h.event.Name, Seen: h.Now().UTC(),
	}
	if err := store.WritePointer(p); err != nil && !errors.Is(err, state.ErrNoPersonal) {
		h.log("write the heartbeat: " + err.Error())
	}
}

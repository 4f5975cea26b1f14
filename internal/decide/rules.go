package decide

// Rule is one line of the decision: the first rule that matches answers.
type Rule struct {
	// ID names the rule in the trace, in `why` and in tests.
	ID string
	// When and Then say in a phrase when it matches and what happens.
	When, Then string

	needs Need
	match func(s *stop) (Verdict, bool)
}

// Rules lists the rules in the order in which they are asked.
func Rules() []Rule { return rules[:] }

// rules is the decision. docs/RULES.md is generated from it.
var rules = [...]Rule{
	{ID: "switched-off", When: "an environment variable switches the hook off", Then: "let go", match: switchedOff},
	{ID: "unreadable-event", When: "the event is not one whole, valid JSON object", Then: "let go", match: unreadableEvent},
	{ID: "subagent", When: "the event is a subagent's, or not a Stop", Then: "let go", match: subagent},
	{ID: "no-session", When: "the session id is missing or not of the allowed form", Then: "let go", match: noSession},
	{ID: "no-mode-state", When: "this session has no loop", Then: "let go", match: noModeState},
	{ID: "unreadable-state", When: "the state cannot be read, is ambiguous or of a newer build", Then: "let go, with a note; the file is kept", match: unreadableState},
	{ID: "outcome", When: "the loop has ended and the person was not told", Then: "let go, with a note once; the state is archived", match: outcomeUntold},
	{ID: "not-active", When: "the state is not active", Then: "let go", match: notActive},
	{ID: "other-session", When: "the state belongs to another session", Then: "let go", match: otherSession},
	{ID: "other-repository", When: "the state belongs to another repository", Then: "let go", match: otherRepository},
	{ID: "other-authority", When: "somebody else is the recorded authority of this loop", Then: "let go", match: otherAuthority},
	{ID: "stop-reason", When: "the client stops for a full context, an abort, a login or a rate limit", Then: "pause, with a note; nothing is counted", match: stopReason},
	{ID: "kill-switch", When: "a file named STOP lies in the loop's state directory", Then: "pause, with a note", needs: NeedStopFile, match: killSwitch},
	{ID: "paused", When: "the loop is paused", Then: "let go", match: paused},
	{ID: "plan-mode", When: "the session is in plan mode, where nothing can be written", Then: "pause, with a note", match: planMode},
	{ID: "not-fresh", When: "nothing has touched the state for two hours, and no turn or wait of it lasts", Then: "let go, with a note; the file is kept", match: notFresh},
	{ID: "rival", When: "another loop is active in this session", Then: "let go, with a note", needs: NeedRivals, match: rival},
	{ID: "context-full", When: "the context window is at least 95 % full", Then: "pause, with a note; nothing is counted", needs: NeedTranscript, match: contextFull},
	{ID: "command-waits", When: "a command or a message that the person typed waits for the end of the turn", Then: "let it in; nothing is counted", needs: NeedTranscript, match: commandWaits},
	{ID: "background", When: "work that ends by itself runs in the background", Then: "let go and wait for it; nothing is counted", match: background},
	{ID: "duplicate", When: "the same event arrives again within 500 ms", Then: "answer the same; nothing is counted", needs: NeedTranscript, match: duplicate},
	{ID: "workflow-bound", When: "the workflow's own bound is reached", Then: "pause, with a note", match: workflowBound},
	{ID: "wall-clock", When: "the loop's minutes are used up", Then: "pause, with a note", match: wallClock},
	{ID: "minimal-answers", When: "three answers in a row are empty or identical, without a record between", Then: "pause, with a note", match: minimalAnswers},
	{ID: "continuations-used", When: "the continuations of the run are used up", Then: "pause, with a note", match: continuationsUsed},
	{ID: "lease-used", When: "the lease is used up: too many stops since the last record", Then: "pause, with a note", match: leaseUsed},
	{ID: "continue", When: "nothing above holds", Then: "go on; the charge is on disk before the answer", match: goOn},
}

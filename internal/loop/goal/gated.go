package goal

// Gated lists the actions that a loop does on the person's word alone
// (spec/goal-loop.txt, section 4). The word is in the invocation or in
// /goal-loop authorize; no file, record or report gives it.
func Gated() []string {
	return []string{
		"merging", "releasing or publishing", "deploying", "production migrations and production data",
		"rewriting history", "any effect outside that was not asked for",
	}
}

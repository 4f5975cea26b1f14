package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// planted is one corruption: what is done, and in which file lint finds what.
type planted struct {
	name  string
	plant func(f *inside)
	file  string
	what  string
}

// byEdit is a corruption by an edit of the file in which it is found.
func byEdit(name, file string, change func(string) string, what string) planted {
	return planted{name, func(f *inside) { f.edit(file, change) }, file, what}
}

// byForgery is a corruption that keeps the chain.
func byForgery(name, file string, at int, change func(string) string, what string) planted {
	return planted{name, func(f *inside) { f.forge(file, at, change) }, file, what}
}

func plantedStates() []planted {
	return []planted{
		byEdit("a state that is cut off", ownState, func(d string) string { return d[:len(d)/2] }, ""),
		byEdit("a state with a tail of an older one", ownState, func(d string) string { return d + `"x":1}` }, ""),
		byEdit("two states in one", ownState, func(d string) string { return d + d }, ""),
		byEdit("a state of zeros", ownState, func(d string) string { return strings.Repeat("\x00", len(d)) }, ""),
		byEdit("an empty state", ownState, func(string) string { return "" }, ""),
		byEdit("a list for a state", ownState, func(d string) string { return "[" + d + "]" }, ""),
		byEdit("a comment in a state", ownState, once("{", "{ // mine\n"), ""),
		byEdit("a key twice", ownState, once("{", `{"active": true,`), "occurs twice"),
		byEdit("a key in another case", ownState, once(`"iteration"`, `"Iteration"`), "ambiguous"),
		byEdit("a key with an escape", ownState, once(`"active"`, `"\u0061ctive"`), "escape"),
		byEdit("a counter below zero", ownState, once(`"iteration": 1`, `"iteration": -1`), `"iteration"`),
		byEdit("a counter that is text", ownState, once(`"rounds": 2`, `"rounds": "2"`), `"rounds"`),
		byEdit("a counter that is no whole number", ownState, once(`"continuations": 1`, `"continuations": 1.5`), `"continuations"`),
		byEdit("active that is no truth", ownState, once(`"active": true`, `"active": "true"`), `"active"`),
		byEdit("a field that is missing", ownState, once(`"rounds"`, `"sounds"`), `"rounds" is missing`),
		byEdit("a deadline that is no time", ownState, once(`"deadline": null`, `"deadline": "soon"`), `"deadline"`),
		byEdit("a schema of a newer build", ownState, once(`"schema": 1`, `"schema": 7`), "newer omc-hook"),
		byEdit("another session in it", ownState, once(`"session_id": "`+s1, `"session_id": "`+s3), "another session"),
		byEdit("another mode in it", ownState, once(`"mode": "goal-loop"`, `"mode": "refine"`), `mode "refine"`),
		byEdit("a counter that went back", ownState, once(`"iteration": 1`, `"iteration": 0`), "went back"),
		byEdit("more rounds than are recorded", ownState, once(`"rounds": 2`, `"rounds": 5`), "5 rounds where the worklog holds 2"),
		byEdit("fewer rounds than are recorded", ownState, once(`"rounds": 2`, `"rounds": 0`), "0 rounds where the worklog holds 2"),
		byEdit("another plan than is recorded", ownState, once(`"planned_iterations": 9`, `"planned_iterations": 90`), "plans 90 rounds"),
		byEdit("another run", ownState, once(`"run_id": "g`, `"run_id": "h`), "records are of run g"),
		byEdit("another goal", ownState, once("also make the docs right", "also make coffee"), "another goal"),
		byEdit("another state directory", ownState, once(`".goal-loop"`, `".nowhere"`), "are gone"),
		{"a directory in the place of a state", func(f *inside) {
			_ = os.Remove(filepath.Join(f.root, ownState))
			f.mkdir(filepath.Join(f.root, ownState))
		}, ownState, "not a regular file"},
		{"a state beyond every bound", func(f *inside) { f.write(filepath.Join(f.root, ownState), strings.Repeat(" ", 2<<20)) }, ownState, "too large"},
		{"a state directory that leaves the repository", func(f *inside) { f.set(s1, "state_dir", "../outside") }, "../outside", "lies outside"},
	}
}

func plantedRecords() []planted {
	counters := `"counters":{"iteration":2,`
	return []planted{
		byEdit("a worklog with a torn tail", worklogMD, func(d string) string { return d[:len(d)-40] }, ""),
		byEdit("a worklog torn in its heading", worklogMD, func(d string) string { return d + "\n## Seg" }, "cut off"),
		byEdit("a worklog without its last record", worklogMD, reblock(func(l []string) []string { return l[:len(l)-2] }), "were written"),
		byEdit("a worklog without a record in the middle", worklogMD, reblock(func(l []string) []string { return append(l[:3:3], l[4:]...) }), "follows record"),
		byEdit("a record twice", worklogMD, reblock(func(l []string) []string { return append(l[:4:4], l[3:]...) }), "follows record"),
		byEdit("two records in another order", worklogMD, reblock(func(l []string) []string { l[3], l[4] = l[4], l[3]; return l }), "follows record"),
		byEdit("the text of a record changed", worklogMD, once(`"evidence":"e"`, `"evidence":"f"`), "was changed after it was written"),
		byEdit("the text of the last record changed", worklogMD, swap(`"evidence":"e"`, `"evidence":"f"`), "was changed after it was written"),
		byEdit("a record with another number", worklogMD, once(`"seq":3`, `"seq":8`), "record 8 follows record 2"),
		byEdit("a record with a broken chain", worklogMD, once(`"prev":"`, `"prev":"0`), "was changed"),
		byEdit("a block that is no JSON", worklogMD, once(`{"seq":4`, `{seq:4`), ""),
		byEdit("a block with a field too many", worklogMD, once(`"kind":"iteration"`, `"kind":"iteration","mine":1`), ""),
		byEdit("a block without a time", worklogMD, once(`"at":"2`, `"at":"x2`), ""),
		byEdit("a record of another kind", worklogMD, once(`"kind":"preflight"`, `"kind":"plan"`), "unknown kind"),
		byForgery("a round with counters of its own", worklogMD, -1, once(counters, `"counters":{"iteration":7,`), "counters are"),
		byForgery("a run of rounds without progress that is hidden", worklogMD, -1, once(`"no_progress":0`, `"no_progress":2`), "counters are"),
		byForgery("a round of another segment", worklogMD, -1, once(`"segment":2`, `"segment":1`), "segment 1 within segment 2"),
		byForgery("a segment that skips one", worklogMD, 6, once(`"segment":2`, `"segment":3`), "segment 3 where segment 2 is due"),
		byForgery("a segment of another format", worklogMD, 0, once(`"format":1`, `"format":9`), "state format 9"),
		byForgery("an outcome that there is not", worklogMD, 4, once("CANCELLED", "FINISHED"), "unknown outcome"),
		byForgery("a last record that is forged with a right chain", worklogMD, -1, once(`"what":"y"`, `"what":"z"`), "was changed after it was written"),
		{"a worklog that is not UTF-8", func(f *inside) { f.edit(worklogMD, once("worklog", "work\xfflog")) }, ".goal-loop", "not valid UTF-8"},
		{"a worklog with NUL bytes in it", func(f *inside) { f.edit(worklogMD, once("worklog", "work\x00log")) }, ".goal-loop", "NUL bytes"},
		byEdit("an empty worklog", worklogMD, func(string) string { return "" }, "no segment"),
		{"a worklog without its goal", func(f *inside) { _ = os.Remove(filepath.Join(f.root, goalMD)) }, ".goal-loop", "GOAL.md is not"},
		{"a goal without its worklog", func(f *inside) { _ = os.Remove(filepath.Join(f.root, worklogMD)) }, ".goal-loop", "GOAL-WORKLOG.md is not"},
		{"a worklog that is gone with its goal", func(f *inside) { _ = os.RemoveAll(filepath.Join(f.root, ".goal-loop")) }, ownState, "are gone"},
		byEdit("a goal with a torn tail", goalMD, func(d string) string { return d[:len(d)-30] }, ""),
		byEdit("the first goal changed", goalMD, once(`"text":"make the tests pass"`, `"text":"make coffee"`), "was changed after it was written"),
		byForgery("a goal of a segment that is not there", goalMD, -1, once(`"segment":2`, `"segment":8`), "segment 8"),
		byForgery("goals of segments in another order", goalMD, 0, once(`"segment":1`, `"segment":2`), ""),
		byForgery("a goal of another format", goalMD, 0, once(`"format":1`, `"format":9`), "state format 9"),
		byEdit("a record of the worklog among the goals", goalMD, swap(`"kind":"goal"`, `"kind":"segment"`), "does not belong here"),
		byEdit("a goal twice", goalMD, reblock(func(l []string) []string { return append(l[:1:1], l...) }), "follows record"),
	}
}

func plantedElsewhere() []planted {
	return []planted{
		byEdit("a trace with a torn line", ownTrace, func(d string) string { return d[:len(d)-20] }, "not one decision"),
		byEdit("a trace with words in it", ownTrace, func(d string) string { return "hello\n" + d }, "not one decision"),
		byEdit("a trace with another object", ownTrace, func(d string) string { return d + `{"a":1}` + "\n" }, "not one decision"),
		byEdit("a trace with two decisions on a line", ownTrace, once("}\n", "}"), "not one decision"),
		{"an older trace with a torn line", func(f *inside) { f.write(filepath.Join(f.root, ownTrace+".1"), `{"at":"20`) }, ownTrace + ".1", "not one decision"},
		{"a directory in the place of the trace", func(f *inside) {
			_ = os.Remove(filepath.Join(f.root, ownTrace))
			f.mkdir(filepath.Join(f.root, ownTrace))
		}, ownTrace, "not a regular file"},
		{"an archived state that is torn", func(f *inside) { f.edit(f.archived(), func(d string) string { return d[:50] }) }, archiveDir, ""},
		{"an archived state of another session than its name says", func(f *inside) { f.edit(f.archived(), once(s2, s3)) }, archiveDir, "its name is not that"},
		{"an archived state beyond every bound", func(f *inside) { f.write(filepath.Join(f.root, f.archived()), strings.Repeat(" ", 2<<20)) }, archiveDir, "too large"},
		{"a directory in the archive's place of a state", func(f *inside) {
			name := filepath.Join(f.root, f.archived())
			_ = os.Remove(name)
			f.mkdir(name)
		}, archiveDir, "not a regular file"},
		{"the records of a loop that has ended", func(f *inside) {
			f.edit(filepath.Join(".second", "GOAL-WORKLOG.md"), once(`"seq":1`, `"seq":2`))
		}, ".second", "follows record 0"},
	}
}

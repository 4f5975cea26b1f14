package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"omc-hook/internal/gitrepo"
	"omc-hook/internal/loop/goal"
	"omc-hook/internal/plain"
)

// verified is the answer to a verification.
type verified struct {
	Run    string `json:"run"`
	Passed bool   `json:"passed"`
	// Fresh says whether a claim of SUCCESS could rest on it.
	Fresh bool   `json:"fresh"`
	Fault string `json:"fault"`
	goal.Verification
}

func (v *verification) say(r goal.Verification) error {
	stale := r.Changed
	if r.Tree.NotComparable != "" {
		stale = gitrepo.Tree{}.Since(r.Tree)
	}
	fault := r.Fault()
	out := verified{Run: v.t.view.RunID, Passed: fault == "", Fresh: len(stale) == 0, Fault: fault, Verification: r}
	switch {
	case v.json():
		if err := v.writeJSON(out); err != nil {
			return err
		}
	case fault != "":
		fmt.Fprintf(v.Stdout, "not verified: %s\n", oneLine(fault))
		fmt.Fprint(v.Stdout, lastLines(v.results[len(v.results)-1].Output))
	case !out.Fresh:
		fmt.Fprintf(v.Stdout, "passed, but SUCCESS cannot rest on it: %s\n", oneLine(strings.Join(stale, ", ")))
		fmt.Fprintln(v.Stdout, "have git ignore what the commands write, then run omc-hook goal verify again")
	default:
		fmt.Fprintf(v.Stdout, "verified: %s passed; it counts for SUCCESS while the tree stays as it is\n", count(len(r.Ran), "approved command"))
	}
	if fault != "" || !out.Fresh {
		return statusError(statusFault)
	}
	return nil
}

// lastLines is the end of an output, safe to show.
func lastLines(output []byte) string {
	const most, bytes = 30, 4 << 10
	text := strings.TrimSpace(plain.Text(string(output[max(0, len(output)-bytes):])))
	lines := strings.Split(text, "\n")
	text = strings.Join(lines[max(0, len(lines)-most):], "\n")
	if text == "" {
		return ""
	}
	return text + "\n"
}

// isTerminal reports whether a person may be watching w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

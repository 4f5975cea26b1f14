//go:build linux

package realclient

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// check makes the repository's check: it passes where the file good is.
func check(t *testing.T, w *World) {
	t.Helper()
	const script = "test -e good || { echo 1 passed, 1 failed; exit 1; }\necho 2 passed, 0 failed\n"
	if err := os.WriteFile(filepath.Join(w.Work, "check.sh"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
}

func verify() Script { return Bash("omc-hook goal verify") }

// wantRead checks that the model read a text after its n-th answer.
func wantRead(t *testing.T, p *Printed, n int, text string) {
	t.Helper()
	if got := p.Requests(); len(got) <= n || !got[n].Read(text) {
		t.Errorf("after answer %d the model does not read %q:\n%s", n, text, got[min(n, len(got)-1)].New)
	}
}

func TestSuccessIsRefusedUntilTheApprovedCommandsPassOnTheTreeAsItIs(t *testing.T) {
	w := NewWorld(t)
	check(t, w)
	p := w.Print(Session{
		Plugins: []string{ownPlugin(w, "omc-hook")}, Prompt: `/goal-loop --max-iterations=12 --verify="sh check.sh" make it pass`,
		Main: InOrder(
			record(1, nil),                 // 1
			record(2, success()),           // 2: no evidence
			verify(), record(3, success()), // 3, 4: a failing command
			Bash("touch good"),            // 5
			verify(),                      // 6
			Bash("echo more > other.txt"), // 7
			record(4, success()),          // 8: stale
			verify(),                      // 9
			record(5, success()),          // 10
			Say("the end"),
		),
	})
	wantRead(t, p, 2, "SUCCESS needs: a passing verification by omc-hook: none is on record for the 1 approved command")
	wantRead(t, p, 3, `not verified: "sh check.sh": exit status 1, see .goal-loop/verify/1.log`)
	wantRead(t, p, 4, `"sh check.sh": exit status 1, see .goal-loop/verify/1.log; mend it, then omc-hook goal verify`)
	wantRead(t, p, 6, "verified: 1 approved command passed")
	wantRead(t, p, 8, "(other.txt); omc-hook goal verify")
	wantRead(t, p, 10, "the loop has ended: SUCCESS")
	if p.Result() != "the end" || len(p.Denials()) != 0 {
		t.Errorf("got result %q, denials %v", p.Result(), p.Denials())
	}
	log := worklog(w, w.Work)
	if got := strings.Count(log, `"kind":"verification"`); got != 3 {
		t.Errorf("the worklog has %d verifications, want 3", got)
	}
	if got := strings.Count(log, `"kind":"iteration"`); got != 2 {
		t.Errorf("the worklog has %d rounds, want 2: a refused claim is none", got)
	}
	if !strings.Contains(log, "- verification: omc-hook ran the 1 approved command at") {
		t.Error("the terminal entry does not say who ran the check")
	}
}

func TestTypedCommandsRunWithoutADenialInDefaultMode(t *testing.T) {
	for _, mode := range []string{"default", "acceptEdits", "dontAsk"} {
		t.Run(mode, func(t *testing.T) {
			w := NewWorld(t)
			check(t, w)
			if err := os.WriteFile(filepath.Join(w.Work, "good"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			p := w.Print(Session{
				Plugins: []string{ownPlugin(w, "omc-hook")}, Mode: mode, Prompt: `/goal-loop --verify='sh check.sh' make it pass`,
				Main: InOrder(record(1, nil), Say("one"), verify(), record(2, success()), Say("the end")),
			})
			if p.Result() != "the end" || len(p.Denials()) != 0 {
				t.Errorf("got result %q, denials %v", p.Result(), p.Denials())
			}
			wantTrace(t, trace(w, w.Work, p.Session), 1, "allow outcome")
		})
	}
}

func TestProposedCommandsRunOnlyOnceThePersonApprovedThem(t *testing.T) {
	w := NewWorld(t)
	check(t, w)
	plugin := ownPlugin(w, "omc-hook")
	first := w.Print(Session{
		Plugins: []string{plugin}, Mode: "default", Prompt: "/goal-loop make it pass",
		Main: InOrder(Bash("omc-hook goal propose --stdin <<'EOF'\nsh check.sh\nEOF"), verify(), record(1, nil), chat()),
	})
	if got := first.Denials(); len(got) != 1 || got[0].Input.Get("command").String() != "omc-hook goal verify" {
		t.Errorf("got the denials %v, want one of goal verify", got)
	}
	shown := w.Print(Session{Plugins: []string{plugin}, Resume: first.Session, Prompt: "/goal-loop approve"})
	digest := regexp.MustCompile(`/goal-loop approve ([0-9a-f]{8}) to approve exactly these`).FindStringSubmatch(shown.Result())
	if digest == nil || !strings.Contains(shown.Result(), "1. sh check.sh") || len(shown.Requests()) != 0 {
		t.Fatalf("the person reads %q after %d requests", shown.Result(), len(shown.Requests()))
	}
	if err := os.WriteFile(filepath.Join(w.Work, "good"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	approved := w.Print(Session{Plugins: []string{plugin}, Resume: first.Session, Prompt: "/goal-loop approve " + digest[1]})
	if !strings.Contains(approved.Result(), "approved for run") || len(approved.Requests()) != 0 {
		t.Errorf("the person reads %q after %d requests", approved.Result(), len(approved.Requests()))
	}
	p := w.Print(Session{
		Plugins: []string{plugin}, Mode: "default", Resume: first.Session, Prompt: "/goal-loop resume",
		Main: InOrder(verify(), record(2, success()), Say("the end")),
	})
	if p.Result() != "the end" || len(p.Denials()) != 0 {
		t.Errorf("got result %q, denials %v", p.Result(), p.Denials())
	}
	if s := modeState(w, w.Work, p.Session); s.Get("outcome").String() != "SUCCESS" {
		t.Errorf("the mode state is %s", s.Raw)
	}
}

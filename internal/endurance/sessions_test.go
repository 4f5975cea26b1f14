package endurance

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
)

// TestSixtyFourSessionsInOneRepositoryCountAlone drives 64 whole loops at once,
// as many processes of them at a time as a small machine runs in their time.
func TestSixtyFourSessionsInOneRepositoryCountAlone(t *testing.T) {
	const sessions, atOnce, stops = 64, 16, 5
	w := newWorld(t)
	slots := make(chan struct{}, atOnce)
	run := func(r request) answer {
		slots <- struct{}{}
		defer func() { <-slots }()
		return w.run(r)
	}
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() { oneLoop(w, run, i, stops) })
	}
	wg.Wait()
	for i := range sessions {
		found := w.work(sessionFolder(i))
		if want := fmt.Sprintf("goal %d", i); found.Goal != want || len(found.rounds()) != 1 || found.Outcome != "CANCELLED" || len(found.faults) > 0 {
			t.Errorf("session %d: goal %q, rounds %v, outcome %q, faults %v", i, found.Goal, found.rounds(), found.Outcome, found.faults)
		}
	}
	w.sound(0)
}

func sessionFolder(i int) string { return filepath.ToSlash(filepath.Join("loops", fmt.Sprint(i))) }

// oneLoop is the life of one session: start, stops, a record, cancel.
func oneLoop(w *world, run func(request) answer, i, stops int) {
	session := fmt.Sprintf("session-%d", i)
	if a := run(w.typed(session, fmt.Sprintf("--max-iterations=%d --state-dir=%s goal %d", 10+i, sessionFolder(i), i))); !a.started() {
		w.Errorf("session %d: start: %s", i, a)
		return
	}
	continued := int64(0)
	for n := range stops {
		if run(w.stop(session, fmt.Sprintf("answer %d", n))).continued() {
			continued++
		}
	}
	// A Stop that the machine held up beyond its deadline may have counted without
	// having been continued.
	s, _ := w.mode(session)
	if s.Iteration < continued || s.Iteration > int64(stops) || s.Continuations != s.Iteration || s.Planned != int64(10+i) {
		w.Errorf("session %d: iteration %d, continuations %d, planned %d after %d continuations", i, s.Iteration, s.Continuations, s.Planned, continued)
	}
	if a := run(w.record(session, fmt.Sprintf("work %d", i))); a.status != 0 {
		w.Errorf("session %d: record: %s", i, a)
	}
	if s, _ = w.mode(session); s.Rounds != 1 || s.Iteration != 0 {
		w.Errorf("session %d: rounds %d, iteration %d after a record", i, s.Rounds, s.Iteration)
	}
	if a := run(w.command(session, nil, "cancel")); a.status != 0 {
		w.Errorf("session %d: cancel: %s", i, a)
	}
	if s, _ = w.mode(session); s.Active || s.Outcome != "CANCELLED" {
		w.Errorf("session %d: active %v, outcome %q after the cancel", i, s.Active, s.Outcome)
	}
}

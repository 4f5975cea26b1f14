package endurance

import (
	"fmt"
	"testing"
)

func TestOneOfManyThatAdoptALoopAtOnceWins(t *testing.T) {
	const sessions = 9
	w := newWorld(t)
	name := func(i int) string { return fmt.Sprintf("session-%d", i) }
	for i := range sessions {
		w.must(w.seen(name(i)))
	}
	w.begin(name(0), "--max-iterations=1000 make")
	holder := 0
	for round := range times(20) {
		run := w.active(name(holder)).RunID
		var requests []request
		var who []int
		for i := range sessions {
			if i == holder {
				continue
			}
			who = append(who, i)
			if i%2 == 0 {
				requests = append(requests, w.typed(name(i), "adopt "+name(holder)))
			} else {
				requests = append(requests, w.command(name(i), nil, "adopt", "--from="+name(holder)))
			}
		}
		var winners []int
		for i, a := range w.together(requests...) {
			if a.status == 0 && !a.refused() {
				winners = append(winners, who[i])
			}
		}
		if len(winners) != 1 {
			t.Fatalf("round %d: %v won, want exactly one", round, winners)
		}
		holder = winners[0]
		if got := w.active(name(holder)).RunID; got != run {
			t.Errorf("round %d: the winner has run %s, want %s", round, got, run)
		}
		onlyOwner(w, name(holder), name, sessions)
	}
	w.sound(0)
}

// onlyOwner wants one session of many to be the active owner, in its mode state
// and on record.
func onlyOwner(w *world, session string, name func(int) string, sessions int) {
	w.Helper()
	for i := range sessions {
		if s, _ := w.mode(name(i)); s.Active != (name(i) == session) {
			w.Errorf("%s is active: %v, and the owner is %s", name(i), s.Active, session)
		}
	}
	if found := w.work(".goal-loop"); found.Owner.SessionID != session || len(found.faults) > 0 {
		w.Errorf("on record the owner is %s, want %s; faults %v", found.Owner.SessionID, session, found.faults)
	}
}

func TestOneOfManySessionsThatStartAtOnceOwnsTheDirectory(t *testing.T) {
	const sessions = 8
	name := func(i int) string { return fmt.Sprintf("session-%d", i) }
	for round := range times(10) {
		w := newWorld(t)
		var requests []request
		for i := range sessions {
			requests = append(requests, w.typed(name(i), "make"))
		}
		var winners []string
		for i, a := range w.together(requests...) {
			if a.started() {
				winners = append(winners, name(i))
			}
		}
		if len(winners) != 1 {
			t.Fatalf("round %d: %v started, want exactly one", round, winners)
		}
		onlyOwner(w, winners[0], name, sessions)
		w.sound(0)
	}
}

func TestOneOfManyStartsOfASessionWins(t *testing.T) {
	for round := range times(10) {
		w := newWorld(t)
		var requests []request
		for i := range crowd {
			requests = append(requests, w.typed(owner, fmt.Sprintf("goal %d", i)))
		}
		started := 0
		for _, a := range w.together(requests...) {
			if a.started() {
				started++
			}
		}
		if started != 1 {
			t.Fatalf("round %d: %d started, want exactly one", round, started)
		}
		onlyOwner(w, owner, func(int) string { return owner }, 1)
		w.sound(0)
	}
}

package endurance

import (
	"fmt"
	"testing"
)

// crowd is how many processes stop at once; it is also a whole lease.
const crowd = 8

// counted is what a round of stops has counted, and how many were continued.
type counted struct{ steps, continued int64 }

// stopTogether lets a crowd of processes stop at once and records the round.
func stopTogether(w *world, round int, answerOf func(i int) string) counted {
	w.Helper()
	before := w.active(owner)
	var stops []request
	for i := range crowd {
		stops = append(stops, w.stop(owner, answerOf(i)))
	}
	var c counted
	for _, a := range w.together(stops...) {
		if a.continued() {
			c.continued++
		}
	}
	after := w.active(owner)
	c.steps = after.Continuations - before.Continuations
	if after.Iteration != c.steps || after.HighWater.Iteration != c.steps {
		w.Errorf("round %d: %d steps, but iteration %d and high-water mark %d", round, c.steps, after.Iteration, after.HighWater.Iteration)
	}
	w.must(w.record(owner, fmt.Sprintf("round %d", round)))
	if got := w.active(owner); got.Rounds != int64(round) || got.Iteration != 0 {
		w.Errorf("after record %d: rounds %d, iteration %d", round, got.Rounds, got.Iteration)
	}
	return c
}

// TestEightStopsAtOnceAreCountedExactly takes eight different events in one
// round, each of which is a step, and the same event eight times in the next,
// which is one. A process that the machine keeps from its lock beyond its deadline
// lets its turn end, so the counts are bounds then, and exact where all were in
// time.
func TestEightStopsAtOnceAreCountedExactly(t *testing.T) {
	w := newWorld(t)
	w.begin(owner, "--max-iterations=10000 make")
	whole := map[bool]int{}
	for round := 1; round <= times(200); round++ {
		equal, most := round%2 == 0, int64(crowd)
		if equal {
			most = 1
		}
		c := stopTogether(w, round, func(i int) string {
			if equal {
				i = 0
			}
			return fmt.Sprintf("answer %d of round %d", i, round)
		})
		if c.steps < min(c.continued, most) || c.steps > most {
			t.Errorf("round %d: %d steps for %d continuations of %d stops, equal ones: %v", round, c.steps, c.continued, crowd, equal)
		}
		if c.continued == crowd {
			whole[equal]++
		}
	}
	t.Logf("of %d rounds %d of different events and %d of equal ones had all %d stops in time", times(200), whole[false], whole[true], crowd)
	if whole[false] == 0 || whole[true] == 0 {
		t.Error("no round was whole, so nothing was tested")
	}
	w.sound(0)
}

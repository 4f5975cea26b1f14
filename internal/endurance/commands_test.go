package endurance

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryCommandThatWasAcceptedInACrowdIsVisible(t *testing.T) {
	w := newWorld(t)
	w.begin(owner, "--max-iterations=1000 make")
	accepted := map[string]bool{}
	for turn := range times(20) {
		crowdOfCommands(w, turn, accepted)
		s, found := w.active(owner), w.work(".goal-loop")
		if s.Rounds != found.Counters.Iteration || int(s.Rounds) != len(found.rounds()) || s.Ledger.Head != found.worklog.Head() {
			t.Errorf("turn %d: the mode state counts %d rounds, the worklog %d in %d records of rounds", turn, s.Rounds, found.Counters.Iteration, len(found.rounds()))
		}
		if len(found.faults) > 0 {
			t.Errorf("turn %d: %v", turn, found.faults)
		}
	}
	visible := w.work(".goal-loop").rounds()
	want := map[string]int{}
	for name, taken := range accepted {
		if taken {
			want[name] = 1
		}
	}
	if diff := cmp.Diff(want, visible); diff != "" {
		t.Errorf("accepted and on record (-accepted +on record):\n%s", diff)
	}
	t.Logf("%d of %d records were accepted", len(want), len(accepted))
	w.sound(0)
}

// crowdOfCommands runs 16 commands and stops at once and notes which of the
// records were accepted. The others have ended with an error of one line.
func crowdOfCommands(w *world, turn int, accepted map[string]bool) {
	w.Helper()
	const records, stops, looks = 6, 6, 4
	var requests []request
	var names []string
	for i := range records {
		names = append(names, fmt.Sprintf("round %d.%d", turn, i))
		requests = append(requests, w.record(owner, names[i]))
	}
	for i := range stops {
		requests = append(requests, w.stop(owner, fmt.Sprintf("answer %d.%d", turn, i)))
	}
	for range looks {
		requests = append(requests, w.command(owner, nil, "status"))
	}
	answers := w.together(requests...)
	for i, name := range names {
		accepted[name] = answers[i].status == 0
	}
}

func TestTheSameRecordFromManyProcessesIsOneRound(t *testing.T) {
	w := newWorld(t)
	w.begin(owner, "--max-iterations=1000 make")
	for turn := range times(20) {
		r := w.record(owner, fmt.Sprintf("round %d", turn))
		done := 0
		for _, a := range w.together(r, r, r, r) {
			if a.status == 0 {
				done++
			}
		}
		if got := w.active(owner).Rounds; done == 0 || got != int64(turn+1) {
			t.Fatalf("turn %d: %d of 4 were accepted, %d rounds", turn, done, got)
		}
	}
	w.sound(0)
}

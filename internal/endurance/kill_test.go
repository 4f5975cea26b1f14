package endurance

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// kills is how often each verb is killed, 1,000 times in all.
func kills() map[string]int {
	return map[string]int{
		"a stop that goes on": 150, "a stop that tells of the outcome": 60,
		"a start": 80, "a typed stop": 60, "a typed pause": 50, "a typed resume": 50, "a typed extend": 60, "a typed adopt": 60,
		"a record": 150, "a record that ends": 60, "a finish": 80, "a cancel": 80, "an adopt": 60,
	}
}

// TestAKillAtAnyMomentLosesNothing kills processes of the shipped program, each
// within the time that the verb takes from the end of its input to its own end.
func TestAKillAtAnyMomentLosesNothing(t *testing.T) {
	// Without git, whose time is not the verb's own.
	t.Setenv("PATH", "")
	random := rand.New(rand.NewPCG(3, 1))
	for _, v := range verbs() {
		n, chosen := kills()[v.name]
		if !chosen {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			s := newScene(newWorld(t), v)
			spans := s.usual()
			early, midway := 0, 0
			for range times(n) {
				s.restore(s.files)
				delay := time.Duration(random.Float64() * float64(spans[random.IntN(len(spans))]))
				a := s.killed(delay)
				switch {
				case a.stdout != "":
				case s.same():
					early++
				default:
					midway++
				}
				s.judge(a)
				if t.Failed() {
					t.Fatalf("killed %s after the end of its input: %s", delay, a)
				}
			}
			t.Logf("%s to %s; %d kills: %d before anything was written, %d before the answer, the rest after it", spans[0], spans[len(spans)-1], times(n), early, midway)
		})
	}
}

// usual are the times that the verb takes, without the longest: a kill after the
// end says nothing.
func (s *scene) usual() []time.Duration {
	s.Helper()
	const runs = 20
	var spans []time.Duration
	for range runs {
		s.restore(s.files)
		p := s.spawn(s.ask(s.world))
		from := time.Now()
		p.release()
		p.wait()
		spans = append(spans, time.Since(from))
	}
	slices.Sort(spans)
	return spans[:runs*95/100]
}

// killed is what a run had answered when it was killed. An answer that was
// printed counts as given.
func (s *scene) killed(after time.Duration) answer {
	s.Helper()
	p := s.spawn(s.ask(s.world))
	p.release()
	timer := time.AfterFunc(after, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	a := p.wait()
	switch {
	case a.status != -1:
	case a.hook || a.stdout != "":
		a.status = 0
	default:
		a.status, a.stderr = 1, "killed in "+s.root+"\n"
	}
	return a
}

// same reports whether the verb's files are as they were before it was asked.
func (s *scene) same() bool {
	s.Helper()
	now := s.facts()
	return now.worklog == s.before.worklog && now.owner == s.before.owner && now.other == s.before.other && now.archived == s.before.archived
}

package endurance

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
)

// scene is a verb in a repository that is put back before each run.
type scene struct {
	*world
	verb
	files      map[string]string
	before     facts
	want       facts
	now        time.Time
	operations []string
}

func newScene(w *world, v verb) *scene {
	w.Helper()
	v.setup(w)
	s := &scene{world: w, verb: v, files: w.remember(), now: time.Now()}
	s.before = w.facts()
	count := &fault{}
	a := w.on(disk.Faulty(disk.Real(), count.hook), s.now, v.ask(w))
	if a.status != 0 || a.refused() || a.formed() != "" {
		w.Fatalf("undisturbed: %s", a)
	}
	s.operations = count.ops
	if what := v.broken(s.before, w.facts(), a); what != "" {
		w.Fatalf("undisturbed: %s: %s", what, a)
	}
	s.goOn()
	s.want = w.facts().essence()
	return s
}

// judge looks at what a run that was disturbed has answered and left, and lets
// the same be asked again.
func (s *scene) judge(a answer) {
	s.Helper()
	s.documented(a)
	s.sound(1)
	after := s.facts()
	s.kept(after)
	if what := s.broken(s.before, after, a); what != "" {
		s.Errorf("%s: %s", what, a)
	}
	again := a
	if !s.acknowledged(a) {
		again = s.on(disk.Real(), s.now.Add(time.Second), s.ask(s.world))
		if (again.status != 0 || again.refused()) && (s.repeated == "" || !strings.Contains(again.stdout+again.stderr, s.repeated)) {
			s.Errorf("the same again, undisturbed: %s\nafter: %s", again, a)
		}
	}
	s.goOn()
	if diff := cmp.Diff(s.want, s.facts().essence(), cmp.AllowUnexported(facts{}, loopFacts{})); diff != "" {
		s.Errorf("the same again, undisturbed (-want +got):\n%safter: %s\nthen: %s", diff, a, again)
	}
}

// acknowledged reports whether whoever asked was told that it is done. The events
// that the client sends by itself are never acknowledged.
func (s *scene) acknowledged(a answer) bool {
	return a.status == 0 && a.stdout != "" && !a.refused() && !s.unasked
}

// goOn does what the person does afterwards.
func (s *scene) goOn() {
	s.Helper()
	if s.next == nil {
		return
	}
	if a := s.on(disk.Real(), s.now.Add(time.Minute), s.next(s.world)); a.refused() {
		s.Errorf("%s afterwards: %s", s.next(s.world), a)
	}
}

// documented holds for the answer of every run: its form, and that a command
// that fails names what it failed at.
func (s *scene) documented(a answer) {
	s.Helper()
	if what := a.formed(); what != "" {
		s.Errorf("%s: %s", what, a)
	}
	text := a.stderr
	if a.refused() {
		text = a.document().Reason
	}
	if text != "" && !strings.Contains(text, filepath.Dir(s.root)) {
		s.Errorf("the error names no file: %s", a)
	}
}

// kept holds where a fault came: what was on record is there byte for byte, and a
// loop that was there still is, or has ended.
func (s *scene) kept(after facts) {
	s.Helper()
	if !strings.HasPrefix(after.goals, s.before.goals) || !strings.HasPrefix(after.worklog, s.before.worklog) {
		s.Errorf("what was on record is lost")
	}
	if s.before.owner.there && !after.owner.there && after.archived == s.before.archived {
		s.Errorf("the mode state is lost")
	}
}

// remember keeps every file of the repository and of the home.
func (w *world) remember() map[string]string {
	w.Helper()
	files := map[string]string{}
	for _, path := range w.files() {
		files[path] = string(w.read(path))
	}
	return files
}

// restore puts the repository and the home back as they were.
func (w *world) restore(files map[string]string) {
	w.Helper()
	for _, dir := range []string{w.root, w.home} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			w.Fatal(err)
		}
		for _, entry := range entries {
			if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
				w.Fatal(err)
			}
		}
	}
	if err := os.Mkdir(filepath.Join(w.root, ".git"), 0o755); err != nil {
		w.Fatal(err)
	}
	for path, data := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), fs.FileMode(0o600)); err != nil {
			w.Fatal(err)
		}
	}
}

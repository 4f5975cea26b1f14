package state

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"omc-hook/internal/disk"
)

func stateOf(mode, session string) []byte {
	return fmt.Appendf(nil, `{"mode":%q,"session_id":%q,"active":false}`, mode, session)
}

func TestUpdateArchivesWhatItCommitted(t *testing.T) {
	s, loc := newSession(t)
	set(t, s, loc, Edit{Name: goalFile, Data: []byte(`{"active":true}`)})
	data := stateOf("goal-loop", session)
	set(t, s, loc, Edit{Name: goalFile, Data: data, Archive: true})
	if snap := s.Read(loc, goalNames); len(snap) != 0 {
		t.Errorf("still there: %v", snap)
	}
	got, err := s.ListArchive(loc)
	if err != nil {
		t.Fatal(err)
	}
	want := []Archived{{
		Path: filepath.Join(loc.StateRoot, "state", "omc-hook-archive", "20260301T120000-goal-loop-S1.json"),
		At:   noon(), Mode: "goal-loop", Session: session, Data: data,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestArchivingTwiceIsDoneOnce(t *testing.T) {
	s, loc := newSession(t)
	set(t, s, loc, Edit{Name: goalFile, Data: stateOf("goal-loop", session)})
	for range 2 {
		set(t, s, loc, Edit{Name: goalFile, Archive: true})
	}
	if got, err := s.ListArchive(loc); err != nil || len(got) != 1 {
		t.Errorf("archived %d, %v, want 1", len(got), err)
	}
}

func TestArchivesOfOneSecondDoNotReplaceEachOther(t *testing.T) {
	s, loc := newSession(t)
	for range 3 {
		set(t, s, loc, Edit{Name: goalFile, Data: stateOf("goal-loop", session), Archive: true})
	}
	got, err := s.ListArchive(loc)
	if err != nil || len(got) != 3 {
		t.Fatalf("archived %d, %v, want 3", len(got), err)
	}
	for i, a := range got {
		if want := noon().Add(time.Duration(i) * time.Second); !a.At.Equal(want) {
			t.Errorf("archive %d is of %v, want %v", i, a.At, want)
		}
	}
}

func TestArchiveNeverLosesTheStateAfterAnyFailure(t *testing.T) {
	t.Parallel()
	eachFault(t, func(t *testing.T, f *breakage) {
		s, loc := newSession(t)
		set(t, s, loc, Edit{Name: goalFile, Data: []byte(`{"active":true}`)})
		data := stateOf("goal-loop", session)
		e := edit(Edit{Name: goalFile, Data: data, Archive: true})
		err := s.with(f).Update(loc, time.Time{}, goalNames, e)
		archived, listErr := s.ListArchive(loc)
		if listErr != nil {
			t.Fatal(listErr)
		}
		_, there := s.Read(loc, goalNames)[goalFile]
		if there == (len(archived) == 1) || err == nil && there {
			t.Fatalf("in place %v, archived %d, error %v", there, len(archived), err)
		}
		if there {
			set(t, s, loc, Edit{Name: goalFile, Data: data, Archive: true})
		}
		archived, _ = s.ListArchive(loc)
		if len(archived) != 1 || string(archived[0].Data) != string(data) {
			t.Errorf("archived %d after the second run", len(archived))
		}
	})
}

func TestArchiveTellsWhoseEachStateIs(t *testing.T) {
	long := strings.Repeat("a", 255)
	tests := []struct {
		name, mode, session string
		data                []byte
		wantMode, wantSess  string
	}{
		{"a mode with a dash", "goal-loop", "S1", nil, "goal-loop", "S1"},
		{"a session that looks like the rest of a mode", "refine", "loop-x", nil, "refine", "loop-x"},
		{"the same name the other way", "refine-loop", "x", nil, "refine-loop", "x"},
		{"a session as long as a directory can be", "goal-loop", long, nil, "goal-loop", long},
		{"a content that says something else is not believed", "goal-loop", "S1", stateOf("goal-loop", "S2"), "", ""},
		{"a broken content says nothing", "goal-loop", "S1", []byte(`{"mode":`), "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := newStore(t)
			loc, err := s.Locate(tt.session)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Create(loc); err != nil {
				t.Fatal(err)
			}
			data := tt.data
			if data == nil {
				data = stateOf(tt.mode, tt.session)
			}
			set(t, s, loc, Edit{Name: tt.mode + "-state.json", Data: data, Archive: true})
			got, err := s.ListArchive(loc)
			if err != nil || len(got) != 1 {
				t.Fatalf("archived %d, %v", len(got), err)
			}
			if got[0].Mode != tt.wantMode || got[0].Session != tt.wantSess {
				t.Errorf("mode %q session %q, want %q %q", got[0].Mode, got[0].Session, tt.wantMode, tt.wantSess)
			}
		})
	}
}

func TestOnlyModeStatesAreArchived(t *testing.T) {
	s, loc := newSession(t)
	set(t, s, loc, Edit{Name: "other.json", Data: []byte("{}")})
	err := s.Update(loc, later(), []string{"other.json"}, edit(Edit{Name: "other.json", Archive: true}))
	if !errors.Is(err, ErrName) {
		t.Errorf("error %v, want %v", err, ErrName)
	}
}

func TestListArchiveLeavesOutWhatIsNotOurs(t *testing.T) {
	s, loc := newSession(t)
	if got, err := s.ListArchive(loc); got != nil || err != nil {
		t.Errorf("no archive: %v, %v", got, err)
	}
	dir := loc.archiveDir()
	for _, name := range []string{"notes.md", "20260301T120000", "20261301T120000-goal-loop-S1.json", "x-goal-loop-S1.json", disk.TempPrefix + "x"} {
		write(t, filepath.Join(dir, name), "{}")
	}
	symlink(t, "notes.md", filepath.Join(dir, "20260301T120000-goal-loop-S1.json"))
	mkdir(t, filepath.Join(dir, "20260301T120001-goal-loop-S1.json"))
	if got, err := s.ListArchive(loc); len(got) != 0 || err != nil {
		t.Errorf("got %v, %v, want nothing", got, err)
	}
}

func FuzzArchiveOwner(f *testing.F) {
	f.Add("20260301T120000-goal-loop-S1.json", stateOf("goal-loop", "S1"))
	f.Add("20260301T120000-.json", []byte(`{}`))
	f.Add("-", []byte(strings.Repeat("[", 1000)))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		mode, session := archiveOwner(name, data)
		if mode+session != "" && !strings.Contains(name, mode+"-"+fileID(session)) {
			t.Errorf("%q of %q belongs to %q %q", data, name, mode, session)
		}
	})
}

package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestAppendLine(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		limit int64
		want  string
		older string
	}{
		{"lines follow each other", []string{"one", "two"}, 100, "one\ntwo\n", "absent"},
		{"a line break within a line is a space", []string{"a\nb\r\nc"}, 100, "a b  c\n", "absent"},
		{"a full log turns over first", []string{"one", "two", "three"}, 8, "three\n", "one\ntwo\n"},
		{"the older half is replaced", []string{"1111111", "2222222", "3333333"}, 8, "3333333\n", "2222222\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			for _, line := range tt.lines {
				if err := Real().AppendLine(path, []byte(line), tt.limit); err != nil {
					t.Fatal(err)
				}
			}
			if got := content(t, path); got != tt.want {
				t.Errorf("log holds %q, want %q", got, tt.want)
			}
			if got := content(t, path+".1"); got != tt.older {
				t.Errorf("older log holds %q, want %q", got, tt.older)
			}
		})
	}
}

func TestAppendLineRefusesALineThatCanNeverFit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := Real().AppendLine(path, []byte("12345678"), 8); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want %v", err, ErrTooLarge)
	}
	if got := content(t, path); got != "absent" {
		t.Errorf("log holds %q, want none", got)
	}
}

func TestAppendLineLeavesALogAloneThatAnotherHasJustTurnedOver(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "log"), "12345678")
	stats := 0
	d := Faulty(Real(), func(op, _ string) error {
		if op == OpStat {
			if stats++; stats == 2 {
				if err := os.Rename(path, path+".1"); err != nil {
					return err
				}
				write(t, path, "new\n")
			}
		}
		return nil
	})
	if err := d.AppendLine(path, []byte("me"), 8); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, path)+content(t, path+".1"), "new\nme\n12345678"; got != want {
		t.Errorf("logs hold %q, want %q", got, want)
	}
}

func TestAppendLineDoesNotMixTheLinesOfMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for range 20 {
				line := strings.Repeat(fmt.Sprintf("%x", i), 200)
				if err := Real().AppendLine(path, []byte(line), 1<<20); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	lines := strings.Split(strings.TrimSuffix(content(t, path), "\n"), "\n")
	if len(lines) != 16*20 {
		t.Errorf("%d lines, want %d", len(lines), 16*20)
	}
	for _, line := range lines {
		if line != strings.Repeat(line[:1], 200) {
			t.Errorf("mixed line %q", line)
		}
	}
}

func TestAppendLineNeverLosesWhatIsThereAfterAnyFailure(t *testing.T) {
	eachFault(t, func(t *testing.T, d Disk, f *fault) {
		path := write(t, filepath.Join(t.TempDir(), "log"), "older..\n")
		_ = d.AppendLine(path, []byte("new"), 8)
		if !strings.HasPrefix(content(t, path), "older..\n") && content(t, path+".1") != "older..\n" {
			t.Errorf("%s fails with %v: the old lines are gone", f.op, f.err)
		}
	})
}

package state

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func cmpSorted() cmp.Option { return cmpopts.SortSlices(sorted) }

const record = "whole\nhalf a rec"

func quarantined() []string {
	return []string{".gitignore=*\n", "LOG.md.torn-20260301T120000=half a rec", "LOG.md=whole\n"}
}

func TestQuarantineMovesTheTail(t *testing.T) {
	_, f := newFolder(t)
	write(t, filepath.Join(f.Path, "LOG.md"), record)
	for range 2 { // the second time there is nothing to do
		if err := f.Quarantine("LOG.md", 6); err != nil {
			t.Fatal(err)
		}
		if diff := diffTree(quarantined(), tree(t, f.Path)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestQuarantineKeepsEveryTail(t *testing.T) {
	_, f := newFolder(t)
	path := filepath.Join(f.Path, "LOG.md")
	for _, tail := range []string{"first", "second", "third"} {
		write(t, path, "whole\n"+tail)
		if err := f.Quarantine("LOG.md", 6); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		".gitignore=*\n", "LOG.md=whole\n", "LOG.md.torn-20260301T120000=first",
		"LOG.md.torn-20260301T120001=second", "LOG.md.torn-20260301T120002=third",
	}
	if diff := diffTree(want, tree(t, f.Path)); diff != "" {
		t.Error(diff)
	}
}

func TestQuarantineRefusesOffsetsAndFilesThatAreNot(t *testing.T) {
	_, f := newFolder(t)
	path := write(t, filepath.Join(f.Path, "LOG.md"), record)
	for _, from := range []int64{-1, int64(len(record)) + 1} {
		if err := f.Quarantine("LOG.md", from); err == nil {
			t.Errorf("offset %d was accepted", from)
		}
	}
	if err := f.Quarantine("NONE.md", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v, want %v", err, fs.ErrNotExist)
	}
	if got := content(t, path); got != record {
		t.Errorf("file holds %q", got)
	}
}

func TestQuarantineLosesNoByteAfterAnyFailure(t *testing.T) {
	t.Parallel()
	eachFault(t, func(t *testing.T, b *breakage) {
		_, f := newFolder(t)
		path := write(t, filepath.Join(f.Path, "LOG.md"), record)
		err := f.with(b).Quarantine("LOG.md", 6)
		kept := content(t, path+".torn-20260301T120000")
		switch got := content(t, path); {
		case got == record && (kept == "absent" || kept == "half a rec") && err != nil:
		case got == "whole\n" && kept == "half a rec":
		default:
			t.Errorf("error %v, file holds %q, kept %q", err, got, kept)
		}
		// The same call finishes, and keeps the tail once.
		if err := f.Quarantine("LOG.md", 6); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, entry := range tree(t, f.Path) {
			if !strings.HasPrefix(entry, "temp") {
				got = append(got, entry)
			}
		}
		if diff := diffTree(quarantined(), got); diff != "" {
			t.Error(diff)
		}
	})
}

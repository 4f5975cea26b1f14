package goal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"omc-hook/internal/ledger"
	"omc-hook/internal/plain"
)

// Kinds of the records about paths, in the worklog.
const (
	kindOwned       = "owned"
	kindTransferred = "transferred"
)

// Absent stands in place of a digest for a path at which nothing is.
const Absent = "ABSENT"

// MaxOwnedPaths bounds the paths of one record.
const MaxOwnedPaths = 1_000

// OwnedPath is what stood at a path, relative to the work directory, after the
// loop wrote it.
type OwnedPath struct {
	Path string `json:"path"`
	// SHA256 is the digest of the content, or Absent.
	SHA256 string `json:"sha256"`
	Mode   string `json:"mode,omitempty"`
	Size   int64  `json:"size"`
	// Identity tells the file from one that took its place, "" where the system
	// has nothing to tell it by.
	Identity string    `json:"identity,omitempty"`
	At       time.Time `json:"at"`
}

// same holds when b is what stood there at a, whenever that was.
func (a OwnedPath) same(b OwnedPath) bool {
	b.At = a.At
	return a == b
}

// Differs says in a phrase how now differs from what is on record, "" for not.
func (a OwnedPath) Differs(now OwnedPath) string {
	switch {
	case a.SHA256 == Absent && now.SHA256 != Absent:
		return "something stands where nothing was"
	case a.SHA256 != Absent && now.SHA256 == Absent:
		return "it is gone"
	case a.SHA256 != now.SHA256:
		return "its content is another"
	case a.Mode != now.Mode:
		return fmt.Sprintf("its mode is %s and was %s", now.Mode, a.Mode)
	case a.Identity != "" && now.Identity != "" && a.Identity != now.Identity:
		return "another file of the same content took its place"
	}
	return ""
}

// Dirty is what a preflight found changed.
type Dirty struct {
	Paths []string
	// More counts the paths beyond the list, and Unknown says why there is none.
	More    int
	Unknown string
}

func (p Preflight) dirty() Dirty {
	return Dirty{Paths: p.Dirty, More: p.DirtyMore, Unknown: p.StatusUnknown}
}

// Owned is the record of paths as the loop left them.
type Owned struct {
	Segment int64       `json:"segment"`
	How     string      `json:"how"`
	Paths   []OwnedPath `json:"paths"`
}

// Transferred is the record of paths that were the person's and that the person
// gave to the loop.
type Transferred struct {
	Segment int64    `json:"segment"`
	Paths   []string `json:"paths"`
}

// Own takes paths, as they are now, for the loop's own.
type Own struct {
	How   string
	Paths []OwnedPath
}

// Transfer is the person's word that paths are the loop's from now on.
type Transfer struct{ Paths []string }

func (Own) signal()      {}
func (Transfer) signal() {}

// own records what is not on record yet. A path of the person's is refused.
func own(run Run, s Own, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	if len(s.Paths) > MaxOwnedPaths {
		return run, nil, &Refused{Why: fmt.Sprintf("more than %d paths at once", MaxOwnedPaths)}
	}
	persons := run.Persons()
	var missing []string
	var fresh []OwnedPath
	for _, p := range s.Paths {
		if why := persons.Why(p.Path); why != "" {
			missing = append(missing, plain.Line(p.Path, 200)+" "+why)
		}
		if known, ok := run.Owned[p.Path]; !ok || !known.same(p) {
			p.At = now.UTC().Round(0)
			fresh = append(fresh, p)
		}
	}
	if len(missing) > 0 {
		return run, nil, &Refused{Why: "not the loop's", Missing: missing, Hint: "leave it alone, or the person types /goal-loop own PATH"}
	}
	if len(fresh) == 0 {
		return run, nil, nil
	}
	record := Owned{Segment: run.Segment, How: s.How, Paths: fresh}
	next := run
	next.Owned = maps.Clone(run.Owned)
	next.takeOwned(record)
	return next, []Draft{ownedDraft(record, now)}, nil
}

// transfer records what the person gave. A path that is not the person's needs
// no word.
func transfer(run Run, s Transfer, now time.Time) (Run, []Draft, error) {
	if err := running(run); err != nil {
		return run, nil, err
	}
	persons := run.Persons()
	for _, p := range s.Paths {
		if persons.Why(p) == "" {
			return run, nil, &Refused{
				Why:  plain.Line(p, 200) + " was not changed before the loop began, or is the loop's already",
				Hint: "nothing is needed: the loop may own it as it is",
			}
		}
	}
	record := Transferred{Segment: run.Segment, Paths: s.Paths}
	next := run
	next.Transferred = append(slices.Clip(run.Transferred), s.Paths...)
	return next, []Draft{transferredDraft(record, now)}, nil
}

func (run *Run) applyOwned(o Owned) error {
	run.takeOwned(o)
	return run.inSegment(o.Segment)
}

func (run *Run) takeOwned(o Owned) {
	if run.Owned == nil {
		run.Owned = map[string]OwnedPath{}
	}
	for _, p := range o.Paths {
		run.Owned[p.Path] = p
	}
}

func (run *Run) applyTransferred(t Transferred) error {
	run.Transferred = append(run.Transferred, t.Paths...)
	return run.inSegment(t.Segment)
}

func ownedDraft(o Owned, now time.Time) Draft {
	var p prose
	p.item("how", o.How)
	const shown = 20
	for i, path := range o.Paths {
		if i == shown {
			p.item("more", fmt.Sprintf("%d paths", len(o.Paths)-shown))
			break
		}
		digest := path.SHA256
		if digest != Absent {
			digest = "sha256:" + digest[:min(12, len(digest))]
		}
		p.item("path", path.Path+" "+digest)
	}
	return Draft{File: WorklogFile, Kind: kindOwned, Heading: fmt.Sprintf("Segment %d, owned paths, %s", o.Segment, stamp(now)), Prose: p.String(), Body: o}
}

func transferredDraft(t Transferred, now time.Time) Draft {
	var names strings.Builder
	for _, name := range t.Paths {
		fmt.Fprintln(&names, name)
	}
	return Draft{
		File: WorklogFile, Kind: kindTransferred, Body: t, Prose: "The person gave to the loop:\n\n" + ledger.Quote(names.String()),
		Heading: fmt.Sprintf("Segment %d, transferred paths, %s", t.Segment, stamp(now)),
	}
}

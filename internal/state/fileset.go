package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"omc-hook/internal/disk"
)

const (
	intentName = ".omc-hook-intent.json"
	// maxSet bounds the files of one set together; maxIntent is that in base64.
	maxSet    = 4 << 20
	maxIntent = 2 * maxSet
)

// intent is the record of a set of files that is being made.
type intent struct {
	Version int               `json:"version"`
	Files   map[string][]byte `json:"files"`
}

// CreateSet creates all of the files or none. An existing file with the same
// content is fine; one with another content is fs.ErrExist, and nothing is made.
// The whole set is first written down in a synced intent record, so a kill at
// any step leaves either nothing or what Recover finishes. An error undoes what
// was made; where that fails too, the record stays and Recover finishes the set.
// Only an error of the very last sync comes after the set is complete.
// A set that is still pending is finished first.
func (f Folder) CreateSet(files map[string][]byte) error {
	if err := f.Recover(); err != nil {
		return err
	}
	if err := f.checkSet(files); err != nil {
		return fmt.Errorf("create files in %s: %w", f.Path, err)
	}
	missing, err := f.missing(files)
	if err != nil || len(missing) == 0 {
		return err
	}
	record, err := json.Marshal(intent{Version: 1, Files: files})
	if err != nil {
		return fmt.Errorf("create files in %s: %w", f.Path, err)
	}
	pending := filepath.Join(f.Path, intentName)
	err = f.store.Disk.Replace(pending, record, true)
	var made []string
	for _, name := range missing {
		if err != nil {
			break
		}
		if err = f.store.Disk.CreateExclusive(filepath.Join(f.Path, name), files[name]); err == nil {
			made = append(made, name)
		}
	}
	if err != nil {
		return errors.Join(err, f.undo(made))
	}
	return f.settle()
}

func (f Folder) checkSet(files map[string][]byte) error {
	total := 0
	for name, data := range files {
		if err := checkName(name); err != nil {
			return err
		}
		total += len(data)
	}
	if total > maxSet {
		return fmt.Errorf("%d bytes: %w", total, disk.ErrTooLarge)
	}
	return nil
}

// missing lists, sorted, the files of a set that do not exist. One that exists
// with another content is an error.
func (f Folder) missing(files map[string][]byte) ([]string, error) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(f.Path, name)
		got, err := f.store.Disk.ReadRegular(path, maxSet)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			names = append(names, name)
		case err != nil:
			return nil, err
		case !bytes.Equal(got, files[name]):
			return nil, fmt.Errorf("create %s: its content is another: %w", path, fs.ErrExist)
		}
	}
	return names, nil
}

// undo removes the files that were made and then the record. In this order a
// kill in between leaves a set that Recover finishes.
func (f Folder) undo(made []string) error {
	for _, name := range made {
		if err := f.store.Disk.Remove(filepath.Join(f.Path, name)); err != nil {
			return err
		}
	}
	return f.settle()
}

// settle removes the intent record, durably.
func (f Folder) settle() error {
	if err := absent(f.store.Disk.Remove(filepath.Join(f.Path, intentName))); err != nil {
		return err
	}
	return f.store.Disk.SyncDir(f.Path)
}

// Recover finishes the set that a killed CreateSet has begun, and removes old
// temporary files. Without a pending set it changes nothing; without a folder it
// is fs.ErrNotExist. A file that holds something else than the set says, or a
// part of it, is left alone and is an error.
func (f Folder) Recover() error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.store.sweepStrays(f.Path); err != nil {
		return err
	}
	path := filepath.Join(f.Path, intentName)
	record, err := f.store.Disk.ReadRegular(path, maxIntent)
	if err != nil {
		return absent(err)
	}
	var pending intent
	if err := json.Unmarshal(record, &pending); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if pending.Version != 1 {
		return fmt.Errorf("read %s: version %d is not known", path, pending.Version)
	}
	if err := f.checkSet(pending.Files); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(pending.Files)) {
		if err := f.finish(name, pending.Files[name]); err != nil {
			return err
		}
	}
	return f.settle()
}

// settled finishes a pending set before anything in the folder changes: a file
// that has grown since would not be the one that the record tells of.
func (f Folder) settled() error {
	_, err := f.store.Disk.Lstat(filepath.Join(f.Path, intentName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look for a pending set in %s: %w", f.Path, err)
	}
	return f.Recover()
}

// finish makes one file of a pending set whole.
func (f Folder) finish(name string, data []byte) error {
	path := filepath.Join(f.Path, name)
	got, err := f.store.Disk.ReadRegular(path, maxSet)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.store.Disk.CreateExclusive(path, data)
	case err != nil:
		return err
	case bytes.Equal(got, data):
		return nil
	case isTorn(got, data):
		return f.store.Disk.Replace(path, data, true)
	}
	return fmt.Errorf("finish %s: its content is another: %w", path, fs.ErrExist)
}

// isTorn says whether got is what a kill or a power cut leaves of want: a part
// of it, or zeros in its place.
func isTorn(got, want []byte) bool {
	if len(got) > len(want) {
		return false
	}
	for i, b := range got {
		if b != want[i] && b != 0 {
			return false
		}
	}
	return true
}

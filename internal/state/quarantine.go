package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// maxRecord is the largest workflow file whose tail can be set aside.
const maxRecord = 64 << 20

// Quarantine moves the bytes of a file from offset from to its end into a file
// name.torn-<UTC time> beside it and cuts the file there; both are durable. It
// keeps before it cuts, and finds what an earlier run kept, so that after a kill
// at any step the same call finishes, and no byte is lost.
func (f Folder) Quarantine(name string, from int64) error {
	path, err := f.fileToChange(name)
	if err != nil {
		return err
	}
	data, err := f.store.Disk.ReadRegular(path, maxRecord)
	if err != nil {
		return err
	}
	size := int64(len(data))
	if from < 0 || from > size {
		return fmt.Errorf("quarantine %s: offset %d is not within its %d bytes", path, from, size)
	}
	if from == size {
		return nil
	}
	if err := f.keep(name+".torn-", data[from:]); err != nil {
		return err
	}
	return f.store.Disk.Truncate(path, from)
}

// keep writes torn bytes to a file of their own, unless one holds them already.
func (f Folder) keep(prefix string, torn []byte) error {
	entries, err := f.store.Disk.List(f.Path, maxEntries)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		path := filepath.Join(f.Path, entry.Name())
		if kept, err := f.store.Disk.ReadRegular(path, int64(len(torn))); err == nil && bytes.Equal(kept, torn) {
			// Its name may not be durable yet, and the cut must not come before it.
			return f.store.Disk.SyncDir(f.Path)
		}
	}
	const tries = 100
	for i := range tries {
		at := f.store.now().UTC().Add(time.Duration(i) * time.Second).Format(archiveLayout)
		path := filepath.Join(f.Path, prefix+at)
		if _, err := f.store.Disk.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return f.store.Disk.Replace(path, torn, true)
		} else if err != nil {
			return fmt.Errorf("look at %s: %w", path, err)
		}
	}
	return fmt.Errorf("quarantine in %s: %w", f.Path, errors.Join(ErrName, fs.ErrExist))
}

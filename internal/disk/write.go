package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// CreateExclusive makes a file that did not exist and makes it durable. An error
// leaves nothing behind; a kill can leave a part of it.
func (d Disk) CreateExclusive(path string, data []byte) error {
	return d.createExclusive(path, data, fileMode)
}

// CreatePublic is CreateExclusive for a file that people work on: its
// permissions are those that the process's umask leaves.
func (d Disk) CreatePublic(path string, data []byte) error {
	const everyone = 0o666
	return d.createExclusive(path, data, everyone)
}

func (d Disk) createExclusive(path string, data []byte, mode fs.FileMode) error {
	if err := d.create(path, data, mode); err != nil {
		return named("create", path, err)
	}
	if err := d.SyncDir(filepath.Dir(path)); err != nil {
		_ = d.Remove(path)
		return named("create", path, err)
	}
	return nil
}

// create makes, fills and syncs a new file, and removes it when that fails.
func (d Disk) create(path string, data []byte, mode fs.FileMode) (err error) {
	if err := d.ask(OpCreate, path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, mode)
	if err != nil {
		return cause(err)
	}
	defer func() {
		if closeErr := cause(f.Close()); err == nil {
			err = closeErr
		}
		if err != nil {
			_ = d.Remove(path)
		}
	}()
	if err := d.write(f, data); err != nil {
		return err
	}
	return d.sync(f)
}

// Append adds data to the end of an existing file of ours with one write and
// makes it durable. When that fails the file is cut back to its old length, so
// the caller must hold the lock that keeps other writers away.
func (d Disk) Append(path string, data []byte) (err error) {
	f, info, err := d.openOwn(path, os.O_WRONLY|os.O_APPEND, math.MaxInt64)
	if err != nil {
		return named("append to", path, err)
	}
	defer func() {
		if closeErr := cause(f.Close()); err == nil {
			err = named("append to", path, closeErr)
		}
	}()
	err = d.write(f, data)
	if err == nil {
		err = d.sync(f)
	}
	if err == nil {
		return nil
	}
	if back := d.cut(f, info.Size()); back != nil {
		err = errors.Join(err, fmt.Errorf("cut it back to %d bytes: %w", info.Size(), back))
	}
	return named("append to", path, err)
}

// Truncate cuts an existing file of ours to size and makes that durable. It
// never makes a file longer.
func (d Disk) Truncate(path string, size int64) error {
	f, info, err := d.openOwn(path, os.O_WRONLY, math.MaxInt64)
	if err != nil {
		return named("truncate", path, err)
	}
	defer f.Close()
	if size < 0 || size > info.Size() {
		return fmt.Errorf("truncate %s: size %d is not within its %d bytes", path, size, info.Size())
	}
	return named("truncate", path, d.cut(f, size))
}

func (d Disk) cut(f *os.File, size int64) error {
	if err := d.truncate(f, size); err != nil {
		return err
	}
	return d.sync(f)
}

// Package disk holds the file operations that state is built from. Each one
// looks before it touches: no link is followed, nothing but a regular file is
// opened for long, sizes are bounded, and what was half done is undone.
//
// Contract: only an error that is fs.ErrNotExist means that a file is absent;
// every other error means that nothing is known about it. Errors name the path
// once. New files are 0600, new directories 0700.
//
// It does not know what the files mean, it takes no lock by itself (Append,
// Truncate and Replace want the caller to hold one) and it defends against
// what lies on the disk, not against a hostile process of the same user that
// swaps a directory between two system calls.
package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// The operations that a hook given to Faulty is asked about.
const (
	OpOpen     = "open"
	OpCreate   = "create"
	OpWrite    = "write"
	OpSync     = "sync"
	OpRename   = "rename"
	OpMkdir    = "mkdir"
	OpRemove   = "remove"
	OpLock     = "lock"
	OpStat     = "stat"
	OpTruncate = "truncate"
	OpSyncDir  = "syncdir"
)

// What a path turned out to be. Each is wrapped together with the path.
var (
	ErrLink         = errors.New("is a link")
	ErrNotRegular   = errors.New("is not a regular file")
	ErrNotDirectory = errors.New("is not a directory")
	ErrTooLarge     = errors.New("is too large")
	ErrLocked       = errors.New("is locked by another process")
	ErrMoved        = errors.New("was replaced meanwhile")
)

// TempPrefix begins the name of every temporary file that Replace makes. A
// process that is killed can leave one behind; no reader takes it for state.
const TempPrefix = ".omc-hook-new-"

// fileMode is the mode of every file that is created here.
const fileMode = 0o600

// dirMode is the mode of every directory that is created here.
const dirMode = 0o700

// Disk is the file system as this module uses it. The zero value is the real one.
type Disk struct {
	hook func(op, path string) error
}

// Real returns the file system itself.
func Real() Disk { return Disk{} }

// Faulty returns d with hook asked before every operation, for tests: an error
// from hook takes the place of the operation. For OpWrite an error that is
// io.ErrShortWrite lets the first half of the bytes through. The hook may also
// wait, or change files, and return nil.
func Faulty(d Disk, hook func(op, path string) error) Disk {
	return Disk{hook: func(op, path string) error {
		if err := hook(op, path); err != nil {
			return err
		}
		return d.ask(op, path)
	}}
}

// ask is the seam: it stands in front of every system call that matters.
func (d Disk) ask(op, path string) error {
	if d.hook == nil {
		return nil
	}
	return d.hook(op, path)
}

// Lstat is os.Lstat behind the seam.
func (d Disk) Lstat(path string) (fs.FileInfo, error) {
	if err := d.ask(OpStat, path); err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	return info, cause(err)
}

// Stat is os.Stat behind the seam: it follows links.
func (d Disk) Stat(path string) (fs.FileInfo, error) {
	if err := d.ask(OpStat, path); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	return info, cause(err)
}

// Remove removes one file or empty directory, never what a link points at.
func (d Disk) Remove(path string) error {
	err := d.ask(OpRemove, path)
	if err == nil {
		err = cause(os.Remove(path))
	}
	return named("remove", path, err)
}

func (d Disk) fstat(f *os.File) (fs.FileInfo, error) {
	if err := d.ask(OpStat, f.Name()); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	return info, cause(err)
}

func (d Disk) write(f *os.File, data []byte) error {
	if err := d.ask(OpWrite, f.Name()); err != nil {
		if errors.Is(err, io.ErrShortWrite) {
			_, _ = f.Write(data[:len(data)/2])
		}
		return err
	}
	_, err := f.Write(data)
	return cause(err)
}

func (d Disk) sync(f *os.File) error {
	if err := d.ask(OpSync, f.Name()); err != nil {
		return err
	}
	return cause(f.Sync())
}

func (d Disk) truncate(f *os.File, size int64) error {
	if err := d.ask(OpTruncate, f.Name()); err != nil {
		return err
	}
	return cause(f.Truncate(size))
}

// SyncDir makes the names in a directory durable. A file system that cannot do
// that (many network ones) is no error: nothing better can be had there.
func (d Disk) SyncDir(path string) error {
	err := d.ask(OpSyncDir, path)
	if err == nil {
		err = cause(syncDir(path))
	}
	return named("sync directory", path, err)
}

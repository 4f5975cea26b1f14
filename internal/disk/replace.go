package disk

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/natefinch/atomic"
)

// Replace gives path the content data in one step: a reader sees the old or the
// new content, whole. The file is synced; syncDir makes the new name durable
// too. An error before the rename leaves the old content; an error of the last
// directory sync comes after it.
func (d Disk) Replace(path string, data []byte, syncDir bool) error {
	return d.ReplaceIf(path, data, syncDir, func() error { return nil })
}

// ReplaceIf is Replace that asks look in the last moment before the rename; an
// error from it stops the replacement and is returned.
func (d Disk) ReplaceIf(path string, data []byte, syncDir bool, look func() error) error {
	return d.replaceAs(path, data, syncDir, fileMode, look)
}

// ReplaceAs is ReplaceIf for a file that people work on: the new one has the
// permissions of mode, and its name is made durable.
func (d Disk) ReplaceAs(path string, data []byte, mode fs.FileMode, look func() error) error {
	return d.replaceAs(path, data, true, mode.Perm(), look)
}

func (d Disk) replaceAs(path string, data []byte, syncDir bool, mode fs.FileMode, look func() error) error {
	dir := filepath.Dir(path)
	before, err := d.Stat(dir)
	if err != nil {
		return named("replace", path, err)
	}
	temp := filepath.Join(dir, TempPrefix+strconv.FormatUint(rand.Uint64(), 36))
	if err := d.create(temp, data, fileMode); err != nil {
		return named("replace", path, err)
	}
	if mode != fileMode {
		err = cause(os.Chmod(temp, mode))
	}
	if err == nil {
		err = d.replaceable(path, before)
	}
	if err == nil {
		err = look()
	}
	if err == nil {
		err = d.rename(temp, path)
	}
	if err != nil {
		_ = d.Remove(temp)
		return named("replace", path, err)
	}
	if syncDir {
		return d.SyncDir(dir)
	}
	return nil
}

// replaceable looks once more, since atomic.ReplaceFile replaces anything: the
// directory must be the one the temporary file was made in, and path absent or
// a file of ours.
func (d Disk) replaceable(path string, before fs.FileInfo) error {
	after, err := d.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if !os.SameFile(before, after) {
		return ErrMoved
	}
	info, err := d.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return own(info)
}

func (d Disk) rename(from, to string) error {
	if err := d.ask(OpRename, to); err != nil {
		return err
	}
	return cause(persist(func() error { return atomic.ReplaceFile(from, to) }))
}

// Move gives one of our files a name in another directory of the same file
// system and makes both directories durable. A name that is taken is
// fs.ErrExist. The rename is the only step that shows, so a kill leaves the file
// under one name or the other.
func (d Disk) Move(from, to string) error {
	info, err := d.Lstat(from)
	if err == nil {
		err = own(info)
	}
	if err != nil {
		return named("move", from, err)
	}
	if _, err := d.Lstat(to); err == nil {
		return named("move to", to, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return named("move to", to, err)
	}
	if err := d.rename(from, to); err != nil {
		return named("move", from, err)
	}
	if err := d.SyncDir(filepath.Dir(to)); err != nil {
		return err
	}
	return d.SyncDir(filepath.Dir(from))
}

package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MkdirBase makes the directory path and what is missing above it, 0700, and
// follows links: it is for a directory that the person has named.
func (d Disk) MkdirBase(path string) error {
	info, err := d.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		err = ErrNotDirectory
	case errors.Is(err, fs.ErrNotExist):
		if err = d.ask(OpMkdir, path); err == nil {
			err = cause(os.MkdirAll(path, dirMode))
		}
	}
	return named("make directory", path, err)
}

// MkdirPrivate makes the directory path and what is missing between base and it,
// 0700. An existing directory is success, and so is one that another process
// makes at the same time; a file in the way is an error that names it. base must
// exist and is trusted: links are followed down to it, and none below it.
func (d Disk) MkdirPrivate(base, path string) error {
	rel, err := filepath.Rel(base, path)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return fmt.Errorf("make directory %s: it is not below %s", path, base)
	}
	dir := base
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		dir = filepath.Join(dir, part)
		if err := d.mkdirOne(dir); err != nil {
			return err
		}
	}
	return nil
}

// mkdirOne looks before it makes, so that an existing directory is a success on
// a read-only file system too.
func (d Disk) mkdirOne(path string) error {
	err := d.CheckDirectory(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.ask(OpMkdir, path); err != nil {
		return named("make directory", path, err)
	}
	err = os.Mkdir(path, dirMode)
	if errors.Is(err, fs.ErrExist) {
		return d.CheckDirectory(path)
	}
	if err != nil {
		return named("make directory", path, cause(err))
	}
	return d.SyncDir(filepath.Dir(path))
}

// CheckDirectory says whether path itself is a directory and no link to one.
func (d Disk) CheckDirectory(path string) error {
	info, err := d.Lstat(path)
	switch {
	case err != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		err = ErrLink
	case !info.IsDir():
		err = ErrNotDirectory
	}
	return named("look at", path, err)
}

// List returns at most limit entries of a directory, sorted by name. With more
// than that many it is undefined which are left out.
func (d Disk) List(path string, limit int) ([]fs.DirEntry, error) {
	if err := d.CheckDirectory(path); err != nil {
		return nil, err
	}
	if err := d.ask(OpOpen, path); err != nil {
		return nil, named("list", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, named("list", path, cause(err))
	}
	defer f.Close()
	entries, err := f.ReadDir(max(limit, 1))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, named("list", path, cause(err))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

package state

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Folder is a workflow's own directory in the repository, such as ROOT/.goal-loop.
// Its methods want the caller to hold its Lock, except Create, Lock and Read; those
// that change a file first finish a pending set.
// Each looks again at the way from the root to it: no link, directories only.
type Folder struct {
	Path  string
	root  string
	store Store
}

// OpenFolder validates the directory dir of a workflow, absolute or relative to
// root, and makes nothing. It must lie inside root, not be root, reach through
// no link, and be neither in a .git directory nor in the state root.
func (s Store) OpenFolder(root, dir string) (Folder, error) {
	real, err := s.canonicalDirectory(root)
	if err != nil {
		return Folder{}, fmt.Errorf("open folder %q: %w: %w", dir, ErrNoRoot, err)
	}
	rel, err := relativeTo(real, dir)
	if err != nil {
		return Folder{}, fmt.Errorf("open folder %q: %w", dir, err)
	}
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if isGitName(part) {
			return Folder{}, fmt.Errorf("open folder %q: %w: it lies in a .git directory", dir, ErrFolder)
		}
	}
	f := Folder{Path: filepath.Join(real, rel), root: real, store: s}
	if err := f.outsideStateRoot(); err != nil {
		return Folder{}, err
	}
	if err := absent(f.check()); err != nil {
		return Folder{}, err
	}
	return f, nil
}

// relativeTo is dir as seen from root. An absolute dir may be written through a
// link above the root, so what exists of it is resolved where the plain
// comparison fails.
func relativeTo(root, dir string) (string, error) {
	if dir == "" || hasControl(dir) {
		return "", ErrFolder
	}
	rel := filepath.Clean(dir)
	if filepath.IsAbs(dir) {
		rel = relativeAbs(root, rel)
	}
	switch {
	case rel == ".":
		return "", fmt.Errorf("%w: it is the root itself", ErrFolder)
	case !filepath.IsLocal(rel):
		return "", fmt.Errorf("%w: %w %s", ErrFolder, ErrOutside, root)
	}
	return rel, nil
}

// relativeAbs is "" for what has no relative path.
func relativeAbs(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err == nil && filepath.IsLocal(rel) {
		return rel
	}
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			rel, _ := filepath.Rel(root, filepath.Join(real, rest))
			return rel
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// isGitName tells a git directory under any spelling that a file system without
// case, or Windows with its short names and dropped endings, takes for it.
func isGitName(part string) bool {
	part = strings.TrimRight(part, ". ")
	return strings.EqualFold(part, ".git") || strings.EqualFold(part, "git~1")
}

func (f Folder) outsideStateRoot() error {
	stateRoot, err := f.store.stateRoot(f.root)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(stateRoot)
	if err != nil {
		real = stateRoot
	}
	for dir := f.Path; dir != f.root; dir = filepath.Dir(dir) {
		if strings.EqualFold(dir, stateRoot) || strings.EqualFold(dir, real) {
			return fmt.Errorf("open folder %s: %w: it lies in the state root", f.Path, ErrFolder)
		}
	}
	return nil
}

// check looks at every directory from the root down; fs.ErrNotExist means that
// the folder is not there.
func (f Folder) check() error {
	rel, err := filepath.Rel(f.root, f.Path)
	if err != nil {
		return fmt.Errorf("open folder %s: %w: %w", f.Path, ErrFolder, err)
	}
	dir := f.root
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		dir = filepath.Join(dir, part)
		if err := f.store.Disk.CheckDirectory(dir); err != nil {
			return err
		}
	}
	return nil
}

// file is the path of a file in the folder, after a look at the way to it.
func (f Folder) file(name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", fmt.Errorf("open in %s: %w", f.Path, err)
	}
	return filepath.Join(f.Path, name), f.check()
}

// fileToChange is file for one that is about to be changed.
func (f Folder) fileToChange(name string) (string, error) {
	path, err := f.file(name)
	if err != nil {
		return "", err
	}
	return path, f.settled()
}

// Create makes the folder and what is missing above it, 0700, and has git ignore
// it when it was made here.
func (f Folder) Create() error {
	if err := f.CreateShared(); err != nil {
		return err
	}
	return f.store.ignoreIfEmpty(f.Path)
}

// CreateShared is Create for a folder in which people keep files of their own
// under version control: it writes no .gitignore.
func (f Folder) CreateShared() error {
	return f.store.Disk.MkdirPrivate(f.root, f.Path)
}

// Lock takes the folder's lock; see disk.Disk.Lock.
func (f Folder) Lock(until time.Time) (unlock func() error, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return f.store.Disk.Lock(filepath.Join(f.Path, lockName), until, lockPoll)
}

// Read reads one file of at most limit bytes. Only fs.ErrNotExist means absent.
func (f Folder) Read(name string, limit int64) ([]byte, error) {
	path, err := f.file(name)
	if err != nil {
		return nil, err
	}
	return f.store.Disk.ReadRegular(path, limit)
}

// Append adds data to an existing file and makes it durable; an error leaves the
// old content, a kill can leave a part of data (see Quarantine).
func (f Folder) Append(name string, data []byte) error {
	path, err := f.fileToChange(name)
	if err != nil {
		return err
	}
	return f.store.Disk.Append(path, data)
}

// Replace gives a file new content in one durable step.
func (f Folder) Replace(name string, data []byte) error {
	path, err := f.fileToChange(name)
	if err != nil {
		return err
	}
	return f.store.Disk.Replace(path, data, true)
}

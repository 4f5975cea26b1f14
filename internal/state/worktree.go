package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"omc-hook/internal/disk"
)

// maxOwned bounds a file that is looked at, maxPathBytes the name of one.
const (
	maxOwned     = 1 << 30
	maxPathBytes = 4 << 10
)

// Tree is the work tree in which a loop changes files of a repository. Paths in
// it are relative to its root, with slashes, as Rel returns them. Every method
// looks again at the way from the root: no link, and no repository of its own.
type Tree struct {
	root   string
	closed []string
	store  Store
}

// OpenTree is the work tree at root, which is canonical, without the
// directories closed and without the state root.
func (s Store) OpenTree(root string, closed ...string) Tree {
	t := Tree{root: root, store: s}
	if stateRoot, err := s.stateRoot(root); err == nil {
		closed = append(closed, stateRoot)
	}
	for _, dir := range closed {
		t.closed = append(t.closed, dir)
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			t.closed = append(t.closed, real)
		}
	}
	return t
}

// Rel checks the form of a path, absolute or relative to cwd, and returns it
// relative to the root. It does not look at what stands there.
func (t Tree) Rel(cwd, path string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", fmt.Errorf("%q %w: %s", path, ErrTree, why)
	}
	switch {
	case path == "" || len(path) > maxPathBytes:
		return refuse("its name is empty or too long")
	case !utf8.ValidString(path) || strings.ContainsRune(path, 0):
		return refuse("its name is not UTF-8, and records hold UTF-8 alone")
	}
	full := filepath.Clean(path)
	if !filepath.IsAbs(full) {
		real, err := filepath.EvalSymlinks(cwd)
		if err != nil {
			return "", fmt.Errorf("resolve the working directory: %w", err)
		}
		full = filepath.Join(real, full)
	}
	rel := relativeAbs(t.root, full)
	if rel == "." || !filepath.IsLocal(rel) {
		return refuse("it lies outside " + t.root)
	}
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if isGitName(part) {
			return refuse("it lies in a .git directory")
		}
	}
	for _, dir := range t.closed {
		if inside(dir, filepath.Join(t.root, rel)) {
			return refuse("omc-hook keeps its own state there")
		}
	}
	return filepath.ToSlash(rel), nil
}

// Holds reports whether a path belongs to the directories that are closed.
func (t Tree) Holds(rel string) bool {
	for _, dir := range t.closed {
		if inside(dir, t.path(rel)) {
			return true
		}
	}
	return false
}

// Same reports whether two paths name one file, as two spellings do where the
// file system makes no difference between cases.
func (t Tree) Same(a, b string) bool {
	first, err := t.store.Disk.Lstat(t.path(a))
	if err != nil {
		return false
	}
	second, err := t.store.Disk.Lstat(t.path(b))
	return err == nil && os.SameFile(first, second)
}

// Look returns what stands at a path; a zero Content is nothing. What is neither
// nothing nor a regular file with one name is an error.
func (t Tree) Look(rel string) (disk.Content, error) {
	if _, err := t.parent(rel); err != nil {
		return disk.Content{}, absent(err)
	}
	c, err := t.store.Disk.Digest(t.path(rel), maxOwned)
	return c, absent(err)
}

// Put gives a path new content in one step, if it still holds what expect says:
// the digest of its content, or "" for nothing. It keeps the permissions. Other
// content is ErrExpected, and the way to it that was changed disk.ErrMoved;
// nothing is written then. The directory must exist.
func (t Tree) Put(rel string, data []byte, expect string) (disk.Content, error) {
	parent, err := t.parent(rel)
	if err != nil {
		return disk.Content{}, err
	}
	before, err := t.Look(rel)
	if err == nil && before.SHA256 != expect {
		err = fmt.Errorf("put %s: %w", t.path(rel), ErrExpected)
	}
	if err != nil {
		return before, err
	}
	if err := t.store.sweepStrays(filepath.Dir(t.path(rel))); err != nil {
		return before, err
	}
	if expect == "" {
		err = t.create(rel, data, parent)
	} else {
		err = t.store.Disk.ReplaceAs(t.path(rel), data, before.Mode, func() error { return t.still(rel, parent, before) })
	}
	if err != nil {
		return before, err
	}
	return t.Look(rel)
}

// create makes a file where nothing stood, and takes it away again where its
// directory turns out to be another one.
func (t Tree) create(rel string, data []byte, parent fs.FileInfo) error {
	if err := t.store.Disk.CreatePublic(t.path(rel), data); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w: %w", ErrExpected, err)
		}
		return err
	}
	if err := t.sameParent(rel, parent); err != nil {
		return errors.Join(err, t.store.Disk.Remove(t.path(rel)))
	}
	return nil
}

// still looks in the last moment before a file is replaced.
func (t Tree) still(rel string, parent fs.FileInfo, before disk.Content) error {
	if err := t.sameParent(rel, parent); err != nil {
		return err
	}
	now, err := t.Look(rel)
	if err == nil && (now.SHA256 != before.SHA256 || now.Identity != before.Identity) {
		err = ErrExpected
	}
	return err
}

func (t Tree) sameParent(rel string, before fs.FileInfo) error {
	now, err := t.parent(rel)
	if err == nil && !os.SameFile(before, now) {
		err = disk.ErrMoved
	}
	return err
}

func (t Tree) path(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

// parent looks at every directory from the root to that of a path.
func (t Tree) parent(rel string) (fs.FileInfo, error) {
	dir := t.root
	parts := strings.Split(rel, "/")
	for _, part := range parts[:len(parts)-1] {
		dir = filepath.Join(dir, part)
		if err := t.store.Disk.CheckDirectory(dir); err != nil {
			return nil, err
		}
		if _, err := t.store.Disk.Lstat(filepath.Join(dir, ".git")); err == nil {
			return nil, fmt.Errorf("%q %w: it lies in another repository, %s", rel, ErrTree, dir)
		}
	}
	return t.store.Disk.Lstat(dir)
}

package state

import (
	"fmt"
	"path/filepath"
	"strings"
)

// OpenFolderOutside is OpenFolder for a directory that the person named word
// for word though it lies outside the work tree at root. dir is absolute. Its
// parent must exist and is the base: links are followed down to it, and none
// below it. The caller answers for the person's word.
func (s Store) OpenFolderOutside(root, dir string) (Folder, error) {
	refuse := func(why string) (Folder, error) {
		return Folder{}, fmt.Errorf("open folder %q: %w: %s", dir, ErrFolder, why)
	}
	if !filepath.IsAbs(dir) || hasControl(dir) {
		return refuse("it is not an absolute path")
	}
	parent, err := s.canonicalDirectory(filepath.Dir(filepath.Clean(dir)))
	if err != nil {
		return refuse("the directory that it is to lie in does not exist")
	}
	f := Folder{Path: filepath.Join(parent, filepath.Base(filepath.Clean(dir))), root: parent, store: s}
	for part := range strings.SplitSeq(f.Path, string(filepath.Separator)) {
		if isGitName(part) {
			return refuse("it lies in a .git directory")
		}
	}
	switch {
	case f.Path == parent || f.Path == s.home():
		return refuse("it is the top of the file system or the home directory")
	case inside(root, f.Path):
		return refuse("it lies inside " + root)
	case inside(f.Path, root):
		return refuse("the work tree lies in it")
	case s.isPrivate(root, f.Path):
		return refuse("omc-hook keeps its own state there")
	}
	if err := absent(f.check()); err != nil {
		return Folder{}, err
	}
	return f, nil
}

// isPrivate reports whether path lies in a place in which omc-hook keeps state
// of its own, or holds one.
func (s Store) isPrivate(root, path string) bool {
	own := []string{s.Place.PersonDir, s.Place.StateDir}
	if stateRoot, err := s.stateRoot(root); err == nil {
		own = append(own, stateRoot)
	}
	for _, dir := range own {
		if dir == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if inside(dir, path) || inside(path, dir) {
			return true
		}
	}
	return false
}

// inside reports whether path is dir or lies below it, under any spelling that a
// file system without case takes for it.
func inside(dir, path string) bool {
	dir, path = strings.ToLower(filepath.Clean(dir)), strings.ToLower(filepath.Clean(path))
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

package gitrun

// DirtyUpTo is what a preflight that lists at most most paths finds dirty.
func DirtyUpTo(dir string, most int) ([]string, int, error) {
	var f Facts
	err := f.readStatus(dir, most)
	return f.Dirty, f.DirtyMore, err
}

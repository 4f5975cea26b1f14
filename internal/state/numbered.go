package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// AddNumbered creates a file named by the next number and the ending ext, removes
// all but the newest keep of such files, and returns the name. The caller holds
// a lock that keeps other writers of the folder away.
func (f Folder) AddNumbered(ext string, data []byte, keep int) (string, error) {
	if err := f.check(); err != nil {
		return "", err
	}
	numbers, err := f.numbered(ext)
	if err != nil {
		return "", err
	}
	next := 1
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	name := strconv.Itoa(next) + ext
	path, err := f.file(name)
	if err != nil {
		return "", err
	}
	if err := f.store.Disk.CreateExclusive(path, data); err != nil {
		return "", err
	}
	var errs []error
	for _, n := range numbers[:max(0, len(numbers)+1-keep)] {
		errs = append(errs, absent(f.store.Disk.Remove(filepath.Join(f.Path, strconv.Itoa(n)+ext))))
	}
	return name, errors.Join(errs...)
}

// numbered lists the numbers in the names of the regular files with the ending
// ext, in order.
func (f Folder) numbered(ext string) ([]int, error) {
	entries, err := f.store.Disk.List(f.Path, maxEntries)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", f.Path, err)
	}
	var numbers []int
	for _, entry := range entries {
		digits, ours := strings.CutSuffix(entry.Name(), ext)
		n, err := strconv.Atoi(digits)
		if ours && err == nil && n > 0 && digits == strconv.Itoa(n) && entry.Type().IsRegular() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

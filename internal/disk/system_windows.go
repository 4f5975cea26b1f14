package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Windows has neither flag: lookFirst stands in for noFollow, and there is no
// FIFO in its file systems.
const (
	noFollow = 0
	nonBlock = 0
)

// lookFirst refuses links and junctions, which open would follow.
func lookFirst(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
		return ErrLink
	}
	return nil
}

// linkCount is not in the FileInfo of Windows; asking would cost another open.
func linkCount(fs.FileInfo) uint64 { return 1 }

// identity is not in the FileInfo of Windows either; "" is compared with nothing.
func identity(fs.FileInfo) string { return "" }

// syncDir has nothing to do: MoveFileEx is called with write-through.
func syncDir(string) error { return nil }

// The errors of a rename that meets a reader or a virus scanner.
const (
	errAccessDenied     = syscall.Errno(5)
	errSharingViolation = syscall.Errno(32)
)

// persist runs a rename again for a moment while another process has the file
// open: a reader is done within microseconds, a scanner within milliseconds.
func persist(rename func() error) error {
	const tries, pause = 20, 5 * time.Millisecond
	for range tries - 1 {
		err := rename()
		if !errors.Is(err, errAccessDenied) && !errors.Is(err, errSharingViolation) {
			return err
		}
		time.Sleep(pause)
	}
	return rename()
}

//go:build !windows

package disk

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// noFollow refuses a link as the last component of a path.
const noFollow = syscall.O_NOFOLLOW

// nonBlock keeps the open of a FIFO from waiting for its other end.
const nonBlock = syscall.O_NONBLOCK

// lookFirst has nothing to do where open itself can refuse a link.
func lookFirst(string) error { return nil }

func linkCount(info fs.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink)
}

// identity tells a file from another one that takes its name. The device is left
// out: its number can change with each mount.
func identity(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(stat.Ino, 10)
}

func syncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// persist runs a rename. Here an open reader does not stand in its way.
func persist(rename func() error) error { return rename() }

package disk

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
)

// AppendLine adds one line to a log, which it makes where it is missing. A log
// that would grow over limit bytes first becomes path+".1" in place of the one
// before. It is not synced: a log must not cost what state costs. Line breaks
// within the line become spaces. Two processes that turn the log over in the
// same moment can lose the older half; they never mix two lines.
func (d Disk) AppendLine(path string, line []byte, limit int64) error {
	return named("append to", path, d.appendLine(path, line, limit))
}

func (d Disk) appendLine(path string, line []byte, limit int64) error {
	if int64(len(line))+1 > limit {
		return ErrTooLarge
	}
	f, info, err := d.openLog(path)
	if err != nil {
		return err
	}
	if info.Size()+int64(len(line))+1 > limit {
		_ = f.Close()
		if err := d.turnOver(path, info); err != nil {
			return err
		}
		if f, _, err = d.openLog(path); err != nil {
			return err
		}
	}
	if err := d.write(f, oneLine(line)); err != nil {
		_ = f.Close()
		return err
	}
	return cause(f.Close())
}

func oneLine(line []byte) []byte {
	out := append(slices.Clone(line), '\n')
	for i := range line {
		if out[i] == '\n' || out[i] == '\r' {
			out[i] = ' '
		}
	}
	return out
}

func (d Disk) openLog(path string) (*os.File, fs.FileInfo, error) {
	return d.openOwn(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, math.MaxInt64)
}

// turnOver renames the log that was seen, and leaves alone a new one that
// another process has begun meanwhile.
func (d Disk) turnOver(path string, seen fs.FileInfo) error {
	now, err := d.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !os.SameFile(seen, now) {
		return nil
	}
	return d.rename(path, path+".1")
}

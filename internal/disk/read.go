package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadRegular reads a regular file of at most limit bytes that is neither a link
// nor has a second name. It never waits, whatever stands at path.
func (d Disk) ReadRegular(path string, limit int64) ([]byte, error) {
	f, info, err := d.openOwn(path, os.O_RDONLY, limit)
	if err != nil {
		return nil, named("read", path, err)
	}
	defer f.Close()
	var buf bytes.Buffer
	buf.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, named("read", path, cause(err))
	}
	if int64(buf.Len()) > limit {
		return nil, named("read", path, ErrTooLarge)
	}
	return buf.Bytes(), nil
}

// ReadTail reads the last limit bytes of a regular file and returns them with the
// size of the whole. Links are followed: the file is the client's, not ours.
func (d Disk) ReadTail(path string, limit int64) (tail []byte, size int64, err error) {
	f, info, err := d.openAny(path)
	if err != nil {
		return nil, 0, named("read", path, err)
	}
	defer f.Close()
	size = info.Size()
	length := min(size, max(limit, 0))
	tail, err = io.ReadAll(io.NewSectionReader(f, size-length, length))
	if err != nil {
		return nil, 0, named("read", path, cause(err))
	}
	return tail, size, nil
}

// openAny opens a regular file for reading through links and without waiting.
func (d Disk) openAny(path string) (*os.File, fs.FileInfo, error) {
	if err := d.ask(OpOpen, path); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, nil, cause(err)
	}
	info, err := d.fstat(f)
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// openOwn opens one of our files: regular, one name, no link, at most limit
// bytes. O_NONBLOCK keeps a FIFO from holding the open itself.
func (d Disk) openOwn(path string, flag int, limit int64) (*os.File, fs.FileInfo, error) {
	if err := d.ask(OpOpen, path); err != nil {
		return nil, nil, err
	}
	if err := lookFirst(path); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, flag|noFollow|nonBlock, fileMode)
	if err != nil {
		return nil, nil, explain(path, err)
	}
	info, err := d.fstat(f)
	if err == nil {
		err = own(info)
	}
	if err == nil && info.Size() > limit {
		err = ErrTooLarge
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// own says whether info is that of a regular file with one name. No name at all
// is right too: a writer replaced the file after it was opened.
func own(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return ErrLink
	case !info.Mode().IsRegular():
		return ErrNotRegular
	case linkCount(info) > 1:
		return fmt.Errorf("%w (it has a second name)", ErrLink)
	}
	return nil
}

// explain turns the errno of a refused open into what stands at the path: the
// errno of a link or a socket differs between systems.
func explain(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return cause(err)
	}
	if info, statErr := os.Lstat(path); statErr == nil {
		if what := own(info); what != nil {
			return what
		}
	}
	return cause(err)
}

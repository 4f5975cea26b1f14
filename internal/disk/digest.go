package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
)

// Content says what a regular file holds and which file it is.
type Content struct {
	SHA256 string
	Size   int64
	Mode   fs.FileMode
	// Identity tells the file from another one of the same name and content, ""
	// where the system does not say.
	Identity string
}

// Digest reads a regular file of at most limit bytes that is neither a link nor
// has a second name, without keeping it in memory.
func (d Disk) Digest(path string, limit int64) (Content, error) {
	f, info, err := d.openOwn(path, os.O_RDONLY, limit)
	if err != nil {
		return Content{}, named("read", path, err)
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, io.LimitReader(f, limit+1))
	if err == nil && size > limit {
		err = ErrTooLarge
	}
	if err != nil {
		return Content{}, named("read", path, cause(err))
	}
	return Content{SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size, Mode: info.Mode(), Identity: identity(info)}, nil
}

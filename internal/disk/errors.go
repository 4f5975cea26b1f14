package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// cause strips what os adds to an error, since callers here name the path
// themselves and a path twice in one line helps nobody.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// named gives an error its verb and path.
func named(verb, path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", verb, path, err)
}

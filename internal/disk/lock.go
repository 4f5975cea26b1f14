package disk

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Lock takes the advisory lock on the file path, which it makes where it is
// missing and which nobody may ever remove: two processes could then hold two
// files of one name. It tries until the given time, at least once, and never
// blocks in the system. ErrLocked means that another holder kept it; an error
// of the system (a file system without locks, say) comes at once. The kernel
// drops the lock with its process, so there is no stale lock.
func (d Disk) Lock(path string, until time.Time, poll time.Duration) (unlock func() error, err error) {
	for {
		unlock, err := d.tryLock(path)
		if unlock != nil {
			return unlock, nil
		}
		if err != nil {
			return nil, named("lock", path, err)
		}
		left := time.Until(until)
		if left <= 0 {
			return nil, named("lock", path, ErrLocked)
		}
		time.Sleep(min(max(poll, time.Millisecond), left))
	}
}

// tryLock returns a nil unlock and no error when it is worth another try.
func (d Disk) tryLock(path string) (unlock func() error, err error) {
	if err := d.ask(OpLock, path); err != nil {
		return nil, retryable(err)
	}
	if err := lookFirst(path); err != nil {
		return nil, err
	}
	flag := os.O_RDONLY | os.O_CREATE | noFollow | nonBlock
	lock := flock.New(path, flock.SetFlag(flag), flock.SetPermissions(fileMode))
	got, err := lock.TryLock()
	if err != nil {
		return nil, retryable(explain(path, err))
	}
	if !got {
		return nil, nil
	}
	same, err := d.lockedInPlace(path, lock)
	if err != nil || !same {
		_ = lock.Unlock()
		return nil, err
	}
	return lock.Unlock, nil
}

// lockedInPlace compares the locked handle with what the path names now: a file
// that was swapped in between excludes nobody.
func (d Disk) lockedInPlace(path string, lock *flock.Flock) (bool, error) {
	held, err := lock.Stat()
	if err != nil {
		return false, cause(err)
	}
	now, err := d.Lstat(path)
	if err != nil {
		return false, err
	}
	if err := own(now); err != nil {
		return false, err
	}
	return os.SameFile(held, now), nil
}

// retryable drops the one error that says nothing about the lock.
func retryable(err error) error {
	if errors.Is(err, syscall.EINTR) {
		return nil
	}
	return err
}

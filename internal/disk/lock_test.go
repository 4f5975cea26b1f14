package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func lock(t *testing.T, d Disk, path string) func() error {
	t.Helper()
	unlock, err := d.Lock(path, time.Now().Add(time.Minute), time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}

func TestLockExcludesUntilUnlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock := lock(t, Real(), path)
	if _, err := Real().Lock(path, time.Time{}, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("while held: %v, want %v", err, ErrLocked)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := lock(t, Real(), path)(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "" {
		t.Errorf("lock file holds %q, want it to stay and be empty", got)
	}
}

func TestLockWaitsForAHolderThatLetsGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock := lock(t, Real(), path)
	tries := 0
	d := Faulty(Real(), func(op, _ string) error {
		if op == OpLock {
			if tries++; tries == 3 {
				return unlock()
			}
		}
		return nil
	})
	if err := lock(t, d, path)(); err != nil {
		t.Fatal(err)
	}
	if tries != 3 {
		t.Errorf("took %d tries, want 3", tries)
	}
}

func TestLockReturnsWhatTheSystemRefusesAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for _, errno := range []syscall.Errno{syscall.ENOLCK, syscall.ENOTSUP, syscall.EBADF, syscall.EIO, syscall.EROFS, syscall.EACCES} {
		tries := 0
		d := Faulty(Real(), func(op, _ string) error {
			if op == OpLock {
				tries++
				return errno
			}
			return nil
		})
		_, err := d.Lock(path, time.Now().Add(time.Hour), time.Hour)
		if !errors.Is(err, errno) || errors.Is(err, ErrLocked) || tries != 1 {
			t.Errorf("%v: error %v after %d tries", errno, err, tries)
		}
	}
}

func TestLockTriesAgainAfterAnInterruptedCall(t *testing.T) {
	tries := 0
	d := Faulty(Real(), func(op, _ string) error {
		if op == OpLock {
			if tries++; tries < 3 {
				return syscall.EINTR
			}
		}
		return nil
	})
	if err := lock(t, d, filepath.Join(t.TempDir(), "lock"))(); err != nil {
		t.Fatal(err)
	}
}

func TestLockOfAFileThatWasSwappedIsTakenAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	swapped := false
	d := Faulty(Real(), func(op, _ string) error {
		if op == OpStat && !swapped {
			swapped = true
			return os.Rename(write(t, path+"-other", ""), path)
		}
		return nil
	})
	unlock := lock(t, d, path)
	if _, err := Real().Lock(path, time.Time{}, 0); !errors.Is(err, ErrLocked) {
		t.Errorf("the file that the path names now is free: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestLockNeverMakesADirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "lock")
	if _, err := Real().Lock(path, time.Time{}, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
}

func TestLockDoesNotStayHeldAfterAnyFailure(t *testing.T) {
	eachFault(t, func(t *testing.T, d Disk, f *fault) {
		path := filepath.Join(t.TempDir(), "lock")
		unlock, err := d.Lock(path, time.Time{}, 0)
		if err == nil {
			if err := unlock(); err != nil {
				t.Fatal(err)
			}
		}
		if err := lock(t, Real(), path)(); err != nil {
			t.Errorf("%s fails with %v: %v", f.op, f.err, err)
		}
	})
}

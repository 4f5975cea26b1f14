package endurance

import (
	"io"
	"syscall"
	"testing"

	"omc-hook/internal/disk"
)

// fault makes the n-th operation on the disk fail, and with dead every later one
// as well, as on a disk that is full or has gone, or after a kill.
type fault struct {
	name string
	err  error
	dead bool
	n    int

	seen     int
	op, path string
	ops      []string
}

func (f *fault) hook(op, path string) error {
	f.seen++
	f.ops = append(f.ops, op)
	if f.seen == f.n {
		f.op, f.path = op, path
	}
	if f.seen == f.n || f.dead && f.seen > f.n {
		return f.err
	}
	return nil
}

// faultsAt are the failures of the n-th operation, which is op: once and from
// there on, another kind of failure at each n, and a short write at each write.
func faultsAt(n int, op string) []fault {
	kinds := []fault{
		{name: "no space", err: syscall.ENOSPC},
		{name: "input or output error", err: syscall.EIO},
		{name: "no permission", err: syscall.EACCES},
		{name: "read-only", err: syscall.EROFS},
	}
	some := []fault{kinds[n%len(kinds)]}
	if op == disk.OpWrite {
		some = append(some, fault{name: "short write", err: io.ErrShortWrite})
	}
	var list []fault
	for _, f := range some {
		once, dead := f, f
		once.n, dead.n, dead.dead = n, n, true
		list = append(list, once, dead)
	}
	return list
}

func TestEveryFailingDiskOperationEndsInADocumentedOutcome(t *testing.T) {
	// Without git a start asks it nothing, and is as quick as the rest.
	t.Setenv("PATH", "")
	for _, v := range verbs() {
		t.Run(v.name, func(t *testing.T) {
			s := newScene(newWorldInMemory(t), v)
			for i, op := range s.operations {
				for _, f := range faultsAt(i+1, op) {
					s.restore(s.files)
					s.judge(s.on(disk.Faulty(disk.Real(), f.hook), s.now, s.ask(s.world)))
					if t.Failed() {
						t.Fatalf("%s at operation %d of %d (%s %s), from there on: %v", f.name, f.n, len(s.operations), f.op, f.path, f.dead)
					}
				}
			}
			t.Logf("%d operations", len(s.operations))
		})
	}
}

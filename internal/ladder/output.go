package ladder

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync"

	"omc-hook/internal/testcount"
)

// output takes what a command prints: it digests and counts all of it, and
// keeps the beginning and the end.
type output struct {
	mu      sync.Mutex
	stopped bool
	sum     hash.Hash
	counter testcount.Counter
	bytes   int64
	head    []byte
	// tail is a ring: the oldest byte stands at next once it is full.
	tail []byte
	next int
	most struct{ head, tail int }
}

func newOutput(head, tail int) *output {
	o := &output{sum: sha256.New()}
	o.most.head, o.most.tail = head, tail
	return o
}

// copy reads until the end, or until stop was called.
func (o *output) copy(r io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if !o.write(buf[:n]) || err != nil {
			return
		}
	}
}

func (o *output) write(p []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		return false
	}
	_, _ = o.sum.Write(p)
	_, _ = o.counter.Write(p)
	o.bytes += int64(len(p))
	if room := o.most.head - len(o.head); room > 0 {
		n := min(room, len(p))
		o.head, p = append(o.head, p[:n]...), p[n:]
	}
	o.keep(p)
	return true
}

// keep puts p into the ring.
func (o *output) keep(p []byte) {
	if len(p) > o.most.tail {
		p = p[len(p)-o.most.tail:]
	}
	if room := o.most.tail - len(o.tail); room > 0 {
		n := min(room, len(p))
		o.tail, p = append(o.tail, p[:n]...), p[n:]
	}
	for len(p) > 0 {
		n := copy(o.tail[o.next:], p)
		o.next, p = (o.next+n)%o.most.tail, p[n:]
	}
}

// stop takes nothing more.
func (o *output) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = true
}

// result writes what was read into r.
func (o *output) result(r *Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r.Bytes, r.SHA256 = o.bytes, hex.EncodeToString(o.sum.Sum(nil))
	r.Output = append(r.Output, o.head...)
	if left := o.bytes - int64(len(o.head)+len(o.tail)); left > 0 {
		r.Output = fmt.Appendf(r.Output, "\n[omc-hook left %d of %d bytes out here]\n", left, o.bytes)
	}
	r.Output = append(append(r.Output, o.tail[o.next:]...), o.tail[:o.next]...)
	r.Counts, r.Counted = o.counter.Counts()
}

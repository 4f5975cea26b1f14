package ledger

import (
	"bytes"
	"fmt"
)

// parser walks the lines of a file and tells our blocks from other fences.
type parser struct {
	data []byte
	// stub says that bytes without a meaning followed data.
	stub bool
	file File
	line int
	// fence is the opening run of the fence that is open, nil outside; ours says
	// that its info string is ours, and start is where its body begins.
	fence    []byte
	ours     bool
	start    int
	openLine int
}

func (p *parser) run() {
	for at := 0; at < len(p.data); {
		end := at + len(p.data[at:])
		next := end
		if i := bytes.IndexByte(p.data[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		p.line++
		p.step(at, end, next)
		at = next
	}
	p.file.Torn = len(p.file.Records) > 0 && (p.stub || p.half())
	if p.file.Torn {
		p.fault(p.line, "the last record is cut off", "the next record moves the half one aside")
	}
}

// half reports whether what follows the last whole record began as a record: it
// holds an open fence, or begins like the heading, be it with a part of it.
func (p *parser) half() bool {
	const heading = "## "
	rest := bytes.TrimLeft(p.data[p.file.Whole:], "\r\n")
	return len(rest) > 0 && (p.fence != nil || bytes.HasPrefix(rest, []byte(heading)) || bytes.HasPrefix([]byte(heading), rest))
}

// step takes the line data[at:end]; next is where the following one begins.
func (p *parser) step(at, end, next int) {
	line := p.data[at:end]
	run := fenceRun(line)
	if p.fence == nil {
		if run != nil {
			p.fence, p.start, p.openLine = run, next, p.line
			p.ours = string(bytes.TrimSpace(line[len(run):])) == infoString
		}
		return
	}
	closes := len(run) >= len(p.fence) && run[0] == p.fence[0] && len(bytes.TrimSpace(line)) == len(run)
	if !closes {
		return
	}
	if p.ours {
		p.take(p.data[p.start:at])
		p.file.Whole = next
	}
	p.fence = nil
}

// fenceRun is the run of three or more backticks or tildes that begins line.
func fenceRun(line []byte) []byte {
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	n := len(line) - len(bytes.TrimLeft(line, string(line[:1])))
	if n < 3 {
		return nil
	}
	return line[:n]
}

func (p *parser) fault(line int, what, repair string) {
	const most = 100
	if len(p.file.Faults) < most {
		p.file.Faults = append(p.file.Faults, Fault{Line: line, What: what, Repair: repair})
	}
}

// take reads a block and checks that it follows the one before.
func (p *parser) take(block []byte) {
	r, err := decode(bytes.TrimSpace(block))
	if err != nil {
		p.fault(p.openLine, err.Error(), "restore the block from version control or a backup")
		return
	}
	r.Line = p.openLine
	want, prev := 1, ""
	if n := len(p.file.Records); n > 0 {
		want, prev = p.file.Records[n-1].Seq+1, p.file.Head()
	}
	switch {
	case r.Seq != want:
		p.fault(p.openLine, fmt.Sprintf("record %d follows record %d", r.Seq, want-1), "restore what stood between from version control or a backup")
	case r.Prev != prev:
		p.fault(p.openLine, fmt.Sprintf("record %d was changed after it was written", want-1), "restore record "+fmt.Sprint(want-1)+" from version control or a backup")
	}
	if len(p.file.Records) < MaxRecords {
		p.file.Records = append(p.file.Records, r)
	}
}

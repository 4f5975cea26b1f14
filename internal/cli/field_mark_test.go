package cli

import "testing"

func TestFieldStateWithByteOrderMark(t *testing.T) {
	f := newField(t)
	f.write(f.state(s1), "\ufeff"+f.live("unknown", "kept"))
	f.wantBlock(f.stop(f.in()))
	f.wantIteration(4)
	f.wantBlock(f.stop(f.in("last_assistant_message", "more work")))
	f.wantIteration(5)
}

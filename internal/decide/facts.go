package decide

import "time"

// Need is a set of facts that cost more than the event and the snapshot.
type Need uint8

// The facts that rules may ask for.
const (
	// NeedTranscript asks for a bounded tail of the transcript.
	NeedTranscript Need = 1 << iota
	// NeedRivals asks which other continuation is active in this session.
	NeedRivals
	// NeedStopFile asks whether the loop's kill switch file exists.
	NeedStopFile
)

// Typed is what the person typed during the turn and that waits, and when.
type Typed struct {
	Text string
	At   time.Time
}

// Rival is another authority that would continue this session.
type Rival struct {
	Name string
	Path string
}

// Facts is what the world says beside the event and the snapshot. The first
// group is always there; the second only as far as Needs asked for it.
type Facts struct {
	// Now is the time of the decision, Received when the event arrived.
	Now, Received time.Time
	// Root is the canonical root of the session's repository.
	Root string
	// SwitchedOff names the environment variable that switches the hook off.
	SwitchedOff string
	// ClientCap is the client's cap of continuations without a tool call, 0 for
	// none.
	ClientCap int64
	// Attended says that a person sits at the session.
	Attended bool

	// Waiting lists what the person typed and what waits, oldest first.
	Waiting []Typed
	// TranscriptSize is the size of the transcript in bytes.
	TranscriptSize int64
	// ContextTokens is the newest known fill of the context window, 0 unknown.
	ContextTokens int64
	// Model is the model of that answer, as the client names it.
	Model string
	// Rivals lists other active continuations of this session.
	Rivals []Rival
	// StopFile is the path of the kill switch file that exists, else "".
	StopFile string
}

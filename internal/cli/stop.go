package cli

import (
	"path/filepath"

	"omc-hook/internal/authority"
	"omc-hook/internal/decide"
	"omc-hook/internal/hook"
	"omc-hook/internal/modestate"
	"omc-hook/internal/state"
	"omc-hook/internal/transcript"
)

// transcriptTail is how much of the transcript a Stop looks at.
const transcriptTail = 256 << 10

// stop answers a Stop. The idle way ends at Needs: no lock, no write, and no
// read beside the state files that are not there.
func (h *hookRun) stop() []byte {
	store := h.store(h.event.Cwd)
	in := decide.Input{Event: h.event, Err: h.eventErr, Facts: decide.Facts{
		Now: h.Now(), Received: h.received, ClientCap: h.clientCap(), Attended: h.attended(),
	}}
	var loc state.Location
	if in.Err == nil && modestate.ValidSession(h.event.SessionID) && h.event.AgentID == "" {
		var err error
		if loc, err = store.Locate(h.event.SessionID); err != nil {
			h.log("locate the state: " + err.Error())
			return nil
		}
		in.Facts.Root = loc.Root
		in.Snapshot = store.Read(loc, decide.StateFiles())
	}
	need := decide.Needs(&in)
	v := decide.Stop(&in)
	if need != 0 || v.Writes() {
		gather(&in, need, store, loc)
		v = h.decideLocked(&in, v.Mode, store, loc)
	}
	h.trace(in, v, store, loc)
	if v.Action == decide.Continue {
		return hook.Continue(h.dialect(), v.Text, v.Note)
	}
	return hook.Note(v.Note)
}

func (h *hookRun) dialect() hook.Dialect {
	return hook.DialectFor(h.Getenv("AI_AGENT"), h.Getenv("OMC_HOOK_ANSWER"), h.event.Codex)
}

// decideLocked decides again under the session's lock and puts the edits on
// disk. What cannot be put there is not continued.
func (h *hookRun) decideLocked(in *decide.Input, mode string, store state.Store, loc state.Location) decide.Verdict {
	var v decide.Verdict
	err := store.Update(loc, h.until(), decide.StateFiles(), func(snapshot modestate.Snapshot) (state.Edit, error) {
		in.Snapshot = snapshot
		in.Facts.Now = h.Now()
		v = decide.Stop(in)
		if !v.Writes() {
			return state.Edit{}, nil
		}
		data, err := modestate.Apply(in.Snapshot[v.File].Data, v.Edits)
		if err != nil {
			return state.Edit{}, err
		}
		if !h.commit() {
			return state.Edit{}, errExpired
		}
		return state.Edit{Name: v.File, Data: data, Archive: v.Archive}, nil
	})
	if err == nil {
		return v
	}
	h.log("commit the decision: " + err.Error())
	if v.Action == decide.Continue || v.Rule == "" {
		return decide.Verdict{
			Rule: decide.NotDurable, Mode: mode, Detail: err.Error(),
			Note: "The loop does not continue, since its count could not be put on disk: " + oneLine(err.Error()),
		}
	}
	v.Detail += "; not on disk: " + err.Error()
	return v
}

// gather takes the facts that the decision needs.
func gather(in *decide.Input, need decide.Need, store state.Store, loc state.Location) {
	if need&decide.NeedTranscript != 0 && filepath.IsAbs(in.Event.TranscriptPath) {
		if tail, size, err := store.Disk.ReadTail(in.Event.TranscriptPath, transcriptTail); err == nil {
			in.Facts.TranscriptSize = size
			for _, w := range transcript.Waiting(tail) {
				in.Facts.Waiting = append(in.Facts.Waiting, decide.Typed(w))
			}
			fill, _ := transcript.Usage(tail)
			in.Facts.ContextTokens, in.Facts.Model = fill.Tokens, fill.Model
		}
	}
	if need&decide.NeedRivals != 0 {
		in.Facts.Rivals = authority.Rivals(store, loc, in.Facts.Now)
	}
	if need&decide.NeedStopFile != 0 {
		in.Facts.StopFile = stopFile(store, loc, in.Snapshot)
	}
}

// stopFile is the path of the active loop's kill switch, "" where none lies.
func stopFile(store state.Store, loc state.Location, snapshot modestate.Snapshot) string {
	name, v, ok := decide.Active(snapshot, 0)
	file := decide.StopFile(name)
	if !ok || file == "" || v.StateDir == "" {
		return ""
	}
	path := filepath.Join(folderPath(loc.Root, v.StateDir), file)
	if _, err := store.Disk.Lstat(path); err != nil {
		return ""
	}
	return path
}

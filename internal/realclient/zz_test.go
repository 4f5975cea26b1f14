//go:build linux

package realclient

import (
	"testing"
	"strings"
)

func TestZZ(t *testing.T) {
	w := NewWorld(t)
	rec := w.Record("rec", map[string]Handler{"Stop": {}, "UserPromptSubmit": {}})
	flag := w.Path("go")
	slow := w.Plugin("slow", map[string]string{"f.sh": "#!/bin/sh\nwhile [ ! -e $1 ]; do sleep 0.05; done\n", "hooks/hooks.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/f.sh","args":["` + flag + `"]}]}]}}`})
	term := w.Open(Session{Plugins: []string{rec.Dir, slow}, Main: InOrder(Say("the first end"), Say("the second end"))})
	term.Submit("begin")
	term.WaitUntil("stop runs", func(string) bool { return len(rec.Events("Stop")) == 1 })
	term.Submit("typed in the stop")
	term.WaitUntil("queued", func(string) bool { return strings.Contains(queue(w, term), "typed in") })
	t.Log(queue(w, term), len(rec.Events("UserPromptSubmit")))
	w.Write(flag, "")
	term.WaitUntil("end", func(string) bool { return len(rec.Events("Stop")) == 2 })
	for _, k := range []string{"UserPromptSubmit", "Stop"} {
		for _, e := range rec.Events(k) { t.Log(k, e.Input.Get("prompt_id"), e.Input.Get("prompt"), e.Input.Get("stop_hook_active"), e.Input.Get("last_assistant_message")) }
	}
	t.Log(queue(w, term))
}

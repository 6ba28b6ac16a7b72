package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gated makes the server of a capability wait before it does anything until
// open is called.
func (h *home) gated(name string) (open func()) {
	h.t.Helper()
	file, gate, script := h.inTap(name+"/default.toml"), filepath.Join(h.dir, name+".gate"), filepath.Join(h.dir, name+".sh")
	bin, err := buildStub()
	must(h.t, err)
	text, err := os.ReadFile(file)
	must(h.t, err, os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\nuntil [ -e '%s' ]; do sleep 0.05; done\nexec '%s' \"$@\"\n", gate, bin), 0o700))
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	writeFile(h.t, file, strings.Replace(string(text), quote(bin), quote(script), 1))
	h.approveTap()
	open = func() { must(h.t, os.WriteFile(gate, nil, 0o600)) }
	h.t.Cleanup(open)
	return open
}

// What is said to be enabled can be disabled from then on, also while its
// server still starts and when its tap has gone meanwhile.
func TestWhatStartsWhileItsTapGoesIsDisabledAllTheSame(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings(sure)
	open := h.gated("diary")
	s := h.start()
	s.initialize(`{}`)
	contains(t, h.prompt("conversation-1", note), "the capability diary is enabled")
	tap, away := filepath.Join(h.dir, "tap"), filepath.Join(h.dir, "away")
	must(t, os.Rename(tap, away))
	list := func() string { return s.call("capability", `{"action":"list"}`) }
	eventually(t, "the tap is gone", func() bool { return !strings.Contains(list(), "The diary desk") })
	said := make(chan string)
	go func() {
		raw, err := s.ask("tools/call", `{"name":"capability","arguments":{"action":"disable","name":"diary"}}`)
		said <- fmt.Sprint(string(raw), err)
	}()
	list() // it is being disabled now
	open()
	contains(t, <-said, "diary is not enabled any more")
	must(t, os.Rename(away, tap))
	s.eventually(note, "diary")
}

package main

import (
	"encoding/json"

	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/hosts/internal/posix"
)

// addHooks appends our hooks behind the user's: Codex knows a trusted hook by its
// position in the file. They go to hooks.json, except for a user who keeps hooks
// in config.toml alone: Codex warns of a folder that has both.
func (s *settings) addHooks(edits []wiring.Edit, program string) []wiring.Edit {
	ops := make([]wiring.Op, 0, len(events))
	for _, e := range events {
		ops = append(ops, wiring.Op{
			Kind:  wiring.Append,
			Path:  []string{"hooks", e.name},
			Value: hookEntry(e.name, e.matcher, program, e.timeout),
		})
	}
	file := hooksFile(s.home)
	if exists(file) || !s.keepsHooksInTOML() {
		return append(edits, wiring.Edit{
			Path:    file,
			Format:  wiring.JSON,
			Ops:     ops,
			Mode:    0o600,
			Why:     "run ctx-hook on Codex's events",
			Exclude: true,
			Tracked: trackedHint,
		})
	}
	for i := range edits {
		if edits[i].Path == s.user {
			edits[i].Ops = append(edits[i].Ops, ops...)
			return edits
		}
	}
	return append(edits, wiring.Edit{
		Path:    s.user,
		Format:  wiring.TOML,
		Ops:     ops,
		Why:     "run ctx-hook on Codex's events",
		Tracked: trackedHint,
	})
}

// keepsHooksInTOML reports whether the user's config.toml declares a hook; the
// record of trust under [hooks.state] is none.
func (s *settings) keepsHooksInTOML() bool {
	for _, l := range s.layers {
		if l.file != s.user {
			continue
		}
		hooks, _ := l.values["hooks"].(map[string]any)
		for name := range hooks {
			if name != "state" {
				return true
			}
		}
	}
	return false
}

func hookEntry(event, matcher, program string, timeout int) json.RawMessage {
	type handler struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	b, err := json.Marshal(struct {
		Matcher string    `json:"matcher,omitempty"`
		Hooks   []handler `json:"hooks"`
	}{matcher, []handler{{"command", posix.Quote(program) + " " + hostName + " " + event, timeout}}})
	if err != nil {
		panic("codex: strings always marshal: " + err.Error())
	}
	return b
}

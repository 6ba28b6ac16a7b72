package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestAPromptThatNoGatewayAnswersFiresASkillForLater(t *testing.T) {
	t.Parallel()
	h := unserved(t)
	h.tapSkill("journal-keeping", journalFront, "Begin with the weather.\n")
	h.says("conversation-1", "how do I begin my journal of the voyage", "the skill journal-keeping is enabled")
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("capability", `{"action":"list"}`), `"name":"skill:journal-keeping","title":"Journal keeping","active":true`)
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
	contains(t, s.call("capability", `{"action":"disable","name":"skill:journal-keeping"}`), `"released":["diary"]`)
}

// A user who has skills and no tap is answered before the gateway is up, too,
// wherever the skills lie.
func TestASkillNeedsNoTapToBeFiredEarly(t *testing.T) {
	t.Parallel()
	for where, dir := range map[string]func(*home) string{
		"of the workspace": func(h *home) string { return filepath.Join(h.ws, ".agents", "skills") },
		"of the user":      func(h *home) string { return filepath.Join(h.layout.Config, "skills") },
		"in their data":    func(h *home) string { return filepath.Join(h.layout.Data, "skills") },
		"of a plugin": func(h *home) string {
			plugin := filepath.Join(h.ws, ".agents", "plugins", "good")
			must(h.t, os.MkdirAll(plugin, 0o700))
			writeFile(h.t, filepath.Join(plugin, "plugin.json"), `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "good", "description": "D."}`)
			return filepath.Join(plugin, "skills")
		},
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.declare()
			h.wrap()
			h.loads(surface.Server{Name: "ctx", Own: true, Transport: surface.Stdio, Command: "ctx-gateway"})
			const prompt = "how do I begin my journal of the voyage"
			if said := h.coldPrompt("conversation-1", prompt); strings.Contains(said, "enabled") {
				t.Errorf("without one: %s", said)
			}
			h.skill(dir(h), "journal-keeping", journalFront, "Begin with the weather.\n")
			h.says("conversation-1", prompt, "the skill journal-keeping is enabled")
			log, err := os.ReadFile(h.layout.Log("gateway"))
			if err == nil && strings.Contains(string(log), "routed by words") {
				t.Errorf("somebody waited for a model:\n%s", log)
			}
			s := h.start()
			s.initialize(`{}`)
			contains(t, s.call("capability", `{"action":"list"}`), `"name":"skill:journal-keeping"`, `"active":true`)
		})
	}
}

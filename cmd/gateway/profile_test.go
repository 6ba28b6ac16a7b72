package main

import (
	"strings"
	"testing"
)

// What a capability of a tap brings in obeys the profile that is in force, from
// the line that tells the model of it on.
func TestACapabilityObeysTheProfile(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings("[activate]\nactivate_at = 0.3\nsuggest_at = 0.05\n[surface]\ndefault_profile = \"mine\"\n[surface.profiles.mine]\nauthority_ceiling = \"read\"\n")
	s := h.start()
	s.initialize(`{}`)
	s.must("tools/list", "")
	contains(t, h.prompt("conversation-1", diaryPrompt), "the capability diary is enabled")
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "diary:write_note is left out", "profile mine")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"welcome"}}`), "Hello from the stub.")
	if found := s.call("tool_search", `{"query":"write or delete a note","limit":20}`); strings.Contains(string(found), "diary:write_note") || strings.Contains(string(found), "diary:delete_note") {
		t.Errorf("found: %s", found)
	}

	// Once its tools are known, the line names those that are kept alone.
	h.keeps("read_note")
	s.call("capability", `{"action":"disable","name":"diary"}`)
	said := h.prompt("conversation-1", diaryPrompt)
	contains(t, said, "diary:read_note")
	if strings.Contains(said, "write_note") || strings.Contains(said, "delete_note") {
		t.Errorf("told of: %s", said)
	}

	// A profile that is changed holds at the next request.
	h.settings("[surface]\ndefault_profile = \"mine\"\n[surface.profiles.mine]\nfamilies = [\"billing\"]\n")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"welcome"}}`), "is left out", "its family")
}

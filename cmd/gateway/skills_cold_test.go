package main

import "testing"

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

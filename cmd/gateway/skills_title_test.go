package main

import (
	"strings"
	"testing"
)

// What a conversation is called may be all that tells what it is about.
func TestASkillHearsWhatTheConversationIsCalled(t *testing.T) {
	t.Parallel()
	const (
		front  = "description: \"How to rig a ship.\"\nrules:\n  - session(voyage)\n"
		titled = `{"Kind":"prompt","Session":"conversation-1","Title":"The Voyage home","Prompt":"how do we begin with that?"}`
		plain  = `{"Kind":"prompt","Session":"conversation-1","Prompt":"how do we begin with that?"}`
		other  = `{"Kind":"prompt","Session":"conversation-2","Prompt":"how do we begin with that?"}`
		start  = `{"Kind":"session_start","Session":"conversation-1","Title":"The Voyage home"}`
		fired  = "the skill rigging is enabled"
	)
	for name, c := range map[string]struct {
		events []string // only the last one fires it, where any does
		fires  bool
	}{
		"said with the prompt":           {[]string{plain, titled}, true},
		"said when it began":             {[]string{start, plain}, true},
		"said of another conversation":   {[]string{start, other}, false},
		"no conversation has that title": {[]string{plain, other}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := tapped(t)
			h.tapSkill("rigging", front, "Begin with the mast.\n")
			s := h.start()
			s.initialize(`{}`)
			for i, event := range c.events {
				said := h.hook(event)
				if last := i == len(c.events)-1; strings.Contains(said, fired) != (c.fires && last) {
					t.Errorf("to %s: %s", event, said)
				}
			}
		})
	}
}

func TestASkillHearsTheTitleBeforeTheGatewayIsUp(t *testing.T) {
	t.Parallel()
	h := unserved(t)
	h.tapSkill("rigging", "description: \"How to rig a ship.\"\nrules:\n  - session(voyage)\n", "Begin with the mast.\n")
	if said := h.coldPrompt("conversation-1", "how do we begin with that?"); strings.Contains(said, "rigging") {
		t.Errorf("without a title: %s", said)
	}
	h.title = "The Voyage home"
	h.says("conversation-1", "how do we begin with that?", "the skill rigging is enabled")
}

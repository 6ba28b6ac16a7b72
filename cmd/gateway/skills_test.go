package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// skill writes one into a folder of skills; front is what its front matter has
// beside the name.
func (h *home) skill(root, name, front, body string) (file string) {
	h.t.Helper()
	dir := filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	file = filepath.Join(dir, "SKILL.md")
	if err := os.WriteFile(file, []byte("---\nname: "+name+"\n"+front+"---\n"+body), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return file
}

func (h *home) tapSkill(name, front, body string) string {
	return h.skill(filepath.Join(h.dir, "tap", "skills"), name, front, body)
}

const journalFront = `title: "Journal keeping"
description: "How entries of a journal are written. Use when the user keeps a journal."
capabilities: diary
rules:
  - content(journal)
`

// journaled is a user with skills beside the capabilities.
func journaled(t *testing.T) *home {
	t.Helper()
	h := tapped(t)
	file := h.tapSkill("journal-keeping", journalFront, "# Journal\n\nBegin with the weather. Then use the `proof-reading` skill.\n")
	for _, name := range []string{"scripts", "references"} {
		dir := filepath.Join(filepath.Dir(file), name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.tapSkill("proof-reading", "description: How texts are proof-read.\n", "Read it backwards.\n")
	return h
}

// lists counts how often a host was told that the tools have changed.
func (s *session) lists() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, note := range s.notes {
		if strings.HasPrefix(note, "notifications/tools/list_changed") {
			n++
		}
	}
	return n
}

func TestASkillIsReadWithWhatItNeedsAndReleased(t *testing.T) {
	t.Parallel()
	h := journaled(t)
	s := h.start()
	s.initialize(`{}`)
	s.must("tools/list", "")
	said := s.call("capability", `{"action":"enable","name":"skill:journal-keeping"}`)
	dir := filepath.Join(h.dir, "tap", "skills", "journal-keeping")
	contains(t, said, "Begin with the weather.", `"nextSteps":[{"skill":"proof-reading","reason":"SKILL.md:11: Begin with the weather.`,
		fmt.Sprintf(`"folders":[%q,%q]`, filepath.Join(dir, "scripts"), filepath.Join(dir, "references")),
		`"capabilities":["diary"]`, `{"tool":"diary:read_note","call":"call_tool"}`)
	eventually(t, "the host is told", func() bool { return s.lists() > 0 })
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")

	again := s.call("capability", `{"action":"enable","name":"skill:journal-keeping"}`)
	contains(t, again, "was enabled already", "Begin with the weather.")
	contains(t, s.call("capability", `{"action":"list"}`), `"kind":"skill","name":"skill:journal-keeping","title":"Journal keeping","active":true`)

	// What a skill needs stays as long as it does.
	contains(t, s.call("capability", `{"action":"disable","name":"diary"}`), "diary stays enabled for skill:journal-keeping")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "larkspur")
	if n := s.lists(); n != 1 {
		t.Errorf("the host was told %d times", n)
	}
	contains(t, s.call("capability", `{"action":"disable","name":"skill:journal-keeping"}`), "not enabled any more", `"released":["diary"]`)
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
	contains(t, s.call("capability", `{"action":"disable","name":"skill:journal-keeping"}`), `"already":true`)
}

func TestAPromptFiresASkillInOneLineOfItsName(t *testing.T) {
	t.Parallel()
	h := journaled(t)
	s := h.start()
	s.initialize(`{}`)
	said := h.prompt("conversation-1", "how do I begin my journal of the voyage")
	contains(t, said, "the skill journal-keeping is enabled", `{\"action\":\"enable\",\"name\":\"skill:journal-keeping\"}`, "With it: diary")
	for _, never := range []string{"weather", "How entries", "Journal keeping"} {
		if strings.Contains(said, never) {
			t.Errorf("a hook has the skill's own words %q: %s", never, said)
		}
	}
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
	if again := h.prompt("conversation-1", "how do I go on with my journal of the voyage"); strings.Contains(again, "the skill") {
		t.Errorf("said again of what is enabled: %s", again)
	}
	if other := h.prompt("conversation-1", "the journalists are here already"); strings.Contains(other, "the skill") {
		t.Errorf("a part of a word fires: %s", other)
	}
}

func TestSkillsDoNothingByThemselvesWhereTheUserSaysSo(t *testing.T) {
	t.Parallel()
	for _, off := range []string{"[skills]\nauto_activation = false\n", "auto_capabilities = false\n"} {
		h := journaled(t)
		h.settings(off)
		s := h.start()
		s.initialize(`{}`)
		if said := h.prompt("conversation-1", "how do I begin my journal of the voyage"); strings.Contains(said, "the skill") {
			t.Errorf("%s: said %s", off, said)
		}
		contains(t, s.call("tool_search", `{"query":"keep a journal"}`), `"tool":"skill:journal-keeping"`, `{\"action\":\"enable\",\"name\":\"skill:journal-keeping\"}`)
		contains(t, s.call("tool_search", `{"query":"water the tomatoes"}`), `"capability:garden"`)
		if found := s.call("tool_search", `{"query":"water the tomatoes"}`); strings.Contains(found, "skill:") {
			t.Errorf("a skill that does not fit is found: %s", found)
		}
		contains(t, s.call("call_tool", `{"tool":"skill:journal-keeping"}`), "a skill and no tool")
		contains(t, s.call("capability", `{"action":"enable","name":"skill:journal-keeping"}`), "Begin with the weather.")
	}
}

func TestSkillsOfTheHostAreNeverGivenASecondTime(t *testing.T) {
	t.Parallel()
	for how, item := range map[string]func(h *home, file string) surface.Item{
		"by name":          func(*home, string) surface.Item { return surface.Item{Name: "journal-keeping"} },
		"by a plugin":      func(*home, string) surface.Item { return surface.Item{Name: "writing:journal-keeping"} },
		"by another title": func(*home, string) surface.Item { return surface.Item{Name: "jk (journal-keeping)"} },
		"by a link": func(h *home, file string) surface.Item {
			link := filepath.Join(h.dir, "linked")
			if err := os.Symlink(filepath.Dir(file), link); err != nil {
				h.t.Fatal(err)
			}
			return surface.Item{Name: "anything", Place: surface.Place{File: filepath.Join(link, "SKILL.md")}}
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			h := journaled(t)
			it := item(h, filepath.Join(h.dir, "tap", "skills", "journal-keeping", "SKILL.md"))
			it.Kind = surface.KindSkill
			h.config.Items = []surface.Item{it}
			h.save()
			s := h.start()
			s.initialize(`{}`)
			if said := h.prompt("conversation-1", "how do I begin my journal of the voyage"); strings.Contains(said, "the skill") {
				t.Errorf("said %s", said)
			}
			for _, answer := range []string{s.call("capability", `{"action":"list"}`), s.call("capability", `{"action":"discover","intent":"keep a journal"}`), s.call("tool_search", `{"query":"keep a journal"}`)} {
				if strings.Contains(answer, "journal-keeping") {
					t.Errorf("offered: %s", answer)
				}
			}
			contains(t, s.call("capability", `{"action":"enable","name":"skill:journal-keeping"}`), `"isError":true`, "the host loads the skill journal-keeping itself")
		})
	}
}

func TestALongSkillIsCutAndReadOn(t *testing.T) {
	t.Parallel()
	h := journaled(t)
	h.tapSkill("long", "description: A long one.\n", "Begin.\n"+strings.Repeat("a line of many lines\n", 2000)+"The end of it.\n")
	h.settings("mcp_response_tokens_threshold = 1000\n")
	s := h.start()
	s.initialize(`{}`)
	said := s.call("capability", `{"action":"enable","name":"skill:long"}`)
	contains(t, said, "Begin.", "[cut: ", "ctx:read")
	if len(said) > 8000 || strings.Contains(said, "The end of it.") {
		t.Errorf("%d bytes", len(said))
	}
}

func TestSkillsAndWhatWasWrongWithThem(t *testing.T) {
	t.Parallel()
	h := journaled(t)
	h.tapSkill("hollow", "description: It has no text.\n", "\n")
	h.tapSkill("elsewhere", "description: For lawyers.\ndomains: [lawyer]\nrules:\n  - content(journal)\n", "x\n")
	h.tapSkill("likened", "description: For likeness.\nrules:\n  - semantic(keep a journal)\n", "x\n")
	h.tapSkill("needy", "description: Needs what is not there.\ncapabilities: [payroll, telescope]\n", "Look up.\n")
	s := h.start()
	s.initialize(`{}`)
	for name, want := range map[string]string{
		"hollow":         "has nothing to read",
		"elsewhere":      `is for the domains lawyer, and this session's is \"developer\"`,
		"journal-keepin": "did you mean skill:journal-keeping?",
	} {
		contains(t, s.call("capability", fmt.Sprintf(`{"action":"enable","name":"skill:%s"}`, name)), `"isError":true`, want)
	}
	contains(t, s.call("capability", `{"action":"enable","name":"skill:needy"}`), "Look up.", `"capabilities":["payroll"]`, "made for the capability telescope, which no tap")
	contains(t, s.call("capability", `{"action":"list"}`), "rules with semantic() fire nothing: 1 of the skills have some")
	if said := h.prompt("conversation-1", "how do I begin my journal of the voyage"); strings.Contains(said, "elsewhere") || strings.Contains(said, "likened") {
		t.Errorf("the domain does not hold: %s", said)
	}
}

func TestNoSkillAllowsATool(t *testing.T) {
	t.Parallel()
	h := journaled(t)
	h.tapSkill("bold", "description: Wants all.\nallowed-tools: \"*\"\ncapabilities: diary\n", "Delete all.\n")
	h.config.Rules = []surface.Rule{{Effect: surface.EffectDeny, Server: "diary", Tool: "delete_*", Text: "mcp__diary__delete_*"}}
	h.save()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("capability", `{"action":"enable","name":"skill:bold"}`), "Delete all.", `{"tool":"diary:write_note","call":"call_tool_write"}`)
	contains(t, s.call("call_tool_write", `{"tool":"diary:delete_note","arguments":{"name":"a"}}`), "there is no tool")
	contains(t, s.call("call_tool_write", `{"tool":"diary:echo","arguments":{"text":"a"}}`), "there is no tool")
}

func TestWhatTheUserWantsIsToldAtTheNextPrompt(t *testing.T) {
	t.Parallel()
	h := journaled(t)
	h.env = append(h.env, "CTX_SKILLS=proof-reading, no-such-skill")
	s := h.start()
	s.initialize(`{}`)
	// No prompt waits for long until the conversation has what it is to begin with.
	begun := func() string { return s.call("capability", `{"action":"list"}`) }
	begun()
	contains(t, h.prompt("conversation-1", "hello"), "the skill proof-reading is enabled")
	if again := h.prompt("conversation-1", "hello again"); strings.Contains(again, "the skill") {
		t.Errorf("said twice: %s", again)
	}
	contains(t, begun(), `"name":"skill:proof-reading","title":"","active":true`, `the skill no-such-skill is not enabled: no skill is named`)
	h.hook(`{"Kind":"session_start","Source":"clear","Session":"conversation-1"}`)
	begun()
	contains(t, h.prompt("conversation-1", "hello"), "the skill proof-reading is enabled")
}

func TestAUserWithSkillsAndNoTapHasTheTool(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.skill(filepath.Join(h.ws, ".agents", "skills"), "tidy-up", "description: How the shed is tidied up.\nrules: [content(shed)]\n", "Broom first.\n")
	h.declare()
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.must("tools/list", ""), `"name":"capability"`)
	contains(t, h.prompt("conversation-1", "please look after the shed"), "the skill tidy-up is enabled")
	contains(t, s.call("capability", `{"action":"enable","name":"skill:tidy-up"}`), "Broom first.")

	// Where the host loads all of them, nothing is paid for.
	h = newHome(t)
	h.skill(filepath.Join(h.ws, ".agents", "skills"), "tidy-up", "description: How the shed is tidied up.\n", "Broom first.\n")
	h.config.Items = []surface.Item{{Kind: surface.KindSkill, Name: "tidy-up"}}
	h.declare()
	h.wrap()
	s = h.start()
	s.initialize(`{}`)
	if list := s.must("tools/list", ""); strings.Contains(list, `"name":"capability"`) {
		t.Errorf("listed %s", list)
	}
}

func TestAConversationThatIsResumedHasItsSkills(t *testing.T) {
	t.Parallel()
	h := journaled(t)
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("capability", `{"action":"enable","name":"skill:journal-keeping"}`), "Begin with the weather.")
	h.hook(`{"Kind":"session_start","Source":"clear","Session":"conversation-2"}`)
	contains(t, h.prompt("conversation-2", "hello there"), "")
	if list := s.call("capability", `{"action":"list"}`); strings.Contains(list, `"active":true`) {
		t.Errorf("another conversation has %s", list)
	}
	h.hook(`{"Kind":"session_start","Source":"resume","Session":"conversation-1"}`)
	contains(t, s.call("capability", `{"action":"list"}`), `"name":"skill:journal-keeping","title":"Journal keeping","active":true`)
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
}

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

const journal = "---\nname: journal-keeping\ndescription: How entries of a journal are written.\ncapabilities: diary\nrules:\n  - content(journal)\n---\nBegin with the weather: larkspur.\n"

const journalPrompt = "how do I begin my journal of the voyage"

var readJournal = args{"action": "enable", "name": "skill:journal-keeping"}

func TestClaudePromptFiresASkillThatIsReadInTheSameTurn(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.write("skills/journal-keeping/SKILL.md", journal, filepath.Join(filepath.Dir(u.home), "tap"))
	u.tapped(dir)
	u.wrap(dir, "claude")
	s := u.talk(dir, []modelstub.Step{call("capability", readJournal), call("call_tool_write", writeNote), call("call_tool", readNote)}, journalPrompt)
	first := string(s.turn(0).Body)
	if !strings.Contains(first, "the skill journal-keeping is enabled") {
		t.Error("the model was told only later")
	}
	if strings.Contains(first, "larkspur") || strings.Contains(first, "How entries") {
		t.Error("a skill's own words are in the request before it was read")
	}
	s.mustSay("Begin with the weather: larkspur.", "diary:read_note", "wrote meeting", "foxglove")
}

// What the user calls the conversation is told to the hooks alone.
func TestClaudeTellsASkillWhatTheConversationIsCalled(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.write("skills/rigging/SKILL.md", "---\nname: rigging\ndescription: How to rig a ship.\nrules:\n  - session(voyage)\n---\nBegin with the mast.\n", filepath.Join(filepath.Dir(u.home), "tap"))
	u.tapped(dir)
	u.wrap(dir, "claude")
	const fired = "the skill rigging is enabled"
	u.asked(dir, "how do we begin with that", nil, "--name", "The Voyage home").mustSay(fired)
	u.asked(dir, "how do we begin with that", nil).mustNotSay(fired)
}

func TestClaudesOwnSkillIsNotGivenASecondTime(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.write("skills/journal-keeping/SKILL.md", journal, filepath.Join(filepath.Dir(u.home), "tap"))
	u.write(".claude/skills/journal-keeping/SKILL.md", strings.Replace(journal, "larkspur", "foxtail", 1), dir)
	u.tapped(dir)
	u.wrap(dir, "claude")
	s := u.talk(dir, []modelstub.Step{call("capability", readJournal)}, journalPrompt)
	if first := string(s.turn(0).Body); strings.Contains(first, "the skill journal-keeping is enabled") {
		t.Error("a skill that Claude Code loads itself is offered")
	}
	s.mustSay("the host loads the skill journal-keeping itself")
}

func TestCodexPromptFiresASkillThatIsReadInTheSameTurn(t *testing.T) {
	t.Parallel()
	u, dir, _ := codexUser(t)
	u.write("skills/journal-keeping/SKILL.md", journal, filepath.Join(filepath.Dir(u.home), "tap"))
	u.tapped(dir)
	u.wrap(dir, "codex")
	s := u.codexAsked(dir, "gpt-5.5", journalPrompt, []modelstub.Step{onCodex("capability", readJournal), onCodex("call_tool_write", writeNote), onCodex("call_tool", readNote)},
		"--dangerously-bypass-approvals-and-sandbox")
	s.mustSay("the skill journal-keeping is enabled", "Begin with the weather: larkspur.", "foxglove")
}

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// tapped gives a user a tap with two capabilities, whose servers are real, and
// lets them be.
func (u *user) tapped(dir string) {
	u.t.Helper()
	tap := filepath.Join(filepath.Dir(u.home), "tap")
	for name, triggers := range map[string]string{
		"diary":  `"write a note into my diary", "read yesterday's diary note", "delete a note from my diary"`,
		"garden": `"water the tomatoes", "plan which beds to plant", "when do I prune the roses"`,
	} {
		u.write("capabilities/"+name+"/config.toml", "triggers = ["+triggers+"]\n", tap)
		u.write("capabilities/"+name+"/default.toml", fmt.Sprintf(
			"# Title: The %[1]s\n# Description: Notes of the %[1]s: read, write and delete them.\n[roles.mcp]\nserver_refs = [%[1]q]\nallowed_tools = [\"%[1]s:*_note\"]\n\n"+
				"[[mcp.servers]]\nname = %[1]q\ntype = \"stdio\"\ncommand = %[2]q\nargs = [\"-mark\", %[3]q]\n", name, stub, u.mark(name)), tap)
	}
	u.ctx(dir, "tap", "add", "acme/tools", tap, "--yes")
}

// mark is the file that the server of a capability makes.
func (u *user) mark(capability string) string {
	return filepath.Join(filepath.Dir(u.home), capability+".mark")
}

func (u *user) started(capability string) bool {
	_, err := os.Stat(u.mark(capability))
	return err == nil
}

const diaryPrompt = "please write a note into my diary about the meeting"

var (
	writeNote = args{"tool": "diary:write_note", "arguments": args{"name": "meeting", "text": "foxglove"}}
	readNote  = args{"tool": "diary:read_note", "arguments": args{"name": "meeting"}}
	enableIt  = args{"action": "enable", "name": "diary"}
)

func TestClaudePromptBringsInACapabilityForTheSameTurn(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.tapped(dir)
	u.wrap(dir, "claude")
	if said := u.ctx(dir, "doctor"); !strings.Contains(said, "prompts are routed") {
		t.Errorf("doctor does not say with what:\n%s", said)
	}
	s := u.talk(dir, []modelstub.Step{call("call_tool_write", writeNote), call("call_tool", readNote)}, diaryPrompt)
	s.mustSay("the capability diary is enabled", "wrote meeting", "foxglove")
	if first := string(s.turn(0).Body); !strings.Contains(first, "the capability diary is enabled") {
		t.Error("the model was told only later")
	}
	if u.started("garden") {
		t.Error("a capability that nobody asked for was started")
	}
	if other := u.talk(dir, []modelstub.Step{call("call_tool", readNote)}, "what is in the folder data?"); strings.Contains(other.said(), "foxglove") || !strings.Contains(other.said(), "there is no tool") {
		t.Errorf("the next conversation has it, too: %s", other.said())
	}
}

func TestClaudeSuggestionIsEnabledByTheModel(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.write("ctx.toml", "[activate]\nactivate_at = 1.0\n", dir)
	u.tapped(dir)
	u.wrap(dir, "claude")
	s := u.talk(dir, []modelstub.Step{call("capability", enableIt), call("call_tool_write", writeNote), call("call_tool", readNote)}, diaryPrompt)
	if first := string(s.turn(0).Body); !strings.Contains(first, "may fit, not enabled: diary") {
		t.Error("nothing was suggested")
	}
	s.mustSay("diary:read_note", "wrote meeting", "foxglove")
}

func TestCodexPromptBringsInACapabilityForTheSameTurn(t *testing.T) {
	t.Parallel()
	u, dir, _ := codexUser(t)
	u.tapped(dir)
	u.wrap(dir, "codex")
	s := u.codexAsked(dir, "gpt-5.5", diaryPrompt, []modelstub.Step{onCodex("call_tool_write", writeNote), onCodex("call_tool", readNote)},
		"--dangerously-bypass-approvals-and-sandbox")
	s.mustSay("the capability diary is enabled", "foxglove")
	if u.started("garden") {
		t.Error("a capability that nobody asked for was started")
	}
}

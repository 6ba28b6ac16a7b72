package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// addTap gives the user a tap, and allows the commands of all but some of its
// capabilities.
func (h *home) addTap(unapproved ...string) {
	h.t.Helper()
	if err := tap.Open(h.layout).Add(h.tap()); err != nil {
		h.t.Fatal(err)
	}
	h.approveTap(unapproved...)
}

func (h *home) tap() tap.Tap {
	return tap.Tap{Name: "acme/tools", Path: filepath.Join(h.dir, "tap")}
}

func (h *home) approveTap(unapproved ...string) {
	h.t.Helper()
	for _, c := range tap.Read(h.tap(), nil).Capabilities {
		if slices.Contains(unapproved, c.Name) {
			continue
		}
		commands, err := c.Commands()
		if err != nil {
			h.t.Fatal(err)
		}
		for _, cmd := range commands {
			a := trust.Approval{Fingerprint: cmd.Declaration.Fingerprint(), By: "user", Server: cmd.Declaration}
			if err := trust.Open(h.layout.Trust()).Approve(cmd.ID, a); err != nil {
				h.t.Fatal(err)
			}
		}
	}
}

// capability writes one whose server is a stub that leaves a mark, and returns
// the mark.
func (h *home) capability(name, allowed string, triggers ...string) (mark string) {
	h.t.Helper()
	bin, err := buildStub()
	if err != nil {
		h.t.Fatal(err)
	}
	mark = filepath.Join(h.dir, name+".mark")
	quoted, err := json.Marshal(triggers)
	if err != nil {
		h.t.Fatal(err)
	}
	dir := filepath.Join(h.dir, "tap", "capabilities", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	for file, text := range map[string]string{
		"config.toml": "triggers = " + string(quoted) + "\n",
		"default.toml": fmt.Sprintf("# Title: The %[1]s desk\n# Description: What there is to do with %[1]s.\n"+
			"[roles.mcp]\nserver_refs = [%[1]q]\nallowed_tools = [%[2]q]\n\n"+
			"[[mcp.servers]]\nname = %[1]q\ntype = \"stdio\"\ncommand = %[3]q\nargs = [\"-mark\", %[4]q]\n", name, name+":"+allowed, bin, mark),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	return mark
}

// tapped is a user with capabilities that prompts can ask for.
func tapped(t *testing.T, unapproved ...string) *home {
	t.Helper()
	h := newHome(t)
	h.capability("diary", "*_note", "write a note into my diary", "read yesterday's diary note", "delete a diary note")
	h.capability("payroll", "*", "pay the wages of this month", "print a payslip for an employee", "correct a wrong wage")
	h.capability("garden", "*", "water the tomatoes", "plan which beds to plant", "when do I prune the roses")
	h.declare()
	h.config.Rules = []surface.Rule{{Effect: surface.EffectAllow, Server: "diary", Tool: "*", Text: "mcp__diary"}}
	h.save()
	h.wrap()
	h.addTap(unapproved...)
	h.settings("[activate]\nactivate_at = 0.3\nsuggest_at = 0.05\n")
	return h
}

func (h *home) settings(text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.ws, "ctx.toml"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) prompt(session, text string) string {
	h.t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.hook(fmt.Sprintf(`{"Kind":"prompt","Session":%q,"Prompt":%s}`, session, quoted))
}

// keeps waits until a tool is in what is kept of servers, from which prompts are
// answered: that is written after the tool can be called.
func (h *home) keeps(tool string) {
	h.t.Helper()
	eventually(h.t, "the listing is kept", func() bool {
		kept, err := os.ReadFile(filepath.Join(h.ws, ".ctx-surface", "probe-cache.json"))
		return err == nil && strings.Contains(string(kept), tool)
	})
}

const diaryPrompt = "please write a note into my diary about the meeting"

func TestAPromptBringsInWhatItAsksForInTheSameTurn(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.must("tools/list", ""), `"name":"capability"`, `"name":"tool_search"`)
	said := h.prompt("conversation-1", diaryPrompt)
	contains(t, said, "the capability diary is enabled", "tool_search finds the tools of diary")
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "larkspur")
	contains(t, s.call("call_tool", `{"tool":"diary:echo","arguments":{"text":"x"}}`), "there is no tool diary:echo")
	contains(t, s.call("tool_search", `{"query":"read a note"}`), `"diary:read_note"`)

	// The next time its tools are known beforehand.
	h.keeps("read_note")
	contains(t, s.call("capability", `{"action":"disable","name":"diary"}`), "not enabled any more")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
	contains(t, h.prompt("conversation-1", diaryPrompt), "call_tool: diary:read_note", "call_tool_write: diary:write_note, diary:delete_note")
	if again := h.prompt("conversation-1", diaryPrompt); strings.Contains(again, "diary") {
		t.Errorf("said again of what is active: %s", again)
	}
}

func TestWithoutConfidenceNamesAreSuggestedAndOneIsEnabled(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings("[activate]\nactivate_at = 1.0\nsuggest_at = 0.01\n")
	s := h.start()
	s.initialize(`{}`)
	said := h.prompt("conversation-1", diaryPrompt)
	contains(t, said, "may fit, not enabled: diary", `{\"action\":\"enable\",\"name\":\"diary\"}`)
	if isFile(filepath.Join(h.dir, "diary.mark")) {
		t.Error("a suggestion has started a server")
	}
	contains(t, s.call("call_tool", `{"tool":"capability:diary"}`), "a call never enables one")
	contains(t, s.call("describe_tool", `{"tools":["capability:diary"]}`), `"unknown":["capability:diary"]`, "once it is enabled")
	contains(t, s.call("capability", `{"action":"enable","name":"diary"}`), "diary is enabled", `{"tool":"diary:read_note","call":"call_tool"}`)
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
}

func TestNothingHappensByItselfWhereTheUserSaysSo(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings("auto_capabilities = false\n[activate]\nactivate_at = 0.3\n")
	s := h.start()
	s.initialize(`{}`)
	if said := h.prompt("conversation-1", diaryPrompt); strings.Contains(said, "diary") {
		t.Errorf("said %s", said)
	}
	contains(t, s.call("tool_search", `{"query":"diary note"}`), `"tool":"capability:diary"`, `"enables":"diary: *_note"`)
	contains(t, s.call("capability", `{"action":"discover","intent":"write into my diary"}`), `"name":"diary"`, "found by words alone")
	contains(t, s.call("capability", `{"action":"enable","intent":"write a note into my diary"}`), "diary is enabled", "diary:write_note")
}

func TestWhatNobodyApprovedIsNeverStarted(t *testing.T) {
	t.Parallel()
	h := tapped(t, "diary")
	s := h.start()
	s.initialize(`{}`)
	if said := h.prompt("conversation-1", diaryPrompt); strings.Contains(said, "diary") {
		t.Errorf("said %s", said)
	}
	contains(t, s.call("capability", `{"action":"enable","name":"diary"}`), `"isError":true`, "nobody has approved the server diary", "ctx trust approve")
	contains(t, s.call("capability", `{"action":"list"}`), "unready: nobody has approved")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
	if isFile(filepath.Join(h.dir, "diary.mark")) {
		t.Error("it was started")
	}
}

func TestAServerThatDoesNotStartIsSaidToTheCaller(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.capability("diary", "*", "write a note into my diary", "read yesterday's diary note", "delete a diary note")
	file := filepath.Join(h.dir, "tap", "capabilities", "diary", "default.toml")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.ReplaceAll(string(text), `"-mark"`, `"-no-such-flag"`)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.declare()
	h.wrap()
	h.addTap()
	h.settings("[activate]\nactivate_at = 0.3\n")
	s := h.start()
	s.initialize(`{}`)
	contains(t, h.prompt("conversation-1", diaryPrompt), "the capability diary is enabled")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool", "the capability diary is not enabled: start diary")
	contains(t, s.call("capability", `{"action":"enable","name":"diary"}`), `"isError":true`, "start diary")
	contains(t, s.call("capability", `{"action":"list"}`), "diary: The diary desk", "the capability diary is not enabled")
}

func TestACapabilityThatExposesNothingIsNotBroughtInSilently(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.capability("diary", "*_nota", "write a note into my diary", "read yesterday's diary note", "delete a diary note")
	h.capability("garden", "*", "water the tomatoes", "plan which beds to plant", "when do I prune the roses")
	file := filepath.Join(h.dir, "tap", "capabilities", "garden", "default.toml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, strings.ReplaceAll(string(text), `["garden:*"]`, "[]"))
	h.declare()
	h.wrap()
	h.addTap()
	h.settings("[activate]\nactivate_at = 0.3\nsuggest_at = 0.05\n")
	s := h.start()
	s.initialize(`{}`)
	// That none matches is known once its server has listed, and to prompts once
	// that is written down.
	contains(t, s.call("capability", `{"action":"enable","name":"diary"}`), "warning: diary exposes no tools", `"diary exposes no tools: its`)
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
	s.call("capability", `{"action":"disable","name":"diary"}`)
	h.keeps("read_note")
	if said := h.prompt("conversation-1", diaryPrompt); strings.Contains(said, "diary") {
		t.Errorf("said %s", said)
	}
	// That none can is known beforehand.
	const why = "it exposes no tools: "
	contains(t, s.call("capability", `{"action":"list"}`), "garden: The garden desk [unready: "+why+file+":5")
	contains(t, s.call("capability", `{"action":"enable","name":"garden"}`), `"isError":true`, why)
	if said := h.prompt("conversation-1", "please water the tomatoes"); strings.Contains(said, "garden") {
		t.Errorf("said %s", said)
	}
	if isFile(filepath.Join(h.dir, "garden.mark")) {
		t.Error("its server was started")
	}
}

func TestAHostThatFollowsListsIsToldOfNewTools(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings("[activate]\nactivate_at = 0.3\n[gateway]\nmode = \"narrow\"\n")
	s := h.start()
	s.initialize(`{}`)
	if list := s.must("tools/list", ""); strings.Contains(list, "diary__") {
		t.Errorf("listed before: %s", list)
	}
	h.prompt("conversation-1", diaryPrompt)
	eventually(t, "the host is told", func() bool { return s.told("notifications/tools/list_changed") })
	contains(t, s.must("tools/list", ""), "diary__write_note")
}

func TestTheKernelKeepsToItsBytesWithATap(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	s := h.start()
	s.initialize(`{}`)
	var list struct{ Tools json.RawMessage }
	if err := json.Unmarshal([]byte(s.must("tools/list", "")), &list); err != nil || len(list.Tools) > 1700 {
		t.Errorf("%v, %d bytes: %s", err, len(list.Tools), list.Tools)
	}
}

func TestTheUsersRulesHoldForWhatCapabilitiesBringIn(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.config.Rules = []surface.Rule{
		{Effect: surface.EffectDeny, Server: "diary", Tool: "delete_*", Text: "mcp__diary__delete_*"},
		{Effect: surface.EffectDeny, Server: "garden", Tool: "*", Text: "mcp__garden"},
	}
	h.save()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("capability", `{"action":"enable","name":"diary"}`), "diary:write_note")
	contains(t, s.call("call_tool_write", `{"tool":"diary:delete_note","arguments":{"name":"a"}}`), "there is no tool")
	contains(t, s.call("capability", `{"action":"enable","name":"garden"}`), `"isError":true`, "the user's rules deny")
	if isFile(filepath.Join(h.dir, "garden.mark")) {
		t.Error("a denied server was started")
	}
}

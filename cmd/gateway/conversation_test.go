package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

func TestABroughtInServerIsToldWhatTheHostCanDo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.capability("diary", "*", "write a note into my diary")
	file := filepath.Join(h.dir, "tap", "capabilities", "diary", "default.toml")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.ReplaceAll(string(text), `"-mark"`, `"-elicit", "-mark"`)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.declare()
	h.wrap()
	h.addTap()
	h.settings("role = \"x\"\n[roles.x]\ncapabilities = [\"diary\"]\n")
	s := h.start()
	h.hook(`{"Kind":"session_start","Session":"conversation-1"}`) // before the host has said anything
	s.mu.Lock()
	s.answer["elicitation/create"] = `{"action":"accept","content":{"answer":"larkspur"}}`
	s.mu.Unlock()
	s.initialize(`{"elicitation":{}}`)
	contains(t, s.call("call_tool_write", `{"tool":"diary:ask","arguments":{"question":"what?"}}`), "larkspur")
}

func TestTwoConversationsDoNotShareCapabilities(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	first := h.start()
	first.initialize(`{}`)
	first.call("capability", `{"action":"enable","name":"diary"}`)
	h.env = append(h.env, "FAKE_SESSION=conversation-2")
	second := h.start()
	second.initialize(`{}`)
	contains(t, second.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
	contains(t, first.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
}

func TestClearDropsWhatIsActiveAndResumeBringsItBack(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	s := h.start()
	s.initialize(`{}`)
	s.call("capability", `{"action":"enable","name":"diary"}`)
	h.hook(`{"Kind":"session_start","Session":"conversation-2","Source":"clear"}`)
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
	h.hook(`{"Kind":"session_start","Session":"conversation-1","Source":"resume"}`)
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
	h.hook(`{"Kind":"session_start","Session":"conversation-1","Source":"clear"}`)
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
}

func TestTheEndOfAConversationTakesItsCapabilitiesAlong(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	s := h.start()
	s.initialize(`{}`)
	s.call("capability", `{"action":"enable","name":"diary"}`)
	h.hook(`{"Kind":"session_end","Session":"conversation-1"}`)
	h.hook(`{"Kind":"session_start","Session":"conversation-2","Source":"clear"}`)
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
	contains(t, h.prompt("conversation-2", diaryPrompt), "the capability diary is enabled")
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
	h.hook(`{"Kind":"session_end","Session":"conversation-2"}`)
	h.hook(`{"Kind":"session_start","Session":"conversation-1","Source":"resume"}`)
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
}

func TestWhatTheUserWantsFromTheStartIsThere(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings("role = \"developer:gardener\"\n[roles.\"developer:gardener\"]\ncapabilities = [\"garden\"]\n")
	h.env = append(h.env, "CTX_CAPABILITIES=diary,nothing")
	var s *session
	// No greeting waits for long, so on a busy machine one may come without it.
	eventually(t, "the greeting names what the role has", func() bool {
		s = h.start()
		if strings.Contains(s.initialize(`{}`), "garden (") { // with its tools, unless it takes too long to start
			return true
		}
		s.in.Close()
		must(t, s.wait())
		return false
	})
	contains(t, s.call("call_tool", `{"tool":"garden:echo","arguments":{"text":"larkspur"}}`), "larkspur")
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
	contains(t, s.call("capability", `{"action":"disable","name":"garden"}`), "belongs to the session's role")
	contains(t, s.call("capability", `{"action":"list"}`), "garden: The garden desk [static]", "diary: The diary desk [active]", `no capability is named \"nothing\"`)
}

func TestAFrontedServerOfTheSameCommandIsShared(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.capability("diary", "*", "write a note into my diary")
	h.addTap()
	srv := tap.Read(tap.Tap{Name: "acme/tools", Path: filepath.Join(h.dir, "tap")}, nil).Capabilities[0].Servers[0].Server
	srv.Scope, srv.Place = surface.ScopeProject, surface.Place{File: filepath.Join(h.ws, "fake.json"), Line: 1}
	srv.Approval = surface.ApproveAlways
	h.declare(srv)
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`)
	contains(t, s.call("capability", `{"action":"enable","name":"diary"}`), "diary is enabled", "diary:read_note")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "larkspur")
	s.call("capability", `{"action":"disable","name":"diary"}`)
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "larkspur")
}

func TestACommandsWishIsFollowed(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	s := h.start()
	s.initialize(`{}`)
	s.call("tool_search", `{"query":"note"}`)
	sessions := state.Open(filepath.Join(paths.Real(h.ws), ".ctx-surface"))
	if _, err := sessions.Update("conversation-1", func(s *state.Session) {
		s.Wanted = append(s.Wanted, state.Want{Ref: "acme/diary", By: "user"})
	}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the wish is met", func() bool {
		return strings.Contains(s.call("call_tool", `{"tool":"diary:echo","arguments":{"text":"x"}}`), "no tool") &&
			strings.Contains(s.call("tool_search", `{"query":"read a note"}`), `"diary:read_note"`)
	})
}

func TestAnEditOfATapCountsForTheNextPrompt(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	s := h.start()
	s.initialize(`{}`)
	s.call("capability", `{"action":"list"}`)
	if err := os.RemoveAll(filepath.Join(h.dir, "tap", "capabilities", "diary")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is gone", func() bool { return !strings.Contains(s.call("capability", `{"action":"list"}`), "diary") })
	if said := h.prompt("conversation-1", diaryPrompt); strings.Contains(said, "diary") {
		t.Errorf("said %s", said)
	}
}

func TestNothingIsDifferentForAUserWithoutATap(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.capability("diary", "*", "write a note into my diary") // a folder that nobody added
	h.declare(h.stub("desk"))
	h.wrap()
	h.settings("[gateway]\nnarrow_above = 2\n")
	h.env = append(h.env, "CTX_CAPABILITIES=diary")
	s := h.start()
	contains(t, s.initialize(`{}`), "desk")
	const listed = `{"tools":[{"name":"tool_search"`
	list := s.must("tools/list", "")
	if !strings.HasPrefix(list, listed) || strings.Contains(list, "capability") || len(list) > 1400 {
		t.Errorf("listed %s", list)
	}
	h.hook(`{"Kind":"session_start","Session":"conversation-1"}`)
	if said, want := h.prompt("conversation-1", diaryPrompt), `{"reply":{"Context":"","Decision":"","Reason":""},"session":"conversation-1"}`; said != want {
		t.Errorf("said %s", said)
	}
	if _, err := s.ask("tools/call", `{"name":"capability","arguments":{"action":"list"}}`); err == nil {
		t.Error("there is a tool capability")
	}
	if found := s.call("tool_search", `{"query":"diary"}`); strings.Contains(found, "capability:") {
		t.Errorf("found %s", found)
	}
	for _, path := range []string{loader.Vectors(h.layout), filepath.Join(h.layout.Data, "taps.toml"), filepath.Join(h.dir, "diary.mark")} {
		if isFile(path) {
			t.Errorf("%s was made", path)
		}
	}
	log, err := os.ReadFile(h.layout.Log("gateway"))
	if err != nil || strings.Contains(string(log), "taps") || strings.Contains(string(log), "routed") {
		t.Errorf("%v, log:\n%s", err, log)
	}
}

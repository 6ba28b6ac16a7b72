package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

func TestSearchDescribeAndCallReachTheServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk"))
	h.config.Servers[0].Approval = surface.ApproveAlways
	h.save()
	h.wrap()
	// Five tools would be listed as they are.
	if err := os.WriteFile(filepath.Join(h.ws, "ctx.toml"), []byte("[gateway]\nnarrow_above = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := h.start()
	contains(t, s.initialize(`{}`), `desk`)
	contains(t, s.must("tools/list", ""), "tool_search", "call_tool_write")
	contains(t, s.call("tool_search", `{"query":"read a note"}`), `"desk:read_note"`, `{name: string}`)
	contains(t, s.call("describe_tool", `{"tools":["desk:read_note"]}`), `"title":"Read note"`, `"authority":"read"`)
	contains(t, s.call("call_tool_write", `{"tool":"desk:write_note","arguments":{"name":"a","text":"larkspur"}}`), "content")
	contains(t, s.call("call_tool", `{"tool":"desk:read_note","arguments":{"name":"a"}}`), "larkspur")
	s.in.Close()
	if err := s.wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	calls, _ := usage.Open(filepath.Join(h.ws, ".ctx-surface")).Read()
	if len(calls) != 2 || calls[1].Server != "desk" || calls[1].Tool != "read_note" || calls[1].Session != "conversation-1" {
		t.Errorf("counted %+v", calls)
	}
}

func TestNothingWaitsForASlowCall(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk"))
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("call_tool", `{"tool":"desk:echo","arguments":{"text":"up"}}`), "up")
	// On a busy machine the call has to be a slower one.
	ms := 1000
	eventually(t, "others are answered before the slow call", func() bool {
		ms *= 2
		token := fmt.Sprint("p", ms)
		slow := make(chan error, 1)
		go func() {
			_, err := s.ask("tools/call", fmt.Sprintf(`{"name":"call_tool","arguments":{"tool":"desk:slow","arguments":{"ms":%d}},"_meta":{"progressToken":%q}}`, ms, token))
			slow <- err
		}()
		eventually(t, "progress", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return slices.ContainsFunc(s.notes, func(n string) bool {
				return strings.HasPrefix(n, "notifications/progress ") && strings.Contains(n, `"progressToken":"`+token+`"`)
			})
		})
		s.must("ping", "")
		contains(t, s.call("call_tool", `{"tool":"desk:echo","arguments":{"text":"meanwhile"}}`), "meanwhile")
		first := len(slow) == 0
		if err := <-slow; err != nil {
			t.Fatal(err)
		}
		return first
	})
}

func TestACancelledCallIsCancelledAtItsServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	log := filepath.Join(h.dir, "messages")
	h.declare(h.stub("desk", "-log", log), h.stub("other", "-log", log+"2"))
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	s.call("call_tool", `{"tool":"other:echo","arguments":{"text":"up"}}`)
	if _, err := s.in.Write([]byte(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"call_tool","arguments":{"tool":"desk:slow","arguments":{"ms":60000}}}}` + "\n")); err != nil {
		t.Fatal(err)
	}
	has := func(path, text string) bool { b, _ := os.ReadFile(path); return strings.Contains(string(b), text) }
	eventually(t, "the call arrives", func() bool { return has(log, "slow") })
	if err := s.conn.Notify("notifications/cancelled", json.RawMessage(`{"requestId":77}`)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cancellation arrives", func() bool { return has(log, "cancelled tools/call") })
	contains(t, s.call("call_tool", `{"tool":"desk:echo","arguments":{"text":"free again"}}`), "free again")
	if has(log+"2", "cancelled") {
		t.Error("the other server was told, too")
	}
}

func TestServersAskTheHostAndItsUser(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk", "-elicit", "-sample", "-roots"))
	h.config.Servers[0].Approval = surface.ApproveAlways
	h.save()
	h.wrap()
	s := h.start()
	s.answer = map[string]string{
		"elicitation/create":     `{"action":"accept","content":{"answer":"forty-two"}}`,
		"sampling/createMessage": `{"role":"assistant","content":{"type":"text","text":"a thought"},"model":"m"}`,
		"roots/list":             `{"roots":[{"uri":"file:///somewhere","name":"r"}]}`,
	}
	s.initialize(`{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`)
	contains(t, s.call("call_tool_write", `{"tool":"desk:ask","arguments":{"question":"what?"}}`), "forty-two")
	contains(t, s.call("call_tool_write", `{"tool":"desk:think","arguments":{"prompt":"hm"}}`), "a thought")
	// The server lists this tool once it has got the roots.
	eventually(t, "the tool comes", func() bool {
		return strings.Contains(s.call("tool_search", `{"query":"list_roots"}`), `"desk:list_roots"`)
	})
	contains(t, s.call("call_tool", `{"tool":"desk:list_roots"}`), "file:///somewhere")
}

func TestWhatNobodyApprovedIsNotStarted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	mark := func(name string) string { return filepath.Join(h.dir, name) }
	h.declare(h.stub("good", "-mark", mark("good")), h.stub("changed", "-mark", mark("old")), h.stub("off", "-mark", mark("off")))
	h.wrap()
	h.config.Servers[1] = h.stub("changed", "-mark", mark("new"))
	h.config.Servers[2].Disabled = true
	h.config.Servers = append(h.config.Servers, h.stub("beside", "-mark", mark("beside")))
	h.save()
	s := h.start()
	s.initialize(`{}`)
	answer := s.call("tool_search", `{"query":"note"}`)
	contains(t, answer, "good:read_note", "server changed was changed since the user approved it")
	for _, tool := range []string{"changed:echo", "off:echo", "beside:echo"} {
		contains(t, s.call("call_tool", `{"tool":"`+tool+`","arguments":{"text":"x"}}`), `"isError":true`)
	}
	if !isFile(mark("good")) {
		t.Error("the approved server was not started: the test shows nothing")
	}
	for _, name := range []string{"old", "new", "off", "beside"} {
		if isFile(mark(name)) {
			t.Errorf("%s was started", name)
		}
	}
	// Approving it is in force at the next request.
	h.approve(h.config.Servers[1])
	contains(t, s.call("call_tool", `{"tool":"changed:echo","arguments":{"text":"now"}}`), "now")
}

func TestADenyRuleHoldsFromTheNextRequestOn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk"))
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("call_tool", `{"tool":"desk:echo","arguments":{"text":"yet"}}`), "yet")
	h.config.Rules = []surface.Rule{{Effect: surface.EffectDeny, Server: "desk", Tool: "echo", Text: "no echo", Place: surface.Place{File: "f", Line: 1}}}
	h.save()
	answer := s.call("call_tool", `{"tool":"desk:echo","arguments":{"text":"still"}}`)
	contains(t, answer, `"isError":true`)
	if found := s.call("tool_search", `{"query":"echo text"}`); strings.Contains(found, "desk:echo") {
		t.Errorf("found: %s", found)
	}
}

func TestHooksFindTheGatewayOfTheirSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk"))
	h.wrap()
	first, second := h.start(), h.start()
	first.initialize(`{}`)
	contains(t, h.hook(`{"Kind":"tool_after","Session":"conversation-1"}`), `"session":"conversation-1"`)
	contains(t, h.hook(`{"Kind":"tool_after","Session":"conversation-9"}`), "nobody")
	second.in.Close()
	_ = second.wait()
	contains(t, h.hook(`{"Kind":"session_start","Source":"clear","Session":"conversation-2"}`), `"session":"conversation-2"`)
	contains(t, h.hook(`{"Kind":"tool_after","Session":"conversation-1"}`), "nobody")
}

func TestInNarrowModeThePromptChoosesWhatIsListed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk"), h.stub("shelf"))
	h.wrap()
	if err := os.WriteFile(filepath.Join(h.ws, "ctx.toml"), []byte("[gateway]\nmode = \"narrow\"\nnarrow_to = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("tool_search", `{"query":"delete a note"}`), "desk:delete_note")
	listed := func(tool string) bool { return strings.Contains(s.must("tools/list", ""), tool) }
	if listed("delete_note") {
		t.Error("listed before anybody asked for it")
	}
	h.hook(`{"Kind":"prompt","Session":"conversation-1","Prompt":"please delete the note about taxes"}`)
	eventually(t, "news to the host", func() bool { return s.told("notifications/tools/list_changed") })
	eventually(t, "the tool that fits the prompt is listed", func() bool { return listed("delete_note") })
	h.hook(`{"Kind":"prompt","Session":"conversation-1","Prompt":"yes"}`)
	if !listed("delete_note") {
		t.Error("a word of consent took the tool away")
	}
	h.hook(`{"Kind":"prompt","Session":"conversation-1","Prompt":"now read the other note"}`)
	eventually(t, "the next prompt's tool in its place", func() bool { return listed("read_note") && !listed("delete_note") })
}

func TestTheGatewayEndsWithItsHost(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk"))
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	s.call("call_tool", `{"tool":"desk:echo","arguments":{"text":"up"}}`)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := s.wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
}

func TestAGatewayWithoutItsAdapterSaysSoAndServesNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk", "-mark", filepath.Join(h.dir, "mark")))
	h.wrap()
	if err := os.Remove(filepath.Join(h.layout.Data, "plugins", "ctx-host-fake")); err != nil {
		t.Fatal(err)
	}
	s := h.start()
	contains(t, s.initialize(`{}`), "no server is served", "ctx doctor")
	contains(t, s.must("tools/list", ""), "tool_search")
	contains(t, s.call("tool_search", `{"query":"note"}`), "no server is served")
	if isFile(filepath.Join(h.dir, "mark")) {
		t.Error("a server was started on nobody's word")
	}
}

func TestTheCommandLineNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no host is wired in " + h.ws},
		{[]string{"--bogus"}, "flag provided but not defined: -bogus"},
		{[]string{"extra"}, `unexpected argument "extra"`},
	} {
		cmd := exec.Command(filepath.Join(h.dir, "ctx-gateway"), c.args...)
		cmd.Dir, cmd.Env = h.ws, h.env
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); err == nil || code != 2 {
			t.Errorf("%q: exit %d", c.args, code)
		}
		contains(t, string(out), "error: "+c.want, "hint: ")
	}
}

func TestAConfigurationThatCannotBeReadIsSaid(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare()
	h.wrap()
	if err := os.WriteFile(filepath.Join(h.ws, "fake.json"), []byte(`{"broken`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := h.start()
	contains(t, s.initialize(`{}`), "cannot be read")
	h.declare(h.stub("desk"))
	h.wrap()
	contains(t, s.call("call_tool", `{"tool":"desk:echo","arguments":{"text":"repaired"}}`), "repaired")
}

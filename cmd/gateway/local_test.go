package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/localtool"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// tool gives the workspace an executable, which waits for the user's word.
func (h *home) tool(name, description, body string) {
	h.t.Helper()
	dir := localtool.Folder(h.ws)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	text := "#!/bin/sh\n# @description " + description + "\n# @param *text string What it is about\n# @param count integer How often\n" + body + "\n"
	if err := os.WriteFile(path+"~", []byte(text), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		h.t.Fatal(err)
	}
}

// allow gives the user's word on the tools as they are now.
func (h *home) allow(names ...string) {
	h.t.Helper()
	tools, _ := localtool.Read(paths.Real(h.ws))
	for _, name := range names {
		found := false
		for _, tool := range tools {
			if tool.Name != name {
				continue
			}
			found = true
			d := tool.Declaration()
			if err := trust.Open(h.layout.Trust()).Approve(tool.TrustID(), trust.Approval{Fingerprint: d.Fingerprint(), By: "user", Server: d}); err != nil {
				h.t.Fatal(err)
			}
		}
		if !found {
			h.t.Fatalf("there is no tool %s", name)
		}
	}
}

// workshop is a workspace with a server and tools of its own.
func workshop(t *testing.T) *home {
	t.Helper()
	h := newHome(t)
	h.declare(h.stub("desk"))
	h.config.Rules = []surface.Rule{{Effect: surface.EffectAllow, Server: "*local", Tool: "*", Text: "mcp__local"}}
	h.save()
	h.wrap()
	h.settings("[gateway]\nnarrow_above = 0\n")
	h.tool("shout", "Shout a sentence about lighthouses.", `tr a-z A-Z; echo " from $PWD by $CTX_TOOL_NAME: $CTX_PARAM_TEXT"`)
	return h
}

const shoutCall = `{"tool":"local:shout","arguments":{"text":"who is there"}}`

func TestAToolOfTheWorkspaceIsThereOnceItIsApprovedAndAsLongAsItStaysSo(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	s := h.start()
	s.initialize(`{}`)
	const search = `{"query":"shout about lighthouses"}`
	absent := func(why string) {
		t.Helper()
		found := s.call("tool_search", search)
		if strings.Contains(found, `"local:shout"`) || strings.Contains(found, "Shout a sentence") {
			t.Errorf("found: %s", found)
		}
		contains(t, found, why)
		contains(t, s.call("describe_tool", `{"tools":["local:shout"]}`), `"unknown":["local:shout"]`)
		for _, how := range []string{"call_tool", "call_tool_write"} {
			contains(t, s.call(how, shoutCall), `"isError":true`, "there is no tool local:shout", why)
		}
	}
	absent("not served before the user approves: local:shout")

	h.allow("shout")
	contains(t, s.call("tool_search", search), `"local:shout"`, "remote-write")
	contains(t, s.call("describe_tool", `{"tools":["local:shout"]}`), `"required":["text"]`, `"name":"shout"`)
	contains(t, s.call("call_tool", shoutCall), "call_tool_write")
	contains(t, s.call("call_tool_write", shoutCall), `{\"TEXT\":\"WHO IS THERE\"}`, "from "+paths.Real(h.ws), "by shout: who is there")
	contains(t, s.call("call_tool_write", `{"tool":"local:shout","arguments":{}}`), `"isError":true`, "needs the argument text")

	h.tool("shout", "Shout a sentence about lighthouses.", `echo swapped; exit 0`)
	if got := s.call("call_tool_write", shoutCall); strings.Contains(got, "swapped") {
		t.Errorf("it runs unapproved: %s", got)
	}
	absent("changed since the user approved and not served: local:shout")
	h.allow("shout")
	contains(t, s.call("call_tool_write", shoutCall), "swapped")

	// Nobody has to say twice what was said of these very bytes.
	s.in.Close()
	if err := s.wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	s = h.start()
	contains(t, s.initialize(`{}`), "local (1)")
	contains(t, s.call("call_tool_write", shoutCall), "swapped")
}

func TestAToolThatFailsSaysHow(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	h.tool("fail", "Fail.", `echo partial; echo "no such lamp" >&2; exit 3`)
	h.tool("killed", "Be killed.", `kill -9 $$`)
	h.tool("flood", "Flood.", `cat /dev/zero`)
	h.tool("odd", "Write what is no text.", `printf 'a\377b'`)
	h.tool("deaf", "Read nothing.", `exec <&-; echo done`)
	interpreter := filepath.Join(localtool.Folder(h.ws), "lost")
	if err := os.WriteFile(interpreter, []byte("#!/no/such/interpreter\n# @description Lost.\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.allow("fail", "killed", "flood", "odd", "deaf", "lost")
	s := h.start()
	s.initialize(`{}`)
	call := func(name string) string {
		return s.call("call_tool_write", fmt.Sprintf(`{"tool":"local:%s","arguments":{"text":%q}}`, name, strings.Repeat("x", 1<<17)))
	}
	contains(t, call("fail"), `"isError":true`, "local:fail: exit status 3", `[stderr]\nno such lamp`, `[stdout]\npartial`)
	contains(t, call("killed"), `"isError":true`, "signal: killed")
	contains(t, call("flood"), `"isError":true`, "wrote more than it may")
	contains(t, call("odd"), "a\ufffdb")
	contains(t, call("deaf"), "done")
	contains(t, s.call("call_tool_write", `{"tool":"local:lost"}`), `"isError":true`, "interpreter")
}

// A file of a repository does not get less asked about by what it says of itself.
func TestNoToolOfTheWorkspacePassesForOneThatOnlyReads(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	h.tool("get_status", "Read the status of the site. Read-only: it only shows a list and changes nothing.", "echo fine")
	h.tool("delete_site", "Delete the site for good.", "echo gone")
	h.allow("get_status", "delete_site")
	h.config.Rules = nil
	h.save()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("describe_tool", `{"tools":["local:get_status"]}`), `"authority":"remote-write"`)
	contains(t, s.call("describe_tool", `{"tools":["local:delete_site"]}`), `"authority":"destructive"`)
	contains(t, s.call("call_tool", `{"tool":"local:get_status","arguments":{"text":"x"}}`), "call_tool_write")
	contains(t, h.hook(`{"Kind":"tool_before","Session":"conversation-1","Tool":{"Ours":true,"Tool":"call_tool_write","Input":{"tool":"local:get_status"}}}`), "ask")
	contains(t, h.hook(`{"Kind":"tool_before","Session":"conversation-1","Tool":{"Ours":true,"Tool":"local__get_status","Input":{}}}`), "ask")
}

func TestEachWorkspaceHasItsOwnTools(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	h.allow("shout")
	first := h.start()
	first.initialize(`{}`)
	other := *h
	other.ws = filepath.Join(h.dir, "other")
	if err := os.Mkdir(other.ws, 0o700); err != nil {
		t.Fatal(err)
	}
	other.save()
	other.wrap()
	other.settings("[gateway]\nnarrow_above = 0\n")
	other.tool("shout", "Whisper.", "echo whispered")
	second := other.start()
	second.initialize(`{}`)
	contains(t, second.call("call_tool_write", shoutCall), `"isError":true`, "not served before the user approves")
	other.allow("shout")
	contains(t, second.call("call_tool_write", shoutCall), "whispered")
	contains(t, first.call("call_tool_write", shoutCall), "WHO IS THERE")
}

func TestTheUsersRulesHoldForToolsOfTheWorkspace(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	h.tool("secret", "Tell a secret about lighthouses.", "echo told")
	h.tool("asked", "Ask about lighthouses.", "echo asked")
	h.allow("shout", "secret", "asked")
	h.config.Rules = []surface.Rule{
		{Effect: surface.EffectDeny, Server: "local", Tool: "secret", Text: "mcp__local__secret"},
		{Effect: surface.EffectAllow, Server: "local", Tool: "shout", Text: "mcp__local__shout"},
	}
	h.save()
	s := h.start()
	s.initialize(`{}`)
	found := s.call("tool_search", `{"query":"lighthouses"}`)
	contains(t, found, `"local:shout"`, `"local:asked"`)
	if strings.Contains(found, "secret") {
		t.Errorf("a denied tool is found: %s", found)
	}
	contains(t, s.call("call_tool_write", `{"tool":"local:secret","arguments":{"text":"a"}}`), "there is no tool")
	permit := func(tool string) string {
		return h.hook(`{"Kind":"tool_before","Session":"conversation-1","Tool":{"Ours":true,"Tool":"call_tool_write","Input":{"tool":"` + tool + `"}}}`)
	}
	contains(t, permit("local:secret"), "deny", "mcp__local__secret")
	contains(t, permit("mcp__local__secret"), "deny")
	contains(t, permit("local:shout"), "allow")
	contains(t, permit("local:asked"), "ask")
	contains(t, permit("asked"), "ask")
}

func TestAServerOfTheUsersKeepsTheNameLocal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("local"))
	h.config.Servers[0].Approval = surface.ApproveAlways
	h.config.Rules = []surface.Rule{{Effect: surface.EffectAllow, Server: "ctx/local", Tool: "*", Text: "mcp__ctx/local"}}
	h.save()
	h.wrap()
	h.settings("[gateway]\nnarrow_above = 0\n")
	h.tool("shout", "Shout a sentence about lighthouses.", "tr a-z A-Z")
	h.allow("shout")
	s := h.start()
	s.initialize(`{}`)
	found := s.call("tool_search", `{"query":"shout about lighthouses"}`)
	contains(t, found, `"ctx/local:shout"`, "served as ctx/local")
	contains(t, s.call("call_tool", `{"tool":"local:echo","arguments":{"text":"theirs"}}`), "theirs")
	contains(t, s.call("call_tool_write", `{"tool":"ctx/local:shout","arguments":{"text":"ours"}}`), "OURS")
	if got := s.call("call_tool_write", `{"tool":"local:shout","arguments":{"text":"ours"}}`); strings.Contains(got, "OURS") {
		t.Errorf("their name leads to our tool: %s", got)
	}
}

func TestAHostThatListsToolsIsToldOfThoseOfTheWorkspace(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	h.settings("")
	h.declare()
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	if list := s.must("tools/list", ""); strings.Contains(list, "local__shout") {
		t.Errorf("listed: %s", list)
	}
	h.tool("shout", "Shout.", "echo x")
	h.allow("shout")
	s.in.Close()
	if err := s.wait(); err != nil {
		t.Fatal(err)
	}
	s = h.start()
	s.initialize(`{}`)
	contains(t, s.must("tools/list", ""), `"local__shout"`)
	h.tool("whisper", "Whisper.", "echo hush")
	h.allow("whisper")
	eventually(t, "the host is told", func() bool { return s.told("notifications/tools/list_changed") })
	contains(t, s.must("tools/list", ""), `"local__whisper"`, `"local__shout"`)
	contains(t, s.must("tools/call", `{"name":"local__whisper","arguments":{"text":"x"}}`), "hush")
	h.tool("whisper", "Whisper.", "echo other")
	eventually(t, "the changed tool is taken off the list", func() bool { return !strings.Contains(s.must("tools/list", ""), "whisper") })
}

// Whatever the user has approved, rules that nobody could read may deny it.
func TestNoToolOfTheWorkspaceIsThereBeforeTheUsersRulesAreRead(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	h.allow("shout")
	if err := os.WriteFile(filepath.Join(h.ws, "fake.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := h.start()
	s.initialize(`{}`)
	const search = `{"query":"shout about lighthouses"}`
	if got := s.must("tools/list", "") + s.call("tool_search", search); strings.Contains(got, "local:shout") || strings.Contains(got, "local__shout") {
		t.Errorf("shown: %s", got)
	}
	contains(t, s.call("call_tool_write", shoutCall), `"isError":true`, "the configuration of fake cannot be read")
	h.save()
	contains(t, s.call("tool_search", search), `"local:shout"`)
	contains(t, s.call("call_tool_write", shoutCall), "WHO IS THERE")
}

func TestBadFilesAmongTheToolsAreNamed(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	h.allow("shout")
	bad := filepath.Join(localtool.Folder(h.ws), "bad")
	if err := os.WriteFile(bad, []byte("#!/bin/sh\n# @description Bad.\n# @param x wrong\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("tool_search", `{"query":"shout"}`), `"local:shout"`, "bad:3: ", "no type")
}

// A tool that runs ends with its gateway, whatever became of that, and when
// nobody waits for it any more.
func TestAToolThatRunsEndsWithItsGatewayAndWithItsCall(t *testing.T) {
	t.Parallel()
	if !isFile("/proc/self/stat") {
		t.Skip("processes are looked for in /proc")
	}
	for name, over := range map[string]func(s *session, withdraw func()){
		"killed":    func(s *session, _ func()) { _ = s.cmd.Process.Kill() },
		"closed":    func(s *session, _ func()) { s.in.Close() },
		"withdrawn": func(_ *session, withdraw func()) { withdraw() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := workshop(t)
			mark := filepath.Join(h.dir, "mark")
			h.tool("stay", "Stay.", `sh -c 'trap "" TERM HUP INT; echo $$ > `+mark+`~; mv `+mark+`~ `+mark+`; while :; do sleep 0.05; done' & sleep 1000`)
			h.allow("stay")
			s := h.start()
			s.initialize(`{}`)
			ctx, withdraw := context.WithCancel(t.Context())
			defer withdraw()
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				_, _ = s.conn.Call(ctx, "tools/call", json.RawMessage(`{"name":"call_tool_write","arguments":{"tool":"local:stay","arguments":{"text":"x"}}}`))
			}()
			eventually(t, "the tool runs", func() bool { return isFile(mark) })
			pid, err := os.ReadFile(mark)
			if err != nil {
				t.Fatal(err)
			}
			over(s, withdraw)
			eventually(t, "the tool and what it started are gone", func() bool {
				stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat"))
				return err != nil || strings.Contains(string(stat), ") Z ")
			})
			withdraw()
			<-answered
		})
	}
}

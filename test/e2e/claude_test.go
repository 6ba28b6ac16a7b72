package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

func kernelOnly(t *testing.T, s *session) {
	t.Helper()
	for _, name := range names(s.mcpTools()) {
		if !strings.HasPrefix(name, "mcp__plugin_ctx_ctx__") && !strings.HasPrefix(name, "mcp__ctx__") {
			t.Errorf("the model is still sent %s", name)
		}
	}
	if len(s.mcpTools()) != 4 {
		t.Errorf("MCP tools of the first request: %q, want the four of the kernel", names(s.mcpTools()))
	}
}

func TestClaudeIsSentTheKernelInPlaceOfEverySchema(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	direct := u.workspace("direct", u.reference)
	u.env = []string{"MCP_CONNECTION_NONBLOCKING=0"} // all servers are there in the first request
	before := u.claude(direct, nil, approved...)
	u.env = nil
	if n := len(before.mcpTools()); n < 30 {
		t.Fatalf("directly there are %d MCP tools: %s%s", n, before.out, before.err)
	}

	wrapped := u.workspace("wrapped", u.reference)
	u.wrap(wrapped, "claude")
	after := u.claude(wrapped, nil, approved...)
	kernelOnly(t, after)
	ratio := float64(size(after.mcpTools())) / float64(size(before.mcpTools()))
	t.Logf("MCP tools %d -> %d, bytes %d -> %d, ratio %.3f", len(before.mcpTools()), len(after.mcpTools()), size(before.mcpTools()), size(after.mcpTools()), ratio)
	if ratio > 0.10 {
		t.Errorf("ratio %.3f is over 0.10", ratio)
	}
	if p := u.parents(wrapped); strings.Contains(p, "claude") {
		t.Errorf("the host itself started a server:\n%s", p)
	}
	first := string(after.turn(0).Body)
	if n := strings.Count(first, "SessionStart hook additional context"); n != 1 {
		t.Errorf("the advisory is in the first request %d times, want once", n)
	}
	const ofEverything = "Everything Server"
	if strings.Contains(string(before.turn(0).Body), ofEverything) && strings.Contains(first, ofEverything) {
		t.Error("a server's own instructions are still sent")
	}
}

func TestClaudeFindsDescribesAndCallsInOneTurn(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.wrap(dir, "claude")
	s := u.claude(dir, []modelstub.Step{
		call("tool_search", args{"query": "read the text of a file"}),
		call("describe_tool", args{"tools": []string{"filesystem:read_text_file"}}),
		call("call_tool", args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}}),
		call("call_tool_write", args{"tool": "memory:create_entities", "arguments": args{"entities": []args{{"name": "heron", "entityType": "bird", "observations": []string{"grey"}}}}}),
	}, approved...)
	s.mustSay("filesystem:read_text_file", "inputSchema", "larkspur", "heron")
	if b, err := os.ReadFile(filepath.Join(dir, "memory.json")); err != nil || !strings.Contains(string(b), "heron") {
		t.Errorf("the memory server did not write where its env says: %v %s", err, b)
	}
}

func TestClaudeDefaultPermissionModeAsksByTheRealToolsRule(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.wrap(dir, "claude")
	write := call("call_tool_write", args{"tool": "memory:create_entities", "arguments": args{"entities": []args{{"name": "heron", "entityType": "bird", "observations": []string{}}}}})
	read := call("call_tool", args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}})
	search := call("tool_search", args{"query": "read the text of a file"})
	settings := []string{"--settings", `{"enableAllProjectMcpServers":true}`, "--permission-mode", "default"}

	// Nobody can be asked in -p: what is asked for is refused. A search is not.
	s := u.claude(dir, []modelstub.Step{search, write}, settings...)
	s.mustSay("filesystem:read_text_file")
	if _, err := os.Stat(filepath.Join(dir, "memory.json")); err == nil {
		t.Error("a write went through that nobody allowed")
	}

	allow := []string{"--settings", `{"enableAllProjectMcpServers":true,"permissions":{"allow":["mcp__filesystem__read_text_file","mcp__memory__create_entities"]}}`, "--permission-mode", "default"}
	u.write(".claude/settings.json", `{"permissions":{"allow":["mcp__filesystem__read_text_file","mcp__memory__create_entities"]}}`, u.home)
	s = u.claude(dir, []modelstub.Step{search, read, write}, allow...)
	s.mustSay("larkspur")
	if b, err := os.ReadFile(filepath.Join(dir, "memory.json")); err != nil || !strings.Contains(string(b), "heron") {
		t.Errorf("the write that the user's rule allows did not go through: %v\n%s", err, s.said())
	}
}

func TestClaudeDeniedToolIsAbsentAndRefused(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.write(".claude/settings.json", `{"permissions":{"deny":["mcp__memory__read_graph"]}}`, u.home)
	u.wrap(dir, "claude")
	s := u.claude(dir, []modelstub.Step{
		call("tool_search", args{"query": "read the entire knowledge graph", "limit": 20}),
		call("describe_tool", args{"tools": []string{"memory:read_graph"}}),
		call("call_tool", args{"tool": "memory:read_graph", "arguments": args{}}),
	}, approved...)
	s.mustSay("memory:search_nodes", "unknown")
	s.mustNotSay("Read the entire knowledge graph", `\"entities\":[]`)
}

func TestClaudeUserScopeServersAreFronted(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", nil)
	servers := u.reference(dir)
	u.write(".claude.json", toJSON(t, args{"mcpServers": servers, "numStartups": 7}), u.home)
	// The user's own servers need no further word.
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude")
	s := u.claude(dir, []modelstub.Step{
		call("call_tool", args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}}),
	}, approved...)
	kernelOnly(t, s)
	s.mustSay("larkspur")
	if p := u.parents(dir); strings.Contains(p, "claude") {
		t.Errorf("the host itself started a server:\n%s", p)
	}
}

func TestClaudeDefaultModeStillListsTheKernelAtOnce(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.wrap(dir, "claude")
	s := u.claude(dir, nil, append([]string{"ENABLE_TOOL_SEARCH=true"}, approved...)...)
	kernelOnly(t, s)
}

func TestClaudeWhereAWrapReaches(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.write("sub/deep/file.txt", "text\n", dir)
	for _, cmd := range [][]string{
		{"git", "add", "README.md", ".mcp.json", "sub"},
		{"git", "-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-qm", "first"},
		{"git", "worktree", "add", "-q", "../tree"},
	} {
		if r := u.run(dir, u.environ(), cmd[0], cmd[1:]...); r.code != 0 {
			t.Fatalf("%q: %s", cmd, r.err)
		}
	}
	other := u.workspace("other", u.reference)
	u.wrap(dir, "claude")
	// Not a file: the server takes the folder of the session for all it may read.
	u.write("memory.json", `{"type":"entity","name":"larkspur","entityType":"flower","observations":[]}`+"\n", dir)
	read := []modelstub.Step{call("call_tool", args{"tool": "memory:read_graph", "arguments": args{}})}
	for name, at := range map[string]string{"subfolder": dir + "/sub/deep", "worktree": filepath.Join(filepath.Dir(dir), "tree")} {
		t.Run(name, func(t *testing.T) {
			s := u.claude(at, read, approved...)
			kernelOnly(t, s)
			s.mustSay("larkspur")
		})
	}
	t.Run("unwrapped workspace", func(t *testing.T) {
		u.env = []string{"MCP_CONNECTION_NONBLOCKING=0"}
		s := u.claude(other, nil, approved...)
		u.env = nil
		if n := len(s.mcpTools()); n < 30 {
			t.Errorf("%d MCP tools where nothing is wrapped: %q", n, names(s.mcpTools()))
		}
		if strings.Contains(string(s.turn(0).Body), "ctx") && strings.Contains(string(s.turn(0).Body), "hook additional context") {
			t.Error("the advisory reached a workspace that is not wrapped")
		}
		if _, err := os.Stat(filepath.Join(other, ".ctx-surface")); err == nil {
			t.Error("a session left .ctx-surface in a workspace that is not wrapped")
		}
	})
}

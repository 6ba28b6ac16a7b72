package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// codexUser has the reference servers at user level, in a file with comments.
func codexUser(t *testing.T) (u *user, dir, config string) {
	t.Helper()
	u = newUser(t)
	dir = u.workspace("w", nil)
	u.reference(dir)
	var b strings.Builder
	b.WriteString("# my servers\n")
	for _, s := range []struct{ name, extra, env string }{
		{"everything", "", ""},
		{"filesystem", fmt.Sprintf(", %q", dir+"/data"), ""},
		{"memory", "", fmt.Sprintf("env = { MEMORY_FILE_PATH = %q }\n", dir+"/memory.json")},
	} {
		module := filepath.Join(clients, "node_modules/@modelcontextprotocol/server-"+s.name+"/dist/index.js")
		fmt.Fprintf(&b, "[mcp_servers.%s] # one of mine\ncommand = %q\nargs = [%q%s]\n%s", s.name, dir+"/start.sh", module, s.extra, s.env)
	}
	fmt.Fprintf(&b, "[projects.%q]\ntrust_level = \"trusted\"\n", dir)
	return u, dir, u.write(".codex/config.toml", b.String(), u.home)
}

// codexWaits are the arguments by which Codex has all servers of codexUser started
// before its first request. By itself it sends the request with those that are
// there.
func codexWaits() (args []string) {
	for _, name := range []string{"everything", "filesystem", "memory"} {
		args = append(args, "-c", "mcp_servers."+name+".required=true")
	}
	return args
}

func TestCodexIsSentTheKernelInPlaceOfEverySchema(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-5", "gpt-5.5"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			u, dir, _ := codexUser(t)
			before := u.codex(dir, model, nil, codexWaits()...)
			if n := len(before.mcpTools()); model == "gpt-5" && n < 30 {
				t.Fatalf("directly there are %d MCP tools: %s%s", n, before.out, before.err)
			}
			u.wrap(dir, "codex")
			after := u.codex(dir, model, nil)
			kernelOnly(t, after)
			t.Logf("MCP tools %d -> %d, bytes %d -> %d", len(before.mcpTools()), len(after.mcpTools()), size(before.mcpTools()), size(after.mcpTools()))
			if model == "gpt-5" && float64(size(after.mcpTools())) > 0.10*float64(size(before.mcpTools())) {
				t.Error("more than a tenth of the bytes is left")
			}
			if n := strings.Count(string(after.turn(0).Body), "ctx: "); n < 1 {
				t.Error("the advisory is not in the first request")
			}
		})
	}
}

func TestCodexFindsDescribesAndCallsInOneTurn(t *testing.T) {
	t.Parallel()
	u, dir, config := codexUser(t)
	before := u.read(config)
	u.wrap(dir, "codex")
	s := u.codex(dir, "gpt-5.5", []modelstub.Step{
		onCodex("tool_search", args{"query": "read the text of a file"}),
		onCodex("describe_tool", args{"tools": []string{"filesystem:read_text_file"}}),
		onCodex("call_tool", args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}}),
	})
	s.mustSay("filesystem:read_text_file", "inputSchema", "larkspur")
	if p := u.parents(dir); strings.Contains(p, "codex") {
		t.Errorf("the host itself started a server:\n%s", p)
	}
	u.ctx(dir, "unwrap")
	if after := u.read(config); after != before {
		t.Errorf("config.toml after unwrap:\n%s\nbefore:\n%s", after, before)
	}
}

func TestCodexWriteIsAskedForAndReadsAreNot(t *testing.T) {
	t.Parallel()
	u, dir, config := codexUser(t)
	u.wrap(dir, "codex")
	write := onCodex("call_tool_write", args{"tool": "memory:create_entities", "arguments": args{"entities": []args{{"name": "heron", "entityType": "bird", "observations": []string{}}}}})
	read := onCodex("call_tool", args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}})
	s := u.askingCodex(dir, "gpt-5", []modelstub.Step{read, write})
	s.mustSay("larkspur")
	if _, err := os.Stat(filepath.Join(dir, "memory.json")); err == nil {
		t.Errorf("a write went through that nobody allowed:\n%s", s.said())
	}

	// The user's own setting for the real server lets it through.
	text := u.read(config)
	u.write("config.toml", strings.Replace(text, "[mcp_servers.memory] # one of mine\n", "[mcp_servers.memory] # one of mine\ndefault_tools_approval_mode = \"approve\"\n", 1), filepath.Dir(config))
	s = u.askingCodex(dir, "gpt-5", []modelstub.Step{write})
	if b, err := os.ReadFile(filepath.Join(dir, "memory.json")); err != nil || !strings.Contains(string(b), "heron") {
		t.Errorf("the write that the user's configuration allows did not go through: %v\n%s", err, s.said())
	}
}

func TestCodexDisabledToolIsAbsentAndRefused(t *testing.T) {
	t.Parallel()
	u, dir, config := codexUser(t)
	text := u.read(config)
	u.write("config.toml", strings.Replace(text, "[mcp_servers.memory] # one of mine\n", "[mcp_servers.memory] # one of mine\ndisabled_tools = [\"read_graph\"]\n", 1), filepath.Dir(config))
	u.wrap(dir, "codex")
	s := u.codex(dir, "gpt-5", []modelstub.Step{
		onCodex("tool_search", args{"query": "read the entire knowledge graph", "limit": 20}),
		onCodex("call_tool", args{"tool": "memory:read_graph", "arguments": args{}}),
	})
	s.mustSay("memory:search_nodes")
	s.mustNotSay("Read the entire knowledge graph")
}

func TestBothHostsAtOnce(t *testing.T) {
	t.Parallel()
	u, dir, _ := codexUser(t)
	u.write(".mcp.json", toJSON(t, args{"mcpServers": u.reference(dir)}), dir)
	u.write(".claude/settings.json", "{\n\t\"theme\": \"dark\"\n}\n", u.home)
	before := u.snapshot(dir)
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes")
	read := args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}}
	c := u.claude(dir, []modelstub.Step{call("call_tool", read)}, approved...)
	kernelOnly(t, c)
	c.mustSay("larkspur")
	x := u.codex(dir, "gpt-5", []modelstub.Step{onCodex("call_tool", read)})
	kernelOnly(t, x)
	x.mustSay("larkspur")

	u.ctx(dir, "unwrap", "--host", "claude")
	kernelOnly(t, u.codex(dir, "gpt-5", nil))
	u.ctx(dir, "unwrap")
	os.Remove(filepath.Join(dir, "parents")) // written by the servers
	u.mustBe(before, dir)
}

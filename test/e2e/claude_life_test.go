package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

func TestClaudeServerAddedAfterWrapIsNamed(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", notes("a", "a2"))
	u.wrap(dir, "claude")
	u.write(".mcp.json", toJSON(t, args{"mcpServers": notes("a", "a2", "late")(dir)}), dir)
	s := u.claude(dir, nil, approved...)
	if !slices.Contains(names(s.mcpTools()), "mcp__late__read_note") {
		t.Errorf("the host does not load the new server: %q", names(s.mcpTools()))
	}
	if body := string(s.turn(0).Body); !strings.Contains(body, "late") || !strings.Contains(body, "ctx wrap") {
		t.Error("the advisory does not name the server that the host loads beside us")
	}
	u.wrap(dir, "claude")
	s = u.claude(dir, []modelstub.Step{call("call_tool", args{"tool": "late:read_note", "arguments": args{"name": "welcome"}})}, approved...)
	kernelOnly(t, s)
	s.mustSay("Hello from the stub")
}

func TestClaudeChangedServerIsNotStartedThroughUs(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", notes("a", "a2"))
	u.wrap(dir, "claude")
	changed := notes("a", "a2")(dir)
	changed["a"] = args{"command": stub, "args": []string{"--mark", dir + "/MARK-changed"}}
	u.write(".mcp.json", toJSON(t, args{"mcpServers": changed}), dir)
	u.unmark(dir)
	s := u.claude(dir, []modelstub.Step{
		call("tool_search", args{"query": "read a note"}),
		call("call_tool", args{"tool": "a:read_note", "arguments": args{"name": "welcome"}}),
		call("call_tool", args{"tool": "a2:read_note", "arguments": args{"name": "welcome"}}),
	}, approved...)
	s.mustSay("Hello from the stub") // of a2, which nobody changed
	if m := u.marks(dir); strings.Contains(m, "changed") {
		t.Errorf("started: %q", m)
	}
}

func TestClaudeNoMarkOfAServerThatIsOffOrUnapproved(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", notes("on", "off", "unasked"))
	u.write(".claude/settings.json", `{"disabledMcpjsonServers":["off"],"enabledMcpjsonServers":["on"]}`, u.home)
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude") // nobody is asked, nobody says yes
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "SessionEnd"} {
		u.hook(dir, "claude", event, `{"session_id":"s1","hook_event_name":"`+event+`","source":"startup","prompt":"use every tool","cwd":"`+dir+`"}`)
	}
	for _, command := range [][]string{{"tools", "search", "read a note"}, {"tools", "call", "unasked:read_note"}, {"tools", "call", "off:read_note"}, {"doctor"}, {"surface", "inventory"}} {
		u.tryCtx(dir, command...)
	}
	if m := u.marks(dir); m != "on" {
		t.Errorf("started without the host: %q, want on alone", m)
	}
	// Without a terminal, Claude Code starts by itself what nobody has decided
	// about; what is off stays off.
	s := u.claude(dir, []modelstub.Step{
		call("tool_search", args{"query": "read a note", "limit": 20}),
		call("call_tool", args{"tool": "off:read_note", "arguments": args{"name": "welcome"}}),
	}, "--permission-mode", "bypassPermissions")
	s.turn(0)
	if m := strings.Fields(u.marks(dir)); slices.Contains(m, "off") {
		t.Errorf("off was started: %q", m)
	}
}

func TestClaudeKilledLeavesNoServer(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", func(dir string) map[string]any {
		all := notes("a")(dir)
		all["stubborn"] = args{"command": stub, "args": []string{"--ignore-eof", "--ignore-term", "--mark", dir + "/MARK-stubborn"}}
		return all
	})
	u.wrap(dir, "claude")
	u.unmark(dir)
	m, err := modelstub.Start([]modelstub.Step{call("call_tool", args{"tool": "stubborn:slow", "arguments": args{"ms": 60000}})})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	host := exec.CommandContext(ctx, filepath.Join(clients, "node_modules/.bin/claude"), append([]string{"-p", "go"}, approved...)...)
	host.Dir = dir
	host.Env = u.environ("ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1", "ENABLE_TOOL_SEARCH=false")
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	for u.marks(dir) == "" {
		if ctx.Err() != nil {
			t.Fatal("the server was never started")
		}
		time.Sleep(50 * time.Millisecond)
	}
	// Everything of this session has the home in its environment or the mark in
	// its arguments.
	if len(u.processes()) == 0 {
		t.Fatal("no process of the session is found: the test itself is broken")
	}
	host.Process.Kill()
	host.Wait()
	deadline := time.Now().Add(30 * time.Second) // generous: a busy machine
	for {
		left := u.processes()
		if len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("still there: %q", left)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// processes are the command lines of ctx's programs and of servers that work
// for this user.
func (u *user) processes() []string {
	u.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(all) == 0 {
		u.t.Skip("no /proc here")
	}
	var found []string
	for _, path := range all {
		line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err != nil || len(line) == 0 {
			continue
		}
		env, _ := os.ReadFile(path) // of someone else's process, or one that just ended
		words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		ours := filepath.Dir(words[0]) == filepath.Join(prefix, "bin") || words[0] == stub
		if ours && (strings.Contains(string(env), u.home) || strings.Contains(string(line), filepath.Dir(u.home))) {
			found = append(found, strings.Join(words, " "))
		}
	}
	return found
}

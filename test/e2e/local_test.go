package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// tool gives a workspace an executable of its own.
func (u *user) tool(dir, name, body string) {
	u.t.Helper()
	path := u.write(filepath.Join(".agents", "tools", name), "#!/bin/sh\n# @description Light the lighthouse.\n# @param *lamp string Which lamp\n"+body+"\n", dir)
	if err := os.Chmod(path, 0o755); err != nil {
		u.t.Fatal(err)
	}
}

var lightLamp = args{"tool": "local:light", "arguments": args{"lamp": "foxglove"}}

func TestAToolOfTheWorkspaceFromApprovalToChange(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", func(string) map[string]any { return args{"desk": args{"command": stub}} })
	u.tool(dir, "light", `echo "lit $CTX_PARAM_LAMP"; cat`)
	u.wrap(dir, "claude")

	notYet := func(when string) {
		t.Helper()
		r := u.tryCtx(dir, "tools", "search", "light the lighthouse")
		if strings.Contains(r.out, "Light the lighthouse.") || !strings.Contains(r.out+r.err, "local:light") {
			t.Errorf("%s: found\n%s%s", when, r.out, r.err)
		}
		if r := u.tryCtx(dir, "tools", "call", "local:light", "--args", `{"lamp":"foxglove"}`); r.code == 0 || strings.Contains(r.out, "lit") {
			t.Errorf("%s: called\n%s%s", when, r.out, r.err)
		}
		if r := u.tryCtx(dir, "doctor"); !strings.Contains(r.out, "tool local:light") {
			t.Errorf("%s: doctor\n%s%s", when, r.out, r.err)
		}
		if said := u.hook(dir, "claude", "SessionStart", `{"hook_event_name":"SessionStart","source":"startup","session_id":"`+when+`","cwd":"`+dir+`"}`); !strings.Contains(said, "local:light") {
			t.Errorf("%s: the first message says %s", when, said)
		}
	}
	notYet("new")
	if out := u.ctx(dir, "trust", "diff", "local:light"); !strings.Contains(out, "+ # @description Light the lighthouse.") {
		t.Errorf("diff:\n%s", out)
	}
	u.ctx(dir, "trust", "approve", "local:light")
	if out := u.ctx(dir, "tools", "search", "light the lighthouse"); !strings.Contains(out, "local:light") {
		t.Errorf("approved, and not found:\n%s", out)
	}
	u.tool(dir, "light", `echo "lit another"`)
	notYet("changed")
	if out := u.ctx(dir, "trust", "diff", "local:light"); !strings.Contains(out, "+ echo \"lit another\"") || !strings.Contains(out, "- echo") {
		t.Errorf("diff:\n%s", out)
	}
}

func TestClaudeCallsAToolOfTheWorkspaceUnderTheUsersRules(t *testing.T) {
	needClients(t)
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", func(string) map[string]any { return args{"desk": args{"command": stub}} })
	u.tool(dir, "light", `echo "lit $CTX_PARAM_LAMP"`)
	u.write("ctx.toml", "[gateway]\nnarrow_above = 0\n", dir)
	u.tool(dir, "sink", `echo "sunk $CTX_PARAM_LAMP"`)
	u.wrap(dir, "claude")
	u.ctx(dir, "trust", "approve", "local:light", "local:sink")
	script := []modelstub.Step{
		call("tool_search", args{"query": "light the lighthouse"}), call("call_tool_write", lightLamp),
		call("call_tool_write", args{"tool": "local:sink", "arguments": args{"lamp": "foxglove"}}),
	}
	u.write(".claude/settings.json", `{"permissions":{"allow":["mcp__local__light"],"deny":["mcp__local__sink"]}}`, u.home)
	s := u.claude(dir, script, approved...)
	s.mustSay("local:light", "lit foxglove")
	s.mustNotSay("sunk foxglove")
}

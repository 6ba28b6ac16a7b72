package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// What is pruned is gone at the next request of a session that runs already, and
// so it is back.
func TestPruningReachesARunningSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := filepath.Join(h.dir, "tools")
	writeFile(t, file, getTool+strings.ReplaceAll(putTool, "Put a row", "Put a row, "+sentinel+","))
	h.declare(h.stub("table", "-tools", file), h.stub("other", "-tools", file))
	h.wrap()
	writeFile(t, filepath.Join(h.ws, "ctx.toml"), "[gateway]\nnarrow_above = 0\n")
	s := h.start()
	s.initialize("{}")
	look := func() string {
		return s.must("tools/list", "") + s.call("tool_search", `{"query":"put a row into the table"}`) +
			s.call("describe_tool", `{"tools":["table:put_row"]}`) + s.call("call_tool", `{"tool":"table:put_row"}`)
	}
	if got := look(); !strings.Contains(got, sentinel) || !strings.Contains(got, "other:put_row") {
		t.Fatalf("before: %s", got)
	}
	decide := func(all ...prune.Decision) {
		t.Helper()
		r := prune.Receipt{}
		if len(all) > 0 {
			r.Hosts = []prune.HostReceipt{{Host: "fake", Decisions: all}}
		}
		if _, err := prune.Save(h.layout, paths.Real(h.ws), r); err != nil {
			t.Fatal(err)
		}
	}
	decide(
		prune.Decision{ID: "mcp_tool:table:put_row", Kind: surface.KindTool, Provider: "table", Name: "put_row", By: prune.ByRule, Where: prune.AtGateway},
		prune.Decision{ID: "mcp_server:user:other", Kind: surface.KindServer, Provider: "user", Name: "other", By: prune.ByRule, Where: prune.AtGateway},
	)
	if got := look(); strings.Contains(got, sentinel) || strings.Contains(got, "other:") || !strings.Contains(got, "table:get_row") {
		t.Errorf("pruned: %s", got)
	}
	denied := h.hook(`{"Kind":"tool_before","Session":"conversation-1","Tool":{"Ours":true,"Tool":"call_tool","Input":{"tool":"table:put_row"}}}`)
	if !strings.Contains(denied, "deny") || !strings.Contains(denied, "ctx prune") {
		t.Errorf("the hook says %s", denied)
	}
	decide()
	if got := look(); !strings.Contains(got, sentinel) || !strings.Contains(got, "other:put_row") {
		t.Errorf("afterwards: %s", got)
	}
	if _, err := os.Stat(filepath.Join(h.ws, ".ctx-surface", "prune.json")); err == nil {
		t.Error("the receipt is still there")
	}
}

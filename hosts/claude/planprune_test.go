package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

func TestPruningSwitchesOffWhatClaudeCodeHasASwitchFor(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive())
	items := []plugins.PruneItem{
		{Kind: surface.KindServer, Provider: "project", Name: "my server.v2"},
		{Kind: surface.KindTool, Provider: "my server.v2", Name: "read/é"},
		{Kind: surface.KindTool, Provider: "my_server.v2", Name: "read/é"}, // the same to Claude Code
		{Kind: surface.KindSkill, Provider: "project", Name: "folder (front)", File: "/w/.claude/skills/folder/SKILL.md"},
		{Kind: surface.KindCommand, Provider: "user", Name: "sub:ship", File: "/h/.claude/commands/sub/ship.md"},
		{Kind: surface.KindAgent, Provider: "plugin:kit", Name: "kit:helper"},
		{Kind: surface.KindSkill, Provider: "plugin:kit", Name: "kit:tool"},
		{Kind: surface.KindServer, Provider: "managed", Name: "corp"},
		{Kind: surface.KindHook, Provider: "project", Name: "x"},
	}
	p, err := f.adapter.PlanPrune(t.Context(), plugins.PruneRequest{Machine: f.request.Machine, Workspace: f.ws(), Items: items})
	if err != nil {
		t.Fatal(err)
	}
	want := []wiring.Op{
		{Kind: wiring.Append, Path: []string{"deniedMcpServers"}, Value: json.RawMessage(`{"serverName":"my server.v2"}`)},
		{Kind: wiring.Append, Path: []string{"permissions", "deny"}, Value: json.RawMessage(`"mcp__my_server_v2__read__"`)},
		{Kind: wiring.Set, Path: []string{"skillOverrides", "folder"}, Value: json.RawMessage(`"user-invocable-only"`)},
		{Kind: wiring.Set, Path: []string{"skillOverrides", "sub:ship"}, Value: json.RawMessage(`"user-invocable-only"`)},
		{Kind: wiring.Append, Path: []string{"permissions", "deny"}, Value: json.RawMessage(`"Agent(kit:helper)"`)},
	}
	if diff := cmp.Diff(want, p.Edits[0].Ops); diff != "" || len(p.Edits) != 1 {
		t.Errorf("%d edits (-want +got):\n%s", len(p.Edits), diff)
	}
	if e := p.Edits[0]; !strings.HasSuffix(e.Path, "/.claude/settings.local.json") || !e.Exclude || e.Tracked == "" {
		t.Errorf("%+v", e)
	}
	var stays []int
	for _, s := range p.Stays {
		stays = append(stays, s.Item)
		if s.Why == "" {
			t.Errorf("item %d stays, and nobody says why", s.Item)
		}
	}
	if diff := cmp.Diff([]int{6, 7, 8}, stays); diff != "" {
		t.Errorf("stays (-want +got):\n%s", diff)
	}
}

func TestWhatIsSwitchedOffIsNotPriced(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive(
		"workspace/.claude/skills/a/SKILL.md", "---\ndescription: Does A.\n---\n",
		"workspace/.claude/skills/b/SKILL.md", "---\ndescription: Does B.\n---\n",
		"workspace/.claude/commands/sub/c.md", "---\ndescription: Does C.\n---\n",
		"workspace/.claude/agents/one.md", "---\nname: one\ndescription: Is one.\n---\n",
		"workspace/.claude/agents/two.md", "---\nname: two\ndescription: Is two.\n---\n",
		"workspace/.claude/settings.json", `{"skillOverrides": {"a": "on", "b": "name-only"}}`,
		"workspace/.claude/settings.local.json", `{"permissions": {"deny": ["Agent(one)"]}, "skillOverrides": {"a": "user-invocable-only", "sub:c": "off"}}`,
	))
	src, err := f.adapter.Sources(t.Context(), f.request)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, it := range src.Items {
		sizes[it.Name] = it.Resident
	}
	want := map[string]int{"a": 0, "b": len("- b\n"), "sub:c": 0, "two": len("- two: Is two. (Tools: All tools)\n")}
	if diff := cmp.Diff(want, sizes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/plugins"
)

func (w *wrap) prune(t *testing.T, items ...plugins.PruneItem) plugins.PrunePlan {
	t.Helper()
	plan, err := w.adapter.PlanPrune(context.Background(), plugins.PruneRequest{Machine: w.machine, Workspace: w.workspace, Items: items})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestPrunedThingsAreOffAndComeBackByteForByte(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"tables":   "[mcp_servers.a]\ncommand = \"a\" # mine\n\n[mcp_servers.b]\ncommand = \"b\"\n",
		"a list":   "[mcp_servers.a]\r\ncommand = \"a\"\r\ndisabled_tools = [ 'old' ] # some\r\n[mcp_servers.b]\r\ncommand = 'b'\r\nenabled = true\r\n[[skills.config]]\r\npath = \"/x\"\r\nenabled = false\r\n",
		"in a row": "mcp_servers = { a = { command = \"a\" }, b = { command = \"b\" } }",
		"dotted":   "mcp_servers.a.command = \"a\"\nmcp_servers.b.command = \"b\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWrap(t, config)
			skill := filepath.Join(w.machine.Home, ".codex/skills/beta/SKILL.md")
			hometest.Write(t, skill, "---\nname: beta\ndescription: Does beta.\n---\n")
			plan := w.prune(t,
				plugins.PruneItem{Kind: surface.KindTool, Provider: "a", Name: "drop"},
				plugins.PruneItem{Kind: surface.KindTool, Provider: "a", Name: "wipe"},
				plugins.PruneItem{Kind: surface.KindServer, Provider: "user", Name: "b"},
				plugins.PruneItem{Kind: surface.KindSkill, Provider: "user", Name: "beta", File: skill},
			)
			if len(plan.Stays) > 0 {
				t.Fatalf("%+v", plan.Stays)
			}
			w.carryOut(t, plan.Edits)
			s := w.sources(t, nil)
			var tools []string
			for _, srv := range s.Servers {
				if srv.Name == "a" {
					tools = srv.DisabledTools
				}
				if srv.Name == "b" && !srv.Disabled {
					t.Error("b is still on")
				}
			}
			if !slices.Contains(tools, "drop") || !slices.Contains(tools, "wipe") {
				t.Errorf("off are %q", tools)
			}
			if slices.ContainsFunc(s.Items, func(it surface.Item) bool { return it.Name == "beta" }) {
				t.Error("the skill is still there")
			}
			w.undo(t)
			if b, err := os.ReadFile(w.config); err != nil || string(b) != config {
				t.Errorf("%v\n%s", err, b)
			}
		})
	}
}

func TestWhatCodexHasNoSwitchForStays(t *testing.T) {
	t.Parallel()
	w := newWrap(t, "[mcp_servers.a]\ncommand = \"a\"\n")
	plan := w.prune(t,
		plugins.PruneItem{Kind: surface.KindAgent, Provider: "user", Name: "helper"},
		plugins.PruneItem{Kind: surface.KindSkill, Provider: "plugin:kit", Name: "kit:x"},
		plugins.PruneItem{Kind: surface.KindTool, Provider: "nowhere", Name: "x"},
	)
	if len(plan.Stays) != 3 || len(plan.Edits) != 0 || !strings.Contains(plan.Stays[2].Why, `no server "nowhere"`) {
		t.Errorf("%+v", plan)
	}
}

// Two workspaces prune in the one file of the user's, and one takes it back.
func TestTwoWorkspacesPruneTheSameServer(t *testing.T) {
	t.Parallel()
	const config = "[mcp_servers.a]\ncommand = \"a\"\n"
	w := newWrap(t, config)
	for _, c := range []struct{ workspace, tool string }{{"/one", "drop"}, {"/two", "wipe"}} {
		plan := w.prune(t, plugins.PruneItem{Kind: surface.KindTool, Provider: "a", Name: c.tool})
		change, err := w.store.Plan(wiring.Owner{Workspace: c.workspace, Host: hostName, For: wiring.Prune}, plan.Edits)
		if err == nil {
			err = change.Apply()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, workspace := range []string{"/one", "/two"} {
		change, err := w.store.Unplan(wiring.Owner{Workspace: workspace, Host: hostName, For: wiring.Prune})
		if err == nil {
			err = change.Apply()
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := w.sources(t, nil).Servers[0].DisabledTools; i == 0 && !slices.Equal(got, []string{"wipe"}) {
			t.Errorf("after the first has it back, off are %q", got)
		}
	}
	if b, err := os.ReadFile(w.config); err != nil || string(b) != config {
		t.Errorf("%v\n%s", err, b)
	}
}

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

func compile(t *testing.T, req plugins.CompileRequest) map[string]string {
	t.Helper()
	req.Dir, req.Workspace = "/ws/.ctx-surface", "/ws"
	c, err := newAdapter().Compile(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	launch := []string{
		"claude", "--strict-mcp-config", "--mcp-config", "/ws/.ctx-surface/mcp.claude.json",
		"--settings", "/ws/.ctx-surface/settings.claude.json",
	}
	if diff := cmp.Diff(launch, c.Launch); diff != "" {
		t.Errorf("launch line (-want +got):\n%s", diff)
	}
	files := make(map[string]string)
	for _, f := range c.Files {
		files[f.Name] = string(f.Content)
	}
	return files
}

func TestCompileServersAsTheirUserWroteThem(t *testing.T) {
	t.Parallel()
	got := compile(t, plugins.CompileRequest{
		Servers: []surface.Server{
			{Name: "a", Transport: surface.Stdio, Command: "npx", Args: []string{"<x>"}, Env: map[string]string{"T": "${T}"}, CallTimeout: time.Minute, Eager: true},
			{Name: "b c", Transport: surface.HTTP, URL: "https://b", Headers: map[string]string{"H": "v"}, HeadersCmd: "h"},
		},
		DenyTools: map[string][]string{"b c": {"z.z", "a"}},
	})
	want := map[string]string{
		"mcp.claude.json": `{
  "mcpServers": {
    "a": {
      "command": "npx",
      "args": [
        "<x>"
      ],
      "env": {
        "T": "${T}"
      },
      "timeout": 60000,
      "alwaysLoad": true
    },
    "b c": {
      "type": "http",
      "url": "https://b",
      "headers": {
        "H": "v"
      },
      "headersHelper": "h"
    }
  }
}
`,
		"settings.claude.json": `{
  "permissions": {
    "deny": [
      "mcp__b_c__a",
      "mcp__b_c__z_z"
    ]
  }
}
`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestCompileTheGateway(t *testing.T) {
	t.Parallel()
	got := compile(t, plugins.CompileRequest{
		Gateway: true, GatewayBin: "/bin/ctx-gateway",
		Servers: []surface.Server{{Name: "fronted", Transport: surface.Stdio, Command: "x"}},
	})
	const want = `{
  "mcpServers": {
    "ctx": {
      "command": "/bin/ctx-gateway",
      "args": [
        "--host",
        "claude",
        "--workspace",
        "/ws"
      ],
      "alwaysLoad": true
    }
  }
}
`
	if diff := cmp.Diff(want, got["mcp.claude.json"]); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
}

// Whatever Claude Code alone understands of an entry stays, and ${VAR} with it.
func TestCompiledEntriesAreThoseOfTheUsersFiles(t *testing.T) {
	t.Parallel()
	home, ws := t.TempDir(), t.TempDir()
	write(t, filepath.Join(ws, ".mcp.json"), `{"mcpServers": {
		"a": {"command": "${BIN:-npx}", "args": ["x"], "env": {"T": "${T}"}, "futureKey": {"n": 12345678901234567890}}, // mine
		"b": {"type": "http", "url": "https://b/${TEAM}", "headers": {"H": "${H}"}, "oauth": {"clientId": "c"}},
	}}`)
	m := plugins.Machine{Home: home, Env: []string{"HOME=" + home}}
	a := newAdapter()
	src, err := a.Sources(t.Context(), plugins.SourcesRequest{Machine: m, Workspace: ws})
	if err != nil {
		t.Fatal(err)
	}
	req := plugins.CompileRequest{Machine: m, Workspace: ws, Dir: filepath.Join(ws, ".ctx-surface"), Servers: src.Servers}
	c, err := a.Compile(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.Files[0].Content)
	for _, want := range []string{`"${BIN:-npx}"`, `"T": "${T}"`, `"n": 12345678901234567890`, `"https://b/${TEAM}"`, `"H": "${H}"`, `"clientId": "c"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is lost:\n%s", want, text)
		}
	}

	// What a settings file keeps from being loaded, no other file brings back.
	write(t, filepath.Join(ws, ".claude/settings.local.json"), `{"deniedMcpServers": [{"serverName": "a"}]}`)
	if _, err := a.Compile(t.Context(), req); err == nil || !strings.Contains(err.Error(), "no server a") || !strings.Contains(err.Error(), "settings.local.json:1") {
		t.Errorf("error %v", err)
	}
}

func TestCompileSwitchesOffWhatHasASwitch(t *testing.T) {
	t.Parallel()
	item := func(kind surface.Kind, provider, name string) surface.Item {
		return surface.Item{Kind: kind, Provider: provider, Name: name}
	}
	off := []surface.Item{
		item(surface.KindSkill, "project", "s"), item(surface.KindCommand, "user", "c"), item(surface.KindAgent, "project", "a"),
	}
	c, err := newAdapter().Compile(t.Context(), plugins.CompileRequest{
		Dir: "/ws/.ctx-surface", Workspace: "/ws",
		Off: append(slices.Clone(off), item(surface.KindSkill, "plugin:kit", "kit:x"), item(surface.KindHook, "user", "h")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(off, c.Off); diff != "" {
		t.Errorf("switched off (-want +got):\n%s", diff)
	}
	const want = `{
  "permissions": {
    "deny": [
      "Agent(a)"
    ]
  },
  "skillOverrides": {
    "c": "off",
    "s": "off"
  }
}
`
	if diff := cmp.Diff(want, string(c.Files[1].Content)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

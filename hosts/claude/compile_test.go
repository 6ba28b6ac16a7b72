package main

import (
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

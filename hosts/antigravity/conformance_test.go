package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
	"github.com/ctx-sidecar/ctx/plugins/plugintest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "ctx-host-antigravity")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	plugintest.Run(t, plugintest.Config{
		Adapter:    adapter{},
		Odd:        true,
		Executable: program,
		Fixtures: map[string]fs.FS{
			"typical": os.DirFS("testdata/conformance/typical"),
			"legacy":  os.DirFS("testdata/conformance/legacy"),
		},
	})
}

func TestACompiledLaunchHasTheSelectedServersInAHomeOfItsOwn(t *testing.T) {
	t.Parallel()
	servers := []surface.Server{
		{Name: "files", Transport: surface.Stdio, Command: "files", Args: []string{"a"}, DisabledTools: []string{"rm"}},
		{Name: "web", Transport: surface.HTTP, URL: "https://mcp.example.com"},
	}
	req := plugins.CompileRequest{
		Machine: plugins.Machine{Home: "/home/u"}, Workspace: "/w", Servers: servers, Dir: "/w/.ctx-surface",
		DenyTools: map[string][]string{"files": {"write", "rm"}}, GatewayBin: "/opt/ctx-gateway",
	}
	read := func(req plugins.CompileRequest, at int) map[string]serverEntry {
		c, err := adapter{}.Compile(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Files) != 2 || c.Files[0].Name != "mcp_config.antigravity.json" || c.Files[1].Name != "antigravity-home/.gemini/config/mcp_config.json" || c.Launch[1] != "HOME=/w/.ctx-surface/antigravity-home" {
			t.Fatalf("the launch does not read the file: %q, %+v", c.Launch, c.Files)
		}
		var file struct{ MCPServers map[string]serverEntry }
		if err := json.Unmarshal(c.Files[at].Content, &file); err != nil {
			t.Fatal(err)
		}
		return file.MCPServers
	}
	got := read(req, 0)
	if len(got) != 2 || got["files"].Command != "files" || len(got["files"].DisabledTools) != 2 || got["web"].ServerURL != "https://mcp.example.com" {
		t.Errorf("servers: %+v", got)
	}
	// A server that looks for its user's home finds it.
	if got := read(req, 1); got["files"].Env["HOME"] != "/home/u" || len(got["files"].DisabledTools) != 2 || got["web"].Env != nil {
		t.Errorf("servers of the launch: %+v", got)
	}
	req.Gateway = true
	got = read(req, 1)
	if len(got) != 1 || got["ctx"].Command != "/opt/ctx-gateway" || got["ctx"].Env["HOME"] != "/home/u" {
		t.Errorf("gateway: %+v", got)
	}
}

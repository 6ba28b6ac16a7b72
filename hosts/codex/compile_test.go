package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Whatever tools and servers are called: each override is a key and a value in
// TOML, and says what was meant.
func TestACompiledLaunchIsTOMLWhateverToolsAreCalled(t *testing.T) {
	t.Parallel()
	w := newWrap(t, "[mcp_servers.notes]\ncommand = \"/bin/notes\"\n[mcp_servers.\"not a.name\"]\ncommand = \"/bin/x\"\n[mcp_servers.dropped]\ncommand = \"/bin/dropped\"\n")
	strange := []string{`we"ird`, `back\slash`, "it's", "line\nbreak", "a = 1"}
	compiled := compileNotes(t, w, map[string][]string{"notes": strange})
	got := map[string]any{}
	for i, arg := range compiled.Launch {
		if arg == "-c" {
			key, value, ok := strings.Cut(compiled.Launch[i+1], "=")
			var said map[string]any
			if err := toml.Unmarshal([]byte("v = "+value), &said); err != nil || !ok {
				t.Errorf("%q: %v", compiled.Launch[i+1], err)
			}
			got[key] = said["v"]
		}
	}
	denied := []any{}
	for _, name := range strange {
		denied = append(denied, name)
	}
	want := map[string]any{"mcp_servers.notes.disabled_tools": denied, "mcp_servers.dropped.enabled": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestACompiledFileKeepsEveryKeyOfAServer(t *testing.T) {
	t.Parallel()
	w := newWrap(t, "[mcp_servers.notes]\ncommand = \"/bin/notes\"\nargs = [\"a b\"]\ncwd = \"/tmp\"\nenv = { FILE = \"x\" }\nenv_vars = [\"TOKEN\"]\nstartup_timeout_sec = 61\ntool_timeout_sec = 62\nlater_key = \"kept\"\n")
	compiled := compileNotes(t, w, nil)
	var got struct {
		Servers map[string]map[string]any `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(compiled.Files[0].Content, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"command": "/bin/notes", "args": []any{"a b"}, "cwd": "/tmp", "env": map[string]any{"FILE": "x"}, "env_vars": []any{"TOKEN"},
		"startup_timeout_sec": int64(61), "tool_timeout_sec": int64(62), "later_key": "kept",
	}
	if diff := cmp.Diff(want, got.Servers["notes"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// compileNotes compiles a launch with the server notes alone.
func compileNotes(t *testing.T, w *wrap, deny map[string][]string) plugins.Compiled {
	t.Helper()
	compiled, err := w.adapter.Compile(context.Background(), plugins.CompileRequest{
		Machine: w.machine, Workspace: w.workspace, GatewayBin: "/bin/ctx-gateway", Servers: []surface.Server{{Name: "notes"}}, DenyTools: deny,
	})
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

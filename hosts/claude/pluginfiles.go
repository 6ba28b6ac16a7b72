package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// gatewayArgs are the arguments that the host starts ctx-gateway with.
func gatewayArgs() []string { return []string{"--host", hostName} }

// pluginEdits writes the files of one of our two plugins.
func (r *reader) pluginEdits(name string, req plugins.WrapRequest) ([]wiring.Edit, error) {
	dir := filepath.Join(r.config, "skills", name)
	if m := r.json(filepath.Join(dir, ".claude-plugin", "plugin.json")); m.ok() && m.get("author", "name").text() != author {
		return nil, fmt.Errorf("claude: %s is a plugin of someone else's; ctx needs that folder", dir)
	}
	whole := func(path, why string, v any) wiring.Edit {
		return wiring.Edit{Path: filepath.Join(dir, path), Format: wiring.Whole, Content: fileText(v), Why: why}
	}
	edits := []wiring.Edit{
		whole(".claude-plugin/plugin.json", "a plugin of ctx, off wherever a workspace does not ask for it", manifest(name)),
		whole("hooks/hooks.json", "its hooks", hooks(req.Hook, req.Gateway)),
	}
	if req.Gateway {
		edits = append(edits, whole(".mcp.json", "its one MCP server", servers(req.GatewayBin)))
	}
	return edits, nil
}

// author marks a plugin as ours.
const author = "ctx-sidecar"

type pluginManifest struct {
	Name           string            `json:"name"`
	Version        string            `json:"version"`
	Description    string            `json:"description"`
	Author         map[string]string `json:"author"`
	DefaultEnabled bool              `json:"defaultEnabled"`
}

func manifest(name string) pluginManifest {
	m := pluginManifest{Name: name, Version: version, Author: map[string]string{"name": author}}
	m.Description = "ctx: one gateway in place of every MCP server"
	if name == hooksName {
		m.Description = "ctx: hooks alone"
	}
	return m
}

type hookFile struct {
	Hooks map[string][]hookGroup `json:"hooks"`
}

type hookGroup struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []hookHandler `json:"hooks"`
}

// hookHandler is run without a shell, since it has args: no profile prints
// anything before our one document, and a path may contain spaces.
type hookHandler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"` // seconds
}

// hooks wires every event; without a gateway there are no tools of ours to
// answer for.
func hooks(bin string, gateway bool) hookFile {
	f := hookFile{Hooks: make(map[string][]hookGroup)}
	for _, e := range events {
		if e.kind == event.ToolBefore && !gateway {
			continue
		}
		f.Hooks[e.name] = []hookGroup{{Matcher: e.matcher, Hooks: []hookHandler{{
			Type: "command", Command: bin, Args: []string{hostName, e.name}, Timeout: e.timeout,
		}}}}
	}
	return f
}

type serverFile struct {
	Servers map[string]serverEntry `json:"mcpServers"`
}

type serverEntry struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Helper  string            `json:"headersHelper,omitempty"`
	Timeout int64             `json:"timeout,omitempty"`    // milliseconds
	Always  bool              `json:"alwaysLoad,omitempty"` // listed whatever tool search defers
}

func servers(bin string) serverFile {
	return serverFile{map[string]serverEntry{serverName: {Command: bin, Args: gatewayArgs(), Always: true}}}
}

// fileText is a file's text, indented for eyes and with a newline at its end.
func fileText(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic("claude: plain values always marshal: " + err.Error())
	}
	return b.Bytes()
}

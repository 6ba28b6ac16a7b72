package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/hosts/internal/posix"
	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	hostName    = "antigravity"
	version     = "0.1.0"
	toolPattern = "mcp__{server}__{tool}"
	ownServer   = "ctx"
	ownGroup    = "ctx"         // of hooks.json
	ownProgram  = "ctx-gateway" // what tells our server from a user's of that name
	ownHook     = "ctx-hook"
)

// adapter implements [plugins.Adapter] for Antigravity. No Antigravity was at
// hand to try it on: shapes are those of its documentation and of what its users
// measured.
type adapter struct{}

var _ plugins.Adapter = adapter{}

// events are the host's events that we take. PreToolUse is none of them: there,
// an answer that has no opinion denies the call.
var events = []string{"PreInvocation", "PostToolUse"}

// Samples are events in their documented shape.
//
//go:embed testdata/events/*.json
var samples embed.FS

// Describe implements [plugins.Adapter].
func (adapter) Describe(context.Context) (plugins.Description, error) {
	d := plugins.Description{
		Name: hostName, Title: "Google Antigravity", Version: version,
		// Unless the user tells it not to, Antigravity asks before each MCP call. It
		// sees the gateway's tool alone, so the gateway asks where a rule says so.
		AsksPermission: true,
	}
	for _, name := range events {
		sample, err := samples.ReadFile("testdata/events/" + name + ".json")
		if err != nil {
			return plugins.Description{}, fmt.Errorf("read sample: %w", err)
		}
		d.Events = append(d.Events, plugins.EventSpec{Name: name, Sample: sample})
	}
	return d, nil
}

// Detect implements [plugins.Adapter]. The folder ~/.gemini alone says nothing:
// Gemini CLI has it, too.
func (adapter) Detect(_ context.Context, m plugins.Machine) (plugins.Detection, error) {
	d := plugins.Detection{
		Program: posix.LookPath("agy", paths.Lookup(m.Env, "PATH")),
		Config:  filepath.Join(m.Home, ".gemini", "config"),
	}
	d.Installed = d.Program != ""
	for _, dir := range []string{"config", "antigravity", "antigravity-cli", "antigravity-ide"} {
		d.Installed = d.Installed || exists(filepath.Join(m.Home, ".gemini", dir))
	}
	return d, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

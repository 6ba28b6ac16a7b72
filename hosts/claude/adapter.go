package main

import (
	"context"
	"embed"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	hostName = "claude"
	version  = "1.0.0"
)

// adapter keeps nothing between calls, so that concurrent ones need no care.
type adapter struct {
	managed string // the folder of the machine's administrator
}

func newAdapter() *adapter { return &adapter{managed: managedDir()} }

var _ plugins.Adapter = (*adapter)(nil)

//go:embed testdata/events/*.json
var samples embed.FS

// Describe names the events in the order in which a session meets them.
func (a *adapter) Describe(context.Context) (plugins.Description, error) {
	d := plugins.Description{
		Name: hostName, Title: "Claude Code", Version: version,
		AsksPermission: true,
		SessionEnv:     "CLAUDE_CODE_SESSION_ID",
		GatewayName:    pluginServer(pluginName, serverName),

		ClientCapabilities: []byte(`{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}}`),
	}
	for _, e := range events {
		sample, err := samples.ReadFile("testdata/events/" + e.name + ".json")
		if err != nil {
			return plugins.Description{}, err
		}
		d.Events = append(d.Events, plugins.EventSpec{Name: e.name, Sample: sample})
	}
	return d, nil
}

// Detect runs nothing, so it cannot tell the version.
func (a *adapter) Detect(_ context.Context, m plugins.Machine) (plugins.Detection, error) {
	p := newPlaces(m, a.managed, m.Home)
	d := plugins.Detection{Config: p.config, Program: lookPath(m, "claude")}
	d.Installed = d.Program != "" || exists(p.config) || exists(p.global)
	return d, nil
}

// lookPath finds a program on the user's PATH, which may not be this process's.
func lookPath(m plugins.Machine, name string) string {
	for _, dir := range filepath.SplitList(paths.Lookup(m.Env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

package main

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/hosts/internal/posix"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Detect implements [plugins.Adapter].
func (adapter) Detect(_ context.Context, m plugins.Machine) (plugins.Detection, error) {
	d := plugins.Detection{Program: posix.LookPath("codex", paths.Lookup(m.Env, "PATH")), Config: codexHome(m)}
	d.Installed = d.Program != "" || exists(d.Config)
	return d, nil
}

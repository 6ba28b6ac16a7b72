package main

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Sources reads what a session started in the workspace (or in Dir) loads.
func (a *adapter) Sources(_ context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	r := newReader(a, req)
	r.readRules()
	r.readServers()
	r.readItems()
	r.readMentions()
	r.readLoading()
	return r.out, nil
}

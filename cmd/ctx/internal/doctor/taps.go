package doctor

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// taps names what of the taps cannot be read, and what prompts are routed with.
func (d *doctor) taps(ctx context.Context, c config.Config) {
	store := tap.Open(d.f.Layout())
	plugins := plugindir.Source{Layout: d.f.Layout(), Workspace: d.workspace}
	if store.Any() || plugins.Any(store) {
		for _, p := range tap.NewLibrary(store, c.Providers, plugins).Load().Problems {
			if p.Severity == tap.Error {
				d.add("", "capabilities", Warn, p.String(), "ctx tap lint PATH shows all that is wrong")
			}
		}
	}
	d.model(ctx, c, d.workspace, store.Any())
}

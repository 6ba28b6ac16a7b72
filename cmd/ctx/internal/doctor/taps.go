package doctor

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// taps names what of the taps cannot be read, and what prompts are routed with.
func (d *doctor) taps(ctx context.Context, c config.Config) {
	store := tap.Open(d.f.Layout())
	if store.Any() {
		for _, p := range tap.NewLibrary(store, c.Providers).Load().Problems {
			if p.Severity == tap.Error {
				d.add("", "capabilities", Warn, p.String(), "ctx tap lint PATH shows all that is wrong")
			}
		}
	}
	d.model(ctx, c, store.Any())
}

package doctor

import (
	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// taps says what prompts are routed with, where there is anything to route to.
func (d *doctor) taps(c config.Config) {
	store := tap.Open(d.f.Layout())
	if !store.Any() {
		return
	}
	const name = "capabilities"
	for _, p := range tap.NewLibrary(store, c.Providers).Load().Problems {
		if p.Severity == tap.Error {
			d.add("", name, Warn, p.String(), "ctx tap lint PATH shows all that is wrong")
		}
	}
	router, degraded := loader.OpenRouter(d.f.Layout(), d.workspace, c, d.f.Env, hclog.NewNullLogger())
	defer func() { _ = router.Close() }() // it ends with the process anyway
	if degraded != nil {
		d.add("", name, Warn, "prompts are routed by words alone: "+degraded.Error(), "")
		return
	}
	d.add("", name, Good, "prompts are routed with "+router.Ranker(), "")
}

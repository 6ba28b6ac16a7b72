package loader

import (
	"path/filepath"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/calibration"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Vectors is the folder for what a model makes of the texts of taps.
func Vectors(l paths.Layout) string { return filepath.Join(l.State, "vectors") }

// Tune gives a router the calibrations that the user has made for taps.
func Tune(l paths.Layout, r *activate.Router, log hclog.Logger) {
	if err := calibration.Open(l).Use(r); err != nil {
		log.Warn("a calibration is not used", "error", err)
	}
}

// OpenRouter loads the router that the settings ask for. degraded says why it
// routes by words alone, nil where it does not. meanwhile, where it is not nil,
// is called with a router of which the model is still being loaded.
func OpenRouter(l paths.Layout, workspace string, c config.Config, env []string, log hclog.Logger, meanwhile func(*activate.Router)) (r *activate.Router, degraded error) {
	r, err := activate.Load(activate.Source{
		Env: env, Model: c.Embed.Model, Library: c.Embed.OrtLibrary, Share: l.Share(), Workspace: workspace, CacheDir: Vectors(l),
		Hash: trust.Open(l.Trust()).HashFile,
		Meanwhile: func(r *activate.Router) {
			Tune(l, r, log)
			if meanwhile != nil {
				meanwhile(r)
			}
		},
	})
	if r.Model() == nil {
		Tune(l, r, log)
	}
	switch {
	case err == nil:
	case r.Ranker() == "lexical":
		log.Warn("prompts are routed by words alone", "why", err)
		return r, err
	default: // nothing is missing but what was kept of an earlier time
		log.Warn("the router's cache", "error", err)
	}
	return r, nil
}

package loader

import (
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// OpenModel opens the sentence model that the settings ask for, as [OpenRouter]
// does, but without the scorer, which is for prompts alone.
func OpenModel(l paths.Layout, workspace string, c config.Config, env []string) (*embed.Model, error) {
	if err := embed.Supported(); err != nil {
		return nil, err
	}
	share := embed.Trusted(l.Share(), workspace)
	bundle, err := embed.FindBundle(c.Embed.Model, share)
	if err != nil {
		return nil, err
	}
	hash := trust.Open(l.Trust()).HashFile
	library, err := embed.OpenLibrary(embed.LibrarySource{
		Env: env, Configured: c.Embed.OrtLibrary, Share: share, Workspace: workspace, Hash: hash,
	})
	if err != nil {
		return nil, err
	}
	defer library.Close()
	if err := bundle.Verify(hash); err != nil {
		return nil, err
	}
	return embed.Open(bundle, library, 1)
}

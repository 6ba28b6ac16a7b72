package main

import (
	"context"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/loader"
)

// meaning is the sentence model of the searches of this process.
type meaning struct{ *loader.Meaning }

var _ gateway.Meaning = meaning{}

// Keep implements [gateway.Meaning].
func (m meaning) Keep(texts []string) (gateway.Kept, error) { return m.Meaning.Keep(texts) }

// newMeaning loads nothing yet.
func (p *program) newMeaning() meaning {
	o := loader.MeaningOptions{
		Open: func() (activate.Encoder, error) { return loader.OpenModel(p.layout, p.workspace, p.config, p.env) },
		Dir:  filepath.Join(loader.Vectors(p.layout), "tools"),
		Log:  p.log.Named("search"),
	}
	if p.taps != nil {
		o.Engine = p.taps.Engine
	}
	return meaning{loader.NewMeaning(o)}
}

// trim gives back what only loading took, as [taps.trim] does.
func (m meaning) trim(ctx context.Context) {
	select {
	case <-m.Ready():
		embed.Trim()
	case <-ctx.Done():
	}
}

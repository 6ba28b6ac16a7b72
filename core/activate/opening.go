package activate

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// opening is a model that is being loaded. Whoever needs it waits.
type opening struct {
	id    string
	done  chan struct{} // closed once model or err is there
	model *embed.Model
	err   error
}

// open loads a model in the background.
func open(b embed.Bundle, library embed.LibrarySource, threads int) *opening {
	o := &opening{id: b.ID(), done: make(chan struct{})}
	go func() {
		defer close(o.done)
		var l *embed.Library
		if l, o.err = embed.OpenLibrary(library); o.err != nil {
			return
		}
		defer l.Close()
		o.model, o.err = embed.Open(b, l, threads)
	}()
	return o
}

// ID implements [Encoder].
func (o *opening) ID() string { return o.id }

// Encode implements [Encoder].
func (o *opening) Encode(ctx context.Context, texts []string) ([]embed.Encoding, error) {
	select {
	case <-o.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if o.err != nil {
		return nil, o.err
	}
	return o.model.Encode(ctx, texts)
}

package activate

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// opening is a model that is being loaded. Whoever needs it waits.
type opening struct {
	id    string
	joint bool
	done  chan struct{} // closed once model or err is there
	model *embed.Model
	err   error
}

// open loads a model in the background.
func open(b embed.Bundle, library embed.LibrarySource, threads int) *opening {
	o := &opening{id: b.ID(), joint: b.Joint != "", done: make(chan struct{})}
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
	if err := o.wait(ctx); err != nil {
		return nil, err
	}
	return o.model.Encode(ctx, texts)
}

// Chooses implements [Chooser].
func (o *opening) Chooses() bool { return o.joint }

// Choose implements [Chooser].
func (o *opening) Choose(ctx context.Context, request string, candidates []embed.Candidate) ([]float64, float64, error) {
	if err := o.wait(ctx); err != nil {
		return nil, 0, err
	}
	return o.model.Choose(ctx, request, candidates)
}

func (o *opening) wait(ctx context.Context) error {
	select {
	case <-o.done:
		return o.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

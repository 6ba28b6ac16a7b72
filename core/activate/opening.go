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

// open loads a model in the background. Nothing is made with one whose files are
// not those of its bundle: what it made would be kept.
func open(b embed.Bundle, library embed.LibrarySource, threads int) *opening {
	o := &opening{id: b.ID(), joint: b.Joint != "", done: make(chan struct{})}
	go func() {
		defer close(o.done)
		var l *embed.Library
		if l, o.err = embed.OpenLibrary(library); o.err != nil {
			return
		}
		defer l.Close()
		whole := make(chan error, 1) // both take their time
		go func() { whole <- b.Verify(library.Hash) }()
		o.model, o.err = embed.Open(b, l, threads)
		if damaged := <-whole; damaged != nil {
			o.err = damaged
			if o.model != nil {
				_ = o.model.Close() // nothing was made with it
			}
		}
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

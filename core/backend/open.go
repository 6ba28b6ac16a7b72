package backend

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// open starts a session once it is its turn, within the server's own deadline.
func (b *backend) open(a *attempt) (*session, error) {
	defer b.m.slots.leave(a.ticket)
	select {
	case <-a.ticket.granted:
	case <-b.ctx.Done():
	}
	if b.ctx.Err() != nil {
		return nil, errClosing
	}
	limit := b.srv.StartTimeout
	if limit <= 0 {
		limit = defaultStartTimeout
	}
	ctx, cancel := context.WithTimeoutCause(b.ctx, limit, slow{"initialize", limit})
	defer cancel()
	s := &session{
		server: b.srv.Name, client: b.m.opt.Client, log: b.log, began: time.Now(),
		wake: make(chan struct{}, 1),
	}
	e := newExpander(b.srv, b.m.opt.Env)
	srv := b.srv
	if srv.Scope == surface.ScopeTap {
		srv = tap.Expand(srv, b.m.opt.Env)
	}
	err := b.dial(ctx, s, e, srv)
	b.mu.Lock()
	b.warnings = e.warnings
	b.mu.Unlock()
	for _, w := range e.warnings {
		b.log.Warn(w)
	}
	if err != nil {
		return nil, err
	}
	if err := s.initialize(ctx, b.capabilities()); err != nil {
		// It may be stubborn; whoever waits for the failure need not wait for that.
		b.m.wg.Go(s.link.close)
		if isHung(err) {
			err = withWords(err, s.link.words())
		}
		return nil, err
	}
	b.log.Info("started", "took", time.Since(s.began).Round(time.Millisecond))
	return s, nil
}

func (b *backend) dial(ctx context.Context, s *session, e *expander, srv surface.Server) error {
	switch srv.Transport {
	case surface.Stdio:
		if srv.DataDir != "" {
			if err := os.MkdirAll(srv.DataDir, 0o700); err != nil {
				return err
			}
		}
		l, err := e.launch(srv, b.m.opt.Dir)
		if err != nil {
			return err
		}
		sp, err := b.m.spawn()
		if err != nil {
			return fmt.Errorf("start the spawner: %w", err)
		}
		k, err := dialStdio(ctx, sp, l, s, b.log)
		if err != nil {
			return err
		}
		s.link = k
		return nil
	case surface.HTTP, surface.SSE:
		headers, err := e.headers(ctx, srv, b.m.opt.Dir, b.m.spawn)
		if err != nil {
			return err
		}
		r, err := dialRemote(ctx, srv.Transport, e.expand(srv.URL), headers, s, b.log)
		if err != nil {
			return err
		}
		s.link = r
		return nil
	default:
		return fmt.Errorf("transport %q cannot be put behind a gateway", srv.Transport)
	}
}

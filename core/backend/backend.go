package backend

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/surface"
)

const (
	// patience is how long a request waits for a server that must not be
	// started yet; for longer it is told so at once.
	patience = 2 * time.Second

	// mostRetries is how often a process that does not start is tried again
	// without anybody asking. A URL that does not answer costs next to nothing
	// and is tried for as long as the session lasts.
	mostRetries = 6
)

// backend is one server: what is known of it and, at times, a session with it.
type backend struct {
	m   *Manager
	srv surface.Server
	log hclog.Logger

	ctx context.Context // ends with the backend, and what is starting with it
	end context.CancelCauseFunc

	mu       sync.Mutex
	closed   bool
	session  *session
	attempt  *attempt        // in flight
	reading  <-chan struct{} // closed once the lists were read after the latest start
	lastErr  error
	failures int // in a row
	retryAt  time.Time
	retry    *time.Timer
	warnings []string
	listing  *listing.Listing
	fresh    bool // listing came in this session
}

// attempt is one try at a session. Whoever needs the server shares it.
type attempt struct {
	ticket  *ticket
	ready   chan struct{} // closed once session or err is there
	session *session
	err     error
	listed  chan struct{} // closed once the lists have been read, or cannot be
}

func newBackend(m *Manager, srv surface.Server) *backend {
	b := &backend{m: m, srv: srv, log: m.opt.Log.With("server", srv.Name)}
	b.ctx, b.end = context.WithCancelCause(m.ctx)
	if m.opt.Cache != nil {
		if l, ok := m.opt.Cache.Any(srv.Name, srv.Fingerprint()); ok {
			b.listing = &l
		}
	}
	return b
}

// isFor reports whether a declaration is still the one that this backend runs,
// wherever in its file it may now stand.
func (b *backend) isFor(srv surface.Server) bool {
	return b.srv.Fingerprint() == srv.Fingerprint() && b.srv.Expand == srv.Expand &&
		b.srv.StartTimeout == srv.StartTimeout && b.srv.CallTimeout == srv.CallTimeout
}

// capabilities is what is declared to the server. Over the older SSE transport
// it cannot ask for anything.
func (b *backend) capabilities() json.RawMessage {
	if b.m.opt.Client == nil || b.srv.Transport == surface.SSE {
		return nil
	}
	return b.m.opt.Client.Capabilities()
}

func (b *backend) known() *listing.Listing {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.listing
}

// startIfUnknown starts the server unless it is known what it lists to this
// client. One that hung lately is left alone for a while.
func (b *backend) startIfUnknown() {
	var wait time.Duration
	if c := b.m.opt.Cache; c != nil {
		capabilities, fingerprint := string(b.capabilities()), b.srv.Fingerprint()
		if l, ok := c.Get(b.srv.Name, fingerprint, capabilities); ok {
			b.adopt(l)
			return
		}
		if f, ok := c.Failure(b.srv.Name, fingerprint, capabilities); ok && f.Hung {
			wait = time.Until(f.At.Add(hungPause(f.Count)))
		}
	}
	if wait > 0 {
		b.log.Info("it hung lately and is left alone", "wait", wait.Round(time.Second))
		b.later(wait)
		return
	}
	b.begin(false)
}

// adopt takes a cached listing in place of one for another kind of client.
func (b *backend) adopt(l listing.Listing) {
	b.mu.Lock()
	differs := !b.fresh && (b.listing == nil || !sameContent(*b.listing, l))
	if differs {
		b.listing = &l
	}
	b.mu.Unlock()
	if differs {
		b.m.changed(b.srv.Name)
	}
}

// later starts the server after a while, unless it has started by then.
func (b *backend) later(wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.retry = time.AfterFunc(wait, func() { b.begin(false) })
	}
}

// begin makes an attempt, or joins the one in flight. It returns nil when there
// is a session already, or the backend is closed.
func (b *backend) begin(urgent bool) *attempt {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.beginLocked(urgent)
}

func (b *backend) beginLocked(urgent bool) *attempt {
	switch {
	case b.closed || b.session != nil:
		return nil
	case b.attempt != nil:
		if urgent {
			b.m.slots.hurry(b.attempt.ticket)
		}
		return b.attempt
	}
	if b.retry != nil {
		b.retry.Stop()
	}
	a := &attempt{ticket: b.m.slots.queue(urgent), ready: make(chan struct{}), listed: make(chan struct{})}
	b.attempt, b.reading = a, a.listed
	b.m.wg.Go(func() { b.run(a) })
	return a
}

// refresh is begin for whoever wants the lists read again: a session that is
// there already reads them all.
func (b *backend) refresh() *attempt {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session == nil || b.closed {
		return b.beginLocked(false)
	}
	a := &attempt{listed: make(chan struct{})}
	s := b.session
	b.m.wg.Go(func() {
		defer close(a.listed)
		b.read(s, kinds{true, true, true})
	})
	return a
}

// run makes the attempt and then stays with the session until its end.
func (b *backend) run(a *attempt) {
	s, err := b.open(a)
	b.mu.Lock()
	b.attempt = nil
	if err == nil && b.closed {
		err = errClosing
		b.m.wg.Go(s.link.close)
	}
	if err == nil {
		b.session, b.lastErr = s, nil
	} else {
		b.failedLocked(err)
	}
	a.session, a.err = s, err
	b.mu.Unlock()
	close(a.ready)
	if err != nil {
		b.remember(err) // first: whoever waits may end everything next
		close(a.listed)
		return
	}
	b.read(s, kinds{true, true, true})
	close(a.listed)
	b.follow(s)
}

// follow reads lists again when the server says that they changed, all such
// news of a moment at once, until the session ends.
func (b *backend) follow(s *session) {
	const moment = 30 * time.Millisecond
	for {
		select {
		case <-s.wake:
			b.m.busy.Add(1)
			select {
			case <-time.After(moment):
				b.read(s, s.takeStale())
			case <-s.link.done():
			}
			b.m.busy.Add(-1)
		case <-s.link.done():
			b.ended(s)
			return
		}
	}
}

// ended notes the end of the session. It is not begun anew before somebody needs
// the server, unless the server has merely forgotten it.
func (b *backend) ended(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != s {
		return // somebody who needed it was here first
	}
	b.session = nil
	if b.closed {
		return
	}
	why := s.link.why()
	b.log.Warn("it has ended", "error", withoutWords(why))
	first := b.failures == 0
	b.failedLocked(why)
	if first && errors.Is(why, errForgotten) {
		b.retryAt = time.Time{}
		b.beginLocked(false)
	}
}

// failedLocked notes a failure and when the next attempt may come.
func (b *backend) failedLocked(err error) {
	if b.closed {
		return
	}
	b.failures++
	b.lastErr = err
	wait := backoff(b.failures)
	b.retryAt = time.Now().Add(wait)
	patient := b.srv.Command == "" || b.failures <= mostRetries
	if isHung(err) {
		wait = hungPause(b.failures)
	}
	if !b.fresh && patient && !needsOAuth(err) && b.m.started.Load() {
		b.retry = time.AfterFunc(wait, func() { b.begin(false) })
	}
}

// backoff is 1, 2, 4 … 60 seconds.
func backoff(failures int) time.Duration {
	return min(time.Second<<min(failures-1, 6), time.Minute)
}

// hungPause is how long a server that hung, in this session or an earlier one,
// is left alone by those who do not need it: each attempt costs a process and
// one of the few places to start for as long as it takes to give up.
func hungPause(times int) time.Duration {
	return min(30*time.Second<<min(times-1, 5), 10*time.Minute)
}

// live returns a session, waiting for its start.
func (b *backend) live(ctx context.Context) (*session, error) {
	for {
		b.mu.Lock()
		if s := b.session; s != nil {
			b.mu.Unlock()
			select {
			case <-s.link.Closed(): // nothing was sent yet: the next session will do
			default:
				return s, nil
			}
			select {
			case <-s.link.done():
				b.ended(s)
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		wait := time.Until(b.retryAt)
		if b.attempt == nil && wait > 0 {
			err := b.lastErr
			b.mu.Unlock()
			if wait > patience {
				return nil, rpc.Errorf(CodeConnectionClosed, "server %q is down and is tried again in %s: %v", b.srv.Name, wait.Round(time.Second), err)
			}
			select {
			case <-time.After(wait):
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		a := b.beginLocked(true)
		b.mu.Unlock()
		if a == nil {
			return nil, rpc.Errorf(CodeConnectionClosed, "server %q: %v", b.srv.Name, errClosing)
		}
		select {
		case <-a.ready:
			if a.err != nil {
				return nil, rpc.Errorf(CodeConnectionClosed, "server %q did not start: %v", b.srv.Name, a.err)
			}
			return a.session, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// await waits for the lists of a session that is there, or that it begins.
func (b *backend) await(ctx context.Context) error {
	if _, err := b.live(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	reading := b.reading
	b.mu.Unlock()
	select {
	case <-reading:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *backend) call(ctx context.Context, method string, params json.RawMessage, onProgress func(json.RawMessage)) (json.RawMessage, error) {
	s, err := b.live(ctx)
	if err != nil {
		return nil, err
	}
	if d := b.srv.CallTimeout; d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, d, rpc.Errorf(CodeRequestTimeout,
			"server %q did not answer %s within %s, the time that its configuration allows", b.srv.Name, method, d))
		defer cancel()
	}
	return s.call(ctx, method, params, onProgress)
}

func (b *backend) notify(method string, params json.RawMessage) {
	b.mu.Lock()
	s := b.session
	b.mu.Unlock()
	if s == nil {
		return
	}
	send := func() {
		if err := s.link.Notify(method, params); err != nil {
			b.log.Warn("a notification did not reach it", "method", method, "error", withoutWords(err))
		}
	}
	if _, waits := s.link.(*remote); waits { // for the server to take it
		go send()
		return
	}
	send()
}

// close ends the server and waits until it has ended. An attempt to start it is
// given up, with its place among those that start.
func (b *backend) close() {
	b.mu.Lock()
	b.closed = true
	b.end(errClosing)
	s := b.session
	if b.retry != nil {
		b.retry.Stop()
	}
	b.mu.Unlock()
	if s != nil {
		s.link.close()
	}
}

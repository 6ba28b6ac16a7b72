package backend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// read reads lists of a session and takes them for what is known of the server.
// When that fails, what was known stays, and it is tried again.
func (b *backend) read(s *session, k kinds) {
	b.m.busy.Add(1)
	defer func() {
		b.m.touched.Store(time.Now().UnixNano())
		b.m.busy.Add(-1)
	}()
	limit := b.srv.StartTimeout
	if limit <= 0 {
		limit = defaultStartTimeout
	}
	ctx, cancel := context.WithTimeoutCause(b.m.ctx, limit, slow{"a request for its lists", limit})
	defer cancel()

	b.mu.Lock()
	l := listing.Listing{Server: b.srv.Name, Fingerprint: b.srv.Fingerprint()}
	if b.listing != nil && b.fresh {
		l = *b.listing // the lists that are not read stay
	} else {
		k = kinds{true, true, true}
	}
	b.mu.Unlock()
	l.Capabilities = listing.Canonical(s.declared)
	l.Name, l.Version = s.hello.ServerInfo.Name, s.hello.ServerInfo.Version
	l.Offers, l.Instructions = s.hello.Capabilities, s.hello.Instructions
	if err := s.list(ctx, k, &l); err != nil {
		b.unread(s, k, err)
		return
	}
	if b.m.opt.Listed != nil {
		b.m.opt.Listed(b.srv, l)
	}
	b.mu.Lock()
	differs := b.listing == nil || !sameContent(*b.listing, l)
	b.listing, b.fresh = &l, true
	b.failures, b.lastErr, b.retryAt = 0, nil, time.Time{}
	b.mu.Unlock()
	if c := b.m.opt.Cache; c != nil {
		if err := c.Put(l); err != nil {
			b.log.Warn("its listing could not be kept", "error", err)
		}
	}
	if differs {
		b.m.changed(b.srv.Name)
	}
}

// unread notes that lists could not be read and has it tried again.
func (b *backend) unread(s *session, k kinds, err error) {
	select {
	case <-s.link.done():
		return // its end is dealt with where the session is followed
	case <-b.m.ctx.Done():
		return
	default:
	}
	b.log.Warn("its lists could not be read", "error", withoutWords(err))
	b.mu.Lock()
	b.failures++
	b.lastErr = err
	again := b.failures <= mostRetries
	wait := backoff(b.failures)
	b.mu.Unlock()
	b.remember(err)
	if again {
		time.AfterFunc(wait, func() { s.stale(k) })
	}
}

// remember keeps a failure for later sessions.
func (b *backend) remember(err error) {
	c := b.m.opt.Cache
	if c == nil || errors.Is(err, errClosing) || b.ctx.Err() != nil {
		return
	}
	b.log.Warn("it failed", "error", withoutWords(err))
	if err := c.Put(listing.Listing{
		Server: b.srv.Name, Fingerprint: b.srv.Fingerprint(), Capabilities: string(b.capabilities()),
		Failed: withoutWords(err), Hung: isHung(err),
	}); err != nil {
		b.log.Warn("its failure could not be kept", "error", err)
	}
}

// sameContent reports whether two listings say the same, whenever they did.
func sameContent(a, b listing.Listing) bool {
	same := func(x, y []json.RawMessage) bool {
		return slices.EqualFunc(x, y, func(p, q json.RawMessage) bool {
			return bytes.Equal(p, q) || listing.Canonical(p) == listing.Canonical(q)
		})
	}
	return same(a.Tools, b.Tools) && same(a.Resources, b.Resources) && same(a.Templates, b.Templates) &&
		same(a.Prompts, b.Prompts) && a.Instructions == b.Instructions && a.Name == b.Name && a.Version == b.Version &&
		listing.Canonical(a.Offers) == listing.Canonical(b.Offers)
}

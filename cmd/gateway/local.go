package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/localtool"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// local is the user's policy with the workspace's own tools in it, as a server
// whose tools are those that the user has approved.
type local struct {
	*gateway.Files
	shelf  *localtool.Shelf
	copies localtool.Copies
	log    hclog.Logger

	mu    sync.Mutex
	base  *gateway.Rules // of which rules is made, with state
	state *localtool.State
	rules *gateway.Rules
	named string // what the server is called in rules
}

var _ gateway.Policy = (*local)(nil)

func (p *program) openLocal(files *gateway.Files) *local {
	return &local{
		Files: files, shelf: localtool.OpenShelf(p.workspace, p.trust),
		copies: localtool.OpenCopies(p.layout), log: p.log.Named("local"),
	}
}

// qualified is what the server is called where the user has another one of its
// name.
const qualified = "ctx/" + localtool.Server

// Rules implements [gateway.Policy].
func (l *local) Rules(ctx context.Context) *gateway.Rules {
	base := l.Files.Rules(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	state := l.shelf.State()
	if l.rules != nil && l.base == base && l.state == state {
		return l.rules
	}
	if l.state != state {
		l.tell(state)
	}
	l.base, l.state, l.rules = base, state, base
	l.named = l.name(ctx)
	warnings := l.warnings(state)
	if len(state.Approved)+len(warnings) == 0 {
		return base
	}
	next := *base
	next.Warnings = append(slices.Clone(base.Warnings), warnings...)
	if len(state.Approved) > 0 {
		next.Servers = append(slices.Clone(base.Servers), l.server())
	}
	l.rules = &next
	return l.rules
}

// name picks the server's name. The rules that a user has written for another
// server of that name must not fall to these tools, nor the other way round.
func (l *local) name(ctx context.Context) string {
	s, err := l.Files.Sources(ctx)
	if err == nil && slices.ContainsFunc(s.Servers, func(srv surface.Server) bool { return srv.Name == localtool.Server }) {
		return qualified
	}
	return localtool.Server
}

// server is the tools as a server that may be called.
func (l *local) server() surface.Server { return localtool.AsServer(l.named, l.Workspace) }

// is reports whether a server is that of the workspace's own tools.
func is(srv surface.Server) bool { return srv.Transport == localtool.Transport }

// tell leaves word of what is not served where the user finds it.
func (l *local) tell(state *localtool.State) {
	for _, p := range state.Problems {
		l.log.Warn("no tool", "problem", p.String())
	}
	if err := l.shelf.Note(); err != nil {
		l.log.Warn("tools not noted for approval", "error", err)
	}
}

// warnings name what is not served, and why.
func (l *local) warnings(state *localtool.State) []string {
	var unknown, changed, all []string
	for _, w := range state.Waiting {
		if w.Status == trust.Changed {
			changed = append(changed, w.ID())
		} else {
			unknown = append(unknown, w.ID())
		}
	}
	if len(unknown) > 0 {
		all = append(all, fmt.Sprintf("not served before the user approves: %s; see: ctx trust list", some(unknown)))
	}
	if len(changed) > 0 {
		all = append(all, fmt.Sprintf("changed since the user approved and not served: %s; see: ctx trust diff %s", some(changed), changed[0]))
	}
	for i, p := range state.Problems {
		const most = 5
		if i == most {
			all = append(all, fmt.Sprintf("%d more files are no tools: ctx doctor", len(state.Problems)-most))
			break
		}
		all = append(all, p.String())
	}
	if l.named != localtool.Server && len(state.Approved) > 0 {
		all = append(all, fmt.Sprintf("a server of the user's is named %s, so the tools of .agents/tools are served as %s", localtool.Server, l.named))
	}
	return all
}

// some are the first of a list of names.
func some(names []string) string {
	const most = 8
	if over := len(names) - most; over > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), over)
	}
	return strings.Join(names, ", ")
}

// listing is what the server lists, false where it is not there.
func (l *local) listing() (listing.Listing, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == nil || len(l.state.Approved) == 0 {
		return listing.Listing{}, false
	}
	all := listing.Listing{
		Server: l.named, Fingerprint: l.server().Fingerprint(), Name: l.named,
		Offers: json.RawMessage(`{"tools":{}}`), At: time.Now(), Writes: true,
	}
	for _, t := range l.state.Approved {
		all.Tools = append(all.Tools, t.Definition())
	}
	return all, true
}

// tool finds an approved tool as it is on disk now.
func (l *local) tool(name string) (localtool.Tool, bool) {
	state := l.shelf.State()
	i := slices.IndexFunc(state.Approved, func(t localtool.Tool) bool { return t.Name == name })
	if i < 0 {
		return localtool.Tool{}, false
	}
	return state.Approved[i], true
}

// waiting names the tools that the user has yet to approve.
func (l *local) waiting() []string {
	var names []string
	for _, w := range l.shelf.State().Waiting {
		names = append(names, w.ID())
	}
	return names
}

// running is the server where it is there.
func (l *local) running() []surface.Server {
	for _, srv := range l.Rules(context.Background()).Servers {
		if is(srv) {
			return []surface.Server{srv}
		}
	}
	return nil
}

// follow wakes up all who list tools when those of the workspace have changed,
// until ctx ends.
func (l *local) follow(ctx context.Context, wake func()) {
	const every = time.Second
	look := time.NewTicker(every)
	defer look.Stop()
	last := l.shelf.State()
	for {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		if next := l.shelf.State(); next != last {
			last = next
			wake()
		}
	}
}

// known is a cache of listings in which the server's own stands for itself.
type known struct {
	hook.Listings
	local *local
}

// Any implements [hook.Listings].
func (k known) Any(server, fingerprint string) (listing.Listing, bool) {
	if own, ok := k.local.listing(); ok && own.Server == server && own.Fingerprint == fingerprint {
		return own, true
	}
	return k.Listings.Any(server, fingerprint)
}

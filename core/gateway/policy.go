package gateway

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// Files is the policy that the user's own files make: the host's configuration,
// the record of what was wrapped, and the approvals. A change in one of them is
// in force at the next request.
type Files struct {
	Layout    paths.Layout
	Workspace string
	HostName  string // the adapter's name of the host
	Wraps     *wiring.Store
	Trust     *trust.Store
	Baseline  *baseline.Store
	Log       hclog.Logger

	// Read reads the host's configuration; fronted are the servers that a wrap
	// of ours has switched off there.
	Read func(ctx context.Context, fronted []string) (surface.Sources, Asker, error)

	// Settings reads ctx.toml, where the profile in force may be named, and says
	// which files that is. nil: no profile ever is in force.
	Settings func() (s config.Surface, files []string)

	mu      sync.Mutex
	seen    *watched
	sources surface.Sources
	rules   *Rules
	shut    *Rules // in force as long as there are no rules
}

var _ Policy = (*Files)(nil)

// Rules implements [Policy].
func (f *Files) Rules(ctx context.Context) *Rules {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(ctx); err != nil {
		f.Log.Error("the host's configuration cannot be read", "error", err)
		if f.rules == nil {
			return f.unread(err)
		}
	}
	return f.rules // where that failed, those that were
}

// unread are the rules while the configuration has never been read. Nobody knows
// what the user denies, so that nothing passes: not what capabilities and the
// workspace bring in, either.
func (f *Files) unread(err error) *Rules {
	warning := fmt.Sprintf("no server is served: the configuration of %s cannot be read (%v); run: ctx doctor", f.HostName, err)
	if f.shut == nil || f.shut.Warnings[0] != warning {
		nothing := &profile.Profile{Name: "unknown", Layers: []profile.Layer{{
			Broken: fmt.Sprintf("the configuration of %s cannot be read, so that nothing is admitted until it can be (ctx doctor)", f.HostName),
		}}}
		f.shut = &Rules{Gate: gate.New(surface.Sources{}).Under(nothing), Baseline: f.Baseline, Warnings: []string{warning}}
	}
	return f.shut
}

// Sources is the host's configuration as it is now.
func (f *Files) Sources(ctx context.Context) (surface.Sources, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.refresh(ctx)
	return f.sources, err
}

// refresh reads what has changed; f.mu is held, so that all who wait share one
// reading.
func (f *Files) refresh(ctx context.Context) error {
	if f.rules != nil && f.seen.unchanged() {
		return nil
	}
	own := []string{f.Layout.Trust(), f.Layout.WrapRecord(f.Workspace)}
	// Stamps are taken before reading, so that a change in between is seen the
	// next time.
	looked := slices.Clone(own)
	if f.seen != nil {
		looked = append(looked, f.seen.paths()...)
	}
	before := stamps(looked, nil)
	fronted := f.Wraps.Fronted(f.Workspace, f.HostName)
	s, asker, err := f.Read(ctx, fronted)
	if err != nil {
		return err
	}
	f.sources = s
	p, files := f.profile()
	f.rules = f.apply(s, fronted, p)
	f.rules.Asker = asker
	f.rules.unasked = asker == HostAsks && slices.ContainsFunc(s.Servers, func(srv surface.Server) bool {
		return srv.Own && f.rules.Gate.Rule(srv.Name, callToolWrite).Decision == event.Allow
	})
	f.seen = watch(stamps(slices.Concat(own, s.Files, files), before))
	return nil
}

// stamps are the stamps of files: those of before where there are, else new ones.
func stamps(files []string, before []stamp) []stamp {
	var all []stamp
	for _, path := range files {
		if slices.ContainsFunc(all, func(s stamp) bool { return s.path == path }) {
			continue
		}
		i := slices.IndexFunc(before, func(s stamp) bool { return s.path == path })
		if i >= 0 {
			all = append(all, before[i])
		} else {
			all = append(all, stampOf(path))
		}
	}
	return all
}

// profile is the one in force, with the files that say so.
func (f *Files) profile() (*profile.Profile, []string) {
	if f.Settings == nil {
		return nil, nil
	}
	s, files := f.Settings()
	return profile.Active(s, f.Wraps.Profile(f.Workspace, f.HostName)), files
}

// apply picks the servers that may be started, and says what about the others.
func (f *Files) apply(s surface.Sources, fronted []string, p *profile.Profile) *Rules {
	r := &Rules{Gate: gate.New(s).Under(p), Baseline: f.Baseline, Warnings: slices.Clone(s.Warnings)}
	if p != nil && p.Broken() != "" {
		r.Warnings = append(r.Warnings, p.Broken())
	}
	for _, srv := range s.Servers {
		if srv.Own || srv.Disabled || srv.Direct != "" || !slices.Contains(fronted, srv.Name) || !r.Gate.AdmitsServer(srv.Name) {
			continue
		}
		switch f.Trust.Check(srv, f.Workspace) {
		case trust.Approved:
			r.Servers = append(r.Servers, srv)
			continue
		case trust.Unknown:
			r.Warnings = append(r.Warnings, fmt.Sprintf("server %s is not started before the user approves it: ctx trust list", srv.Name))
		case trust.Changed:
			r.Warnings = append(r.Warnings, fmt.Sprintf("server %s was changed since the user approved it and is not started: ctx trust list", srv.Name))
		}
		if err := f.Trust.Note(trust.ServerID(srv, f.Workspace), srv); err != nil {
			f.Log.Warn("server not noted for approval", "server", srv.Name, "error", err)
		}
	}
	return r
}

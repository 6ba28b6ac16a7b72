package trust

import (
	"context"
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// refresh puts on record what waits behind the gateways of this workspace as it
// is declared now: a gateway does so only when it runs, and what a file says may
// have changed since. A host that cannot be read is warned of; what is on record
// of it stands.
func refresh(ctx context.Context, f *cmdutil.Factory, t *trust.Store) {
	refreshLocal(f, t)
	refreshPlugins(f, t)
	ws := f.Workspace()
	wraps := wiring.Open(f.Layout().Wraps())
	rec, _, err := wraps.Record(ws)
	if err != nil {
		fmt.Fprintf(f.IO.Err, "warning: %s\n", iostreams.Clean(err.Error()))
	}
	for _, h := range rec.Hosts {
		if !h.Gateway {
			continue
		}
		if err := refreshHost(ctx, f, t, ws, h.Host, wraps.Fronted(ws, h.Host)); err != nil {
			fmt.Fprintf(f.IO.Err, "warning: what %s declares now was not read: %s\n", h.Host, iostreams.Clean(err.Error()))
		}
	}
}

func refreshHost(ctx context.Context, f *cmdutil.Factory, t *trust.Store, ws, name string, fronted []string) error {
	set, err := hosts.Open(ctx, f, []string{name})
	if err != nil {
		return err
	}
	defer set.Close()
	src, err := set.Hosts[0].Sources(ctx, ws, fronted)
	if err != nil {
		return err
	}
	for _, w := range src.Warnings {
		fmt.Fprintf(f.IO.Err, "warning: not read: %s\n", iostreams.Clean(w))
	}
	for _, s := range src.Servers {
		if s.Own || s.Disabled || !slices.Contains(fronted, s.Name) {
			continue
		}
		if err := t.Note(trust.ServerID(s, ws), s); err != nil {
			return err
		}
	}
	return nil
}

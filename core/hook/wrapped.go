package hook

import (
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// wrapped is what wrap left in a workspace, for one host. It is read for every
// event that needs it: a wrap may come while the gateway runs.
type wrapped struct {
	fronted []string // names of the servers behind the gateway
	direct  []string // names of those that wrap left to the host
	profile string   // that the gateway works under, "" where wrap was told none
}

func (h *Handler) wrapped() wrapped {
	store := wiring.Open(h.Layout.Wraps())
	w := wrapped{fronted: store.Fronted(h.Workspace, h.Host)}
	rec, _, err := store.Record(h.Workspace)
	if err != nil {
		h.Log.Warn("record of the wrap not read", "error", err)
	}
	for _, host := range rec.Hosts {
		if host.Host != h.Host {
			continue
		}
		w.profile = host.Profile
		for _, d := range host.Direct {
			w.direct = append(w.direct, d.Name)
		}
	}
	return w
}

// behind picks the servers that the gateway stands before.
func (w wrapped) behind(servers []surface.Server) []surface.Server {
	var found []surface.Server
	for _, srv := range servers {
		if !srv.Own && !srv.Disabled && srv.Direct == "" && slices.Contains(w.fronted, srv.Name) {
			found = append(found, srv)
		}
	}
	return found
}

// beside picks the servers that the host loads itself, that the gateway could
// stand before, and that were not there when the user last wrapped.
func (w wrapped) beside(servers []surface.Server) []string {
	var names []string
	for _, srv := range servers {
		if !srv.Own && !srv.Disabled && srv.Direct == "" &&
			!slices.Contains(w.fronted, srv.Name) && !slices.Contains(w.direct, srv.Name) {
			names = append(names, srv.Name)
		}
	}
	return names
}

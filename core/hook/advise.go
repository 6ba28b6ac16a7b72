package hook

import (
	"context"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/advisory"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// advise meets a conversation once: with the event that starts it, or with the
// first prompt on a host that has no such event. It notes whose it is, has
// servers listed, and gives the advisory unless the user wants none.
func (h *Handler) advise(ctx context.Context, ev event.Event) event.Reply {
	silent := h.Config.Surface.Gate == "off"
	met := func(s state.Session) bool { return s.Advised || silent && s.Host != "" }
	known, err := h.State.Load(ev.Session)
	if err == nil && known.Ended != nil {
		h.resume(ev)
	}
	if err == nil && met(known) {
		return event.Reply{}
	}
	sources, err := h.Sources(ctx)
	if err != nil {
		h.Log.Warn("no advisory: the host's configuration cannot be read", "error", err)
		return event.Reply{}
	}
	var reply event.Reply
	if !silent {
		reply.Context = advisory.Text(h.facts(sources))
	}

	// Of two hooks that run for the same session at once, one does the rest.
	already := false
	_, err = h.State.Update(ev.Session, func(s *state.Session) {
		already = met(*s)
		s.Advised = s.Advised || !silent
		s.Host, s.Workspace = ev.Host, h.Workspace
	})
	if err != nil {
		h.Log.Warn("session not noted", "session", ev.Session, "error", err)
		// Without a memory, only the event that comes once may count.
		already = already || ev.Kind != event.SessionStart || ev.Source == event.Resume || ev.Source == event.Compact
	}
	if already {
		return event.Reply{}
	}
	if !strings.HasPrefix(ev.Session, state.ScratchPrefix) {
		h.probe(sources)
	}
	return reply
}

// probe passes on which servers are still to be listed. It is not for a trial:
// what that starts must not outlive it.
func (h *Handler) probe(s surface.Sources) {
	if h.Unlisted == nil || !h.Config.Surface.Probe {
		return
	}
	w, active := h.wrapped(), h.active(s)
	var found []surface.Server
	for _, srv := range s.Servers {
		if srv.Own || srv.Disabled || srv.Direct != "" || active && slices.Contains(w.fronted, srv.Name) {
			continue
		}
		if _, ok := h.Cache.Any(srv.Name, srv.Fingerprint()); !ok {
			found = append(found, srv)
		}
	}
	if len(found) > 0 {
		h.Unlisted(found)
	}
}

// active reports whether the host loads ctx-gateway here.
func (h *Handler) active(s surface.Sources) bool {
	return h.GatewayActive || slices.ContainsFunc(s.Servers, func(srv surface.Server) bool { return srv.Own && !srv.Disabled })
}

func (h *Handler) facts(s surface.Sources) advisory.Facts {
	g, w := gate.New(s), h.wrapped()
	admitted := slices.DeleteFunc(slices.Clone(s.Servers), func(srv surface.Server) bool {
		return !srv.Own && !g.AdmitsServer(srv.Name)
	})
	behind := w.behind(admitted)
	loads := inventory.Loads{
		Sources: s, Fronted: w.fronted, Baseline: h.Baseline,
		Listing: func(srv surface.Server) (listing.Listing, bool) { return h.Cache.Any(srv.Name, srv.Fingerprint()) },
	}
	active := h.active(s)
	if active && h.Gateway != nil {
		if own, ok := h.Gateway(s, behind); ok {
			loads.Gateway = &own
		}
	}
	f := advisory.Facts{
		Budget: h.Config.Surface.MaxStaticTokens, Gateway: active,
		Inventory: inventory.Price(loads), Unreadable: s.Warnings,
		// What the user's rules deny costs what it costs, but has no name here.
		Nameless: func(server string) bool { return !g.AdmitsServer(server) },
	}
	f.Standout = func(most int) inventory.Standout {
		// Of a long log the end: a hook has no time for all of it.
		const recent = 64 << 10 // bytes
		return inventory.Stand(f.Inventory, s.ToolName, h.Usage.Recent(recent), inventory.ReadText, most)
	}
	for _, p := range h.Problems {
		f.Unreadable = append(f.Unreadable, p.String())
	}
	if active {
		f.Beside = w.beside(admitted)
	}
	if h.Waiting != nil {
		f.Waiting = h.Waiting(behind)
	}
	return f
}

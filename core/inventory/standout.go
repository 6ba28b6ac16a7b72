package inventory

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Standout is what a hook can tell of a surface beside its price, in the time
// that a hook has: it reads no conversation and few texts.
type Standout struct {
	// Unused are tools that write elsewhere or destroy and were in no call that
	// the log has, as "server:tool", the most powerful first. More says that there
	// are others. Without sessions nothing is known to be unused.
	Unused   []string
	More     bool
	Sessions int // of the host, that the log tells of

	Broken []Edge // needs that nothing answers to, by the names of their texts
}

const (
	standoutTexts = 40        // texts that are looked into for needs
	standoutBytes = 512 << 10 // of all of them
)

// Stand finds what stands out in a priced surface, at most most of each kind.
// toolName is [surface.Sources.ToolName], calls are of any host, and text is as
// in [Input].
func Stand(priced surface.Inventory, toolName string, calls []usage.Call, text func(surface.Item) (string, bool), most int) Standout {
	var s Standout
	s.unused(priced, calls, most)
	s.broken(priced, toolName, text, most)
	return s
}

func (s *Standout) unused(priced surface.Inventory, calls []usage.Call, most int) {
	sessions := make(map[string]bool)
	called := make(map[key]bool)
	for _, c := range calls {
		if c.Host == priced.Host {
			sessions[c.Session] = true
			called[key{server: fold(c.Server), name: fold(c.Tool)}] = true
		}
	}
	if s.Sessions = len(sessions); s.Sessions == 0 {
		return
	}
	var candidates []surface.PricedTool
	for _, srv := range priced.Servers {
		if srv.Own || srv.Standing == surface.Off {
			continue
		}
		for _, t := range srv.Tools {
			if !called[key{server: fold(srv.Name), name: fold(t.Name)}] {
				candidates = append(candidates, t)
			}
		}
	}
	// A judgement takes longest of all: those that look the most powerful come
	// first, and as soon as there are enough the others are left alone.
	slices.SortStableFunc(candidates, func(a, b surface.PricedTool) int { return cmp.Compare(looks(b.Name), looks(a.Name)) })
	type judged struct {
		id   string
		tier authority.Tier
	}
	var found []judged
	for share := runtime.GOMAXPROCS(0); len(candidates) > 0 && len(found) <= most; {
		batch := candidates[:min(share, len(candidates))]
		candidates = candidates[len(batch):]
		tiers := make([]authority.Tier, len(batch))
		var wg sync.WaitGroup
		for i, t := range batch {
			wg.Go(func() { tiers[i] = t.Definition.Authority() })
		}
		wg.Wait()
		for i, t := range batch {
			if tiers[i] >= authority.RemoteWrite {
				found = append(found, judged{t.Definition.ID(), tiers[i]})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b judged) int { return cmp.Compare(b.tier, a.tier) })
	for _, f := range found[:min(len(found), most)] {
		s.Unused = append(s.Unused, f.id)
	}
	s.More = len(found) > most
}

// looks guesses from a name how much a tool can do. It decides nothing but the
// order in which tools are judged.
func looks(name string) int {
	best := 0
	for _, w := range surface.Words(name) {
		switch verbs[w] {
		case "delete", "run":
			best = max(best, 3)
		case "create", "send", "merge", "push", "deploy", "write", "move", "comment":
			best = max(best, 2)
		case "":
			best = max(best, 1)
		}
	}
	return best
}

func (s *Standout) broken(priced surface.Inventory, toolName string, text func(surface.Item) (string, bool), most int) {
	if text == nil {
		return
	}
	var records []Record
	for _, srv := range priced.Servers {
		records = append(records, Record{
			Kind: surface.KindServer, Provider: string(srv.Scope), Name: srv.Name, ID: ID(surface.KindServer, string(srv.Scope), srv.Name),
			Standing: Standing(srv.Standing), Unmeasured: srv.Unmeasured, denied: srv.Denied,
		})
		for _, t := range srv.Tools {
			records = append(records, Record{Kind: surface.KindTool, Provider: srv.Name, Name: t.Name, ID: ID(surface.KindTool, srv.Name, t.Name)})
		}
	}
	read, size := 0, 0
	for _, it := range priced.Items {
		if read >= standoutTexts || size >= standoutBytes {
			break
		}
		r := Record{Kind: it.Kind, Provider: it.Provider, Name: it.Name, ID: ID(it.Kind, it.Provider, it.Name), Place: it.Place}
		if !r.Prose() || it.NotLoaded != "" {
			continue
		}
		read++
		if content, ok := text(it.Item); ok {
			size += len(content)
			r.text = content
			records = append(records, r)
		}
	}
	relate(records, toolName)
	for _, r := range records {
		for _, n := range r.Requires {
			if n.Broken != "" && len(s.Broken) < most && !slices.ContainsFunc(s.Broken, func(e Edge) bool { return e.From == r.ID && strings.EqualFold(e.ID, n.ID) }) {
				s.Broken = append(s.Broken, Edge{r.ID, n})
			}
		}
	}
}

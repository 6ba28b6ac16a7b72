package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// heldTool is a tool that is no longer as the user accepted it. Nothing but its
// names is known here, since nothing else of it may be told.
type heldTool struct {
	listing.Tool
	rejected bool
}

// hold notes the tools of a server that are held back, and returns how many of
// them wait for the user. One that the gate hides is hidden here, too.
func (c *catalog) hold(server string, held map[string]trust.Status) (waits int) {
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if !c.rules.admits(server, name) {
			continue
		}
		rejected := held[name] == trust.Rejected
		c.held = append(c.held, heldTool{listing.Tool{Server: server, Name: name}, rejected})
		if !rejected {
			waits++
		}
	}
	return waits
}

// isHeld finds the tool that is held back under exactly this name, spelled with
// its server's.
func (c *catalog) isHeld(name string) *heldTool {
	for i, h := range c.held {
		if name == h.ID() || name == h.Server+"__"+h.Name || name == "mcp__"+h.Server+"__"+h.Name {
			return &c.held[i]
		}
	}
	return nil
}

// findHeld resolves a name as find does, among the tools that are held back.
func (c *catalog) findHeld(name string) *heldTool {
	return find(name, c.held, func(h heldTool) listing.Tool { return h.Tool })
}

// refusal answers a call.
func (h *heldTool) refusal() json.RawMessage {
	id := line(h.ID(), 100)
	if h.rejected {
		return refuse("%s was changed by its server, and the user rejected that. ctx trust approve %s takes it back.", id, id)
	}
	return refuse("%s was changed by its server and is held back until the user decides. For the user: ctx trust diff %s shows the change, ctx trust approve %s accepts it.", id, id, id)
}

// heldWarnings say how many tools of each server wait.
func (c *catalog) heldWarnings() []string {
	var ws []string
	for _, s := range c.servers {
		if s.waits == 0 {
			continue
		}
		what := "1 tool of server %s was changed by it and is"
		if s.waits > 1 {
			what = fmt.Sprint(s.waits) + " tools of server %s were changed by it and are"
		}
		ws = append(ws, fmt.Sprintf(what+" held back until the user decides: ctx trust list", word(s.name, 40)))
	}
	return ws
}

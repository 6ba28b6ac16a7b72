package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/schema"
)

// Offer is what there is to enable in a session, so that the tool capability is
// listed.
type Offer struct {
	Bundles bool // capabilities: nobody knows how many tools there will be
	Skills  bool
}

func (o Offer) any() bool { return o.Bundles || o.Skills }

// mode is how a session lists tools. It is chosen once per session.
type mode string

const (
	kernelOnly mode = "kernel"     // the kernel tools, constant
	everything mode = "everything" // all tools as they are, without search
	narrow     mode = "narrow"     // the kernel, and what fits the current prompt
	reveal     mode = "reveal"     // the kernel, and what was revealed
)

// chooseMode: a search tool must not stand before tools that would all fit in
// its place. While some server has never been listed nobody knows that they do,
// and with taps nobody knows how many there will be.
func chooseMode(cfg config.Config, c *catalog, offer Offer) mode {
	few := !offer.Bundles && len(c.tools) > 0 && len(c.tools) <= cfg.Gateway.NarrowAbove && len(c.unlisted()) == 0
	if cfg.Discovery.Legacy || few {
		return everything
	}
	switch m := mode(cfg.Gateway.Mode); m {
	case narrow, reveal:
		return m
	}
	return kernelOnly
}

// mostListed bounds the tools beside the kernel: some hosts refuse a server
// that lists more than a hundred.
const mostListed = 90

func (g *Gateway) listTools(ctx context.Context) (json.RawMessage, error) {
	g.begin(ctx)
	list := g.toolList(g.current(ctx))
	g.mu.Lock()
	g.sent.tools = list
	g.mu.Unlock()
	return list, nil
}

// toolList is the result of tools/list.
func (g *Gateway) toolList(c *catalog) json.RawMessage {
	var tools []json.RawMessage
	switch g.mode {
	case everything:
		for i := range c.tools {
			tools = append(tools, schema.Mend(c.tools[i].Raw, c.names()[i]))
		}
		tools = append(tools, json.RawMessage(readOnDefinition))
	case narrow, reveal:
		tools = append(slices.Clone(kernel), json.RawMessage(surfaceDefinition))
		for _, i := range g.opts.Memory.shown(g.mode, g.opts.Config.Gateway, c) {
			tools = append(tools, schema.Mend(c.tools[i].Raw, c.names()[i]))
		}
	default:
		tools = kernel
	}
	if g.offers.any() {
		tools = append(slices.Clip(tools), json.RawMessage(capabilityDefinition))
	}
	return encode(map[string]any{"tools": tools})
}

// announced is what the host was last told, nil for what it never asked for.
type announced struct {
	tools, resources, templates, prompts json.RawMessage
}

// announce tells the host which of the lists it has read are no longer true.
func (g *Gateway) announce() {
	g.mu.Lock()
	c, sent, silent := g.catalog, g.sent, g.silent > 0
	g.mu.Unlock()
	if c == nil || silent {
		return
	}
	if sent.tools != nil {
		if now := g.toolList(c); !bytes.Equal(now, sent.tools) {
			g.tell("notifications/tools/list_changed", func(s *announced) { s.tools = now })
		}
	}
	resources, templates := c.resources.list(), c.resources.templateList()
	if sent.resources != nil && !bytes.Equal(resources, sent.resources) || sent.templates != nil && !bytes.Equal(templates, sent.templates) {
		g.tell("notifications/resources/list_changed", func(s *announced) { s.resources, s.templates = resources, templates })
	}
	if now := c.prompts.list(); sent.prompts != nil && !bytes.Equal(now, sent.prompts) {
		g.tell("notifications/prompts/list_changed", func(s *announced) { s.prompts = now })
	}
}

func (g *Gateway) tell(method string, note func(*announced)) {
	g.mu.Lock()
	note(&g.sent)
	g.mu.Unlock()
	if err := g.host.Notify(method, nil); err != nil {
		g.log.Debug("notification not delivered", "method", method, "error", err)
	}
}

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
)

// resources are those of all servers in one list. Where two servers have one
// URI, the later one's is listed as "SERVER+URI".
type resources struct {
	all       []json.RawMessage
	templates []json.RawMessage
	owner     map[string]place // by URI as listed
	listed    map[place]string // the other way round
	prefixes  []templatePrefix // in the order of the servers
	servers   []string         // that have resources at all
}

// place is a URI at its own server.
type place struct{ server, uri string }

type templatePrefix struct{ prefix, server string }

func newResources(listings []listing.Listing) resources {
	r := resources{all: []json.RawMessage{}, templates: []json.RawMessage{}, owner: map[string]place{}, listed: map[place]string{}}
	for _, l := range listings {
		var o offers
		if _ = json.Unmarshal(l.Offers, &o); o.Resources != nil {
			r.servers = append(r.servers, l.Server)
		}
		for _, raw := range l.Resources {
			var res struct {
				URI string `json:"uri"`
			}
			if json.Unmarshal(raw, &res) != nil || res.URI == "" {
				continue
			}
			at, uri := place{l.Server, res.URI}, res.URI
			if _, known := r.listed[at]; known {
				continue
			}
			if _, taken := r.owner[uri]; taken {
				uri = l.Server + "+" + uri
				raw = withMember(raw, "uri", encode(uri))
			}
			r.owner[uri], r.listed[at] = at, uri
			r.all = append(r.all, raw)
		}
		for _, raw := range l.Templates {
			var t struct {
				Template string `json:"uriTemplate"`
			}
			if json.Unmarshal(raw, &t) != nil || t.Template == "" {
				continue
			}
			prefix, _, _ := strings.Cut(t.Template, "{")
			r.prefixes = append(r.prefixes, templatePrefix{prefix, l.Server})
			r.templates = append(r.templates, raw)
		}
	}
	return r
}

func (r resources) list() json.RawMessage {
	return encode(map[string]any{"resources": r.all})
}

func (r resources) templateList() json.RawMessage {
	return encode(map[string]any{"resourceTemplates": r.templates})
}

// owners are the servers that may have a URI, the likeliest first: the one that
// lists it, else those with a template that fits, else all that have resources.
func (r resources) owners(uri string) []place {
	if at, ok := r.owner[uri]; ok {
		return []place{at}
	}
	var fitting []place
	for _, t := range r.prefixes {
		if strings.HasPrefix(uri, t.prefix) {
			fitting = append(fitting, place{t.server, uri})
		}
	}
	if len(fitting) > 0 {
		return fitting
	}
	for _, s := range r.servers {
		if own, ok := strings.CutPrefix(uri, s+"+"); ok {
			return []place{{s, own}}
		}
		fitting = append(fitting, place{s, uri})
	}
	return fitting
}

func (g *Gateway) listResources(ctx context.Context) (json.RawMessage, error) {
	list := g.current(ctx).resources.list()
	g.mu.Lock()
	g.sent.resources = list
	g.mu.Unlock()
	return list, nil
}

func (g *Gateway) listTemplates(ctx context.Context) (json.RawMessage, error) {
	list := g.current(ctx).resources.templateList()
	g.mu.Lock()
	g.sent.templates = list
	g.mu.Unlock()
	return list, nil
}

// resource forwards what is about one resource to the server that has it.
// Reading changes nothing, so that several may be asked where none is known to
// be the one.
func (g *Gateway) resource(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	var p struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.URI == "" {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%s needs a uri", method)
	}
	err := error(rpc.Errorf(codeNoResource, "no server has the resource %s", line(p.URI, 200)))
	for i, at := range g.current(ctx).resources.owners(p.URI) {
		raw, failure := g.backends.Request(ctx, at.server, method, withMember(params, "uri", encode(at.uri)), nil)
		if failure == nil {
			return raw, nil
		}
		if i == 0 || !errors.As(failure, new(*rpc.Error)) {
			err = failure
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

// codeNoResource is the protocol's own up to 2025-11-25.
const codeNoResource = -32002

// ownURI puts the URI under which the host knows a resource into the params of
// a server's notification about it.
func (g *Gateway) ownURI(server string, params json.RawMessage) json.RawMessage {
	var p struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(params, &p) != nil {
		return params
	}
	g.mu.Lock()
	c := g.catalog
	g.mu.Unlock()
	if c == nil {
		return params
	}
	if uri, ok := c.resources.listed[place{server, p.URI}]; ok && uri != p.URI {
		return withMember(params, "uri", encode(uri))
	}
	return params
}

// withMember sets one member of a JSON object; anything else is left alone.
func withMember(object json.RawMessage, key string, value json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields == nil || string(fields[key]) == string(value) {
		return object
	}
	fields[key] = value
	return encode(fields)
}

package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/schema"
)

// prompts are those of all servers in one list, under their own names; where
// several servers use one name, each under "SERVER__NAME".
type prompts struct {
	all   []json.RawMessage
	owner map[string]place // by name as listed; the place's uri is the prompt's own name
}

func newPrompts(listings []listing.Listing) prompts {
	p := prompts{all: []json.RawMessage{}, owner: map[string]place{}}
	times := map[string]int{}
	each := func(do func(server, name string, raw json.RawMessage)) {
		for _, l := range listings {
			seen := map[string]bool{}
			for _, raw := range l.Prompts {
				var prompt struct {
					Name string `json:"name"`
				}
				if json.Unmarshal(raw, &prompt) == nil && prompt.Name != "" && !seen[prompt.Name] {
					seen[prompt.Name] = true
					do(l.Server, prompt.Name, raw)
				}
			}
		}
	}
	each(func(_, name string, _ json.RawMessage) { times[name]++ })
	each(func(server, name string, raw json.RawMessage) {
		listed := name
		if times[name] > 1 {
			listed = server + schema.Separator + name
			raw = withMember(raw, "name", encode(listed))
		}
		p.owner[listed] = place{server, name}
		p.all = append(p.all, raw)
	})
	return p
}

func (p prompts) list() json.RawMessage { return encode(map[string]any{"prompts": p.all}) }

func (g *Gateway) listPrompts(ctx context.Context) (json.RawMessage, error) {
	list := g.current(ctx).prompts.list()
	g.mu.Lock()
	g.sent.prompts = list
	g.mu.Unlock()
	return list, nil
}

func (g *Gateway) getPrompt(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var p struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.Name == "" {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "prompts/get needs a name")
	}
	at, ok := g.current(ctx).prompts.owner[p.Name]
	if !ok {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "no server has the prompt %s", line(p.Name, 100))
	}
	return g.backends.Request(ctx, at.server, "prompts/get", withMember(params, "name", encode(at.uri)), nil)
}

// complete forwards the completion of an argument to the server that has the
// prompt or resource.
func (g *Gateway) complete(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var p struct {
		Ref json.RawMessage `json:"ref"`
	}
	var ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	if err := errors.Join(json.Unmarshal(params, &p), json.Unmarshal(p.Ref, &ref)); err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "completion/complete needs a ref")
	}
	c := g.current(ctx)
	if at, ok := c.prompts.owner[ref.Name]; ok && ref.Type == "ref/prompt" {
		params = withMember(params, "ref", withMember(p.Ref, "name", encode(at.uri)))
		return g.backends.Request(ctx, at.server, "completion/complete", params, nil)
	}
	if ref.Type == "ref/resource" {
		if owners := c.resources.owners(ref.URI); len(owners) > 0 {
			return g.backends.Request(ctx, owners[0].server, "completion/complete", params, nil)
		}
	}
	return nil, rpc.Errorf(rpc.CodeInvalidParams, "no server has what is to be completed")
}

package gateway

import (
	"encoding/json"
	"strings"
)

// session is the id of the conversation that is served, "" when the host has
// not told it.
func (g *Gateway) session() string { return g.opts.Binding.Session() }

// bind takes the id of the conversation from the _meta of a call, where the
// host puts one: under "sessionId", or a name of its own that ends so, however
// it is spelled.
func (g *Gateway) bind(meta json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(meta, &fields) != nil {
		return
	}
	for key, raw := range fields {
		plain := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key))
		if !strings.HasSuffix(plain, "sessionid") {
			continue
		}
		var id string
		if json.Unmarshal(raw, &id) == nil && id != "" && g.opts.Binding.Bind(id) {
			if g.opts.Capabilities != nil {
				g.opts.Capabilities.Follow()
			}
			go g.announce()
		}
	}
}

package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/schema"
	"github.com/ctx-sidecar/ctx/core/search"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Rules is what the user's configuration says at one time.
type Rules struct {
	Gate *gate.Gate
	// Servers are those that may be started: fronted, switched on, approved.
	Servers []surface.Server
	// Baseline holds back tools that are no longer as the user accepted them; nil:
	// none is.
	Baseline *baseline.Store
	// Asker is who asks the user about a call.
	Asker Asker
	// Warnings name what is missing from Servers and why, one line each.
	Warnings []string

	// brought reports whether capabilities leave a tool there; nil: all that they
	// did not bring in, and nothing else is there.
	brought func(server, tool string) bool
	// bringing are the servers that they have brought in, by name.
	bringing map[string]bool
	// unasked is true where the host asks, and a rule of the user's allows every
	// call_tool_write.
	unasked bool
}

// Host implements [loader.Admitted].
func (r *Rules) Host() []surface.Server { return r.Servers }

// AdmitsServer implements [loader.Admitted].
func (r *Rules) AdmitsServer(server string) bool { return r.Gate.AdmitsServer(server) }

// Admits implements [loader.Admitted].
func (r *Rules) Admits(t listing.Tool) bool {
	return r.Gate.AdmitsServer(t.Server) && r.Gate.Shows(t)
}

// admits reports whether a tool may be known of.
func (r *Rules) admits(server, tool string) bool {
	return r.Gate.Admits(server, tool) && (r.brought == nil || r.brought(server, tool))
}

// catalog is everything that the rules in force admit of what the servers
// listed. It is immutable.
type catalog struct {
	rules     *Rules
	failures  map[string]string // why a server is down, by its name
	tools     []listing.Tool    // in the order of the configuration, then of the server
	servers   []shelf           // likewise
	held      []heldTool        // that the gate would admit
	withheld  []withheldTool    // that the profile alone keeps out
	resources resources
	prompts   prompts

	generation int // of the baselines

	byID   map[string]int // position in tools
	hidden []string       // families that the index does not tell of, see without

	index   func() *search.Index            // over tools
	vectors *atomic.Pointer[search.Vectors] // of tools, once a model has read them
	names   func() []string                 // of tools, as they are listed beside the kernel

	families func() []surface.Family // of tools
}

// shelf is one server in a catalog.
type shelf struct {
	name   string
	listed bool           // it has ever told what it has
	failed string         // why it is down, "" when it is not
	tools  []listing.Tool // those that the gate admits
	bytes  int            // of what a host would send of them
	waits  int            // tools that are held back until the user decides
	offers offers
}

// offers are the capabilities that matter of a server's own.
type offers struct {
	Resources *struct {
		Subscribe bool `json:"subscribe"`
	} `json:"resources"`
	Prompts     json.RawMessage `json:"prompts"`
	Completions json.RawMessage `json:"completions"`
	Logging     json.RawMessage `json:"logging"`
}

func newCatalog(rules *Rules, listings []listing.Listing) *catalog {
	c := &catalog{rules: rules, generation: rules.Baseline.Generation(), vectors: &atomic.Pointer[search.Vectors]{}}
	byName := make(map[string]listing.Listing, len(listings))
	for _, l := range listings {
		byName[l.Server] = l
	}
	var admitted []listing.Listing
	for _, srv := range rules.Servers {
		if !rules.Gate.AdmitsServer(srv.Name) {
			continue
		}
		l, ok := byName[srv.Name]
		tools := l.Parse()
		out := c.withhold(tools)
		l, held := rules.Baseline.Screen(srv, l)
		s := shelf{name: srv.Name, listed: ok && l.Failed == ""}
		for _, t := range tools {
			if held[t.Name] == "" && !out[t.Name] && rules.admits(t.Server, t.Name) {
				s.tools = append(s.tools, t)
				s.bytes += len(t.Name) + len(t.Description) + len(t.InputSchema)
			}
		}
		maps.DeleteFunc(held, func(name string, _ trust.Status) bool { return out[name] })
		s.waits = c.hold(srv.Name, held)
		// Offers that do not parse offer nothing that could be forwarded.
		_ = json.Unmarshal(l.Offers, &s.offers)
		if len(s.tools) == 0 && len(out) > 0 {
			continue // the profile leaves nothing of it
		}
		c.servers = append(c.servers, s)
		c.tools = append(c.tools, s.tools...)
		admitted = append(admitted, l)
	}
	c.byID = make(map[string]int, len(c.tools))
	for i, t := range c.tools {
		c.byID[t.ID()] = i
	}
	c.resources = newResources(admitted)
	c.prompts = newPrompts(admitted)
	c.index = sync.OnceValue(func() *search.Index { return search.Tools(c.tools) })
	c.families = sync.OnceValue(func() []surface.Family {
		all := make([]surface.Family, len(c.tools))
		for i, t := range c.tools {
			all[i] = familyOf(t)
		}
		return all
	})
	c.names = sync.OnceValue(func() []string { return schema.Names(c.tools, schema.MaxName) })
	return c
}

// unlisted names the servers that have never told what they have.
func (c *catalog) unlisted() []string {
	var names []string
	for _, s := range c.servers {
		if !s.listed {
			names = append(names, s.name)
		}
	}
	return names
}

// find resolves a name that a model gave a tool: see [listing.Find]; a name as
// it is listed beside the kernel is one, too.
func (c *catalog) find(name string) []listing.Tool {
	if i, ok := c.byID[name]; ok {
		return c.tools[i : i+1]
	}
	if c.isHeld(name) != nil {
		return nil // not another one whose name is near
	}
	if found := listing.Find(name, c.tools); len(found) > 0 {
		return found
	}
	if i := slices.Index(c.names(), name); i >= 0 {
		return c.tools[i : i+1]
	}
	return nil
}

func tier(t listing.Tool) authority.Tier { return t.Authority() }

// current is the catalog of the rules and listings in force now.
func (g *Gateway) current(ctx context.Context) *catalog {
	rules := g.rules(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	// Whoever was overtaken on the way here must not put back what was then: that
	// would end servers that have been brought in since.
	for !g.brought.still(rules) {
		g.mu.Unlock()
		rules = g.rules(ctx)
		g.mu.Lock()
	}
	if old := g.catalog; old == nil || old.rules != rules || old.generation != rules.Baseline.Generation() {
		if old == nil || !sameServers(old.rules.Servers, rules.Servers) {
			g.backends.SetServers(rules.Servers)
		}
		g.catalog = newCatalog(rules, g.backends.Listings())
		g.reader.notice(g.catalog)
		if old != nil {
			go g.announce()
		}
	}
	if failures := failures(g.backends.Status()); !maps.Equal(failures, g.catalog.failures) {
		g.catalog = g.catalog.with(failures)
	}
	return g.catalog
}

func failures(status []backend.Status) map[string]string {
	var why map[string]string
	for _, s := range status {
		if s.State == backend.Failed {
			if why == nil {
				why = map[string]string{}
			}
			why[s.Server] = cmp.Or(s.Error, "no reason given")
		}
	}
	return why
}

// with is the same catalog with other servers down.
func (c *catalog) with(failures map[string]string) *catalog {
	next := *c
	next.failures = failures
	next.servers = slices.Clone(c.servers)
	for i, s := range next.servers {
		next.servers[i].failed = failures[s.name]
	}
	return &next
}

func sameServers(a, b []surface.Server) bool {
	return slices.EqualFunc(a, b, func(a, b surface.Server) bool {
		return a.Name == b.Name && a.Fingerprint() == b.Fingerprint() && a.StartTimeout == b.StartTimeout && a.CallTimeout == b.CallTimeout
	})
}

// listingChanged is called when a server was listed, for the first time or anew.
func (g *Gateway) listingChanged(string) {
	g.mu.Lock()
	if g.catalog != nil {
		g.catalog = newCatalog(g.catalog.rules, g.backends.Listings())
		g.reader.notice(g.catalog)
	}
	close(g.changed)
	g.changed = make(chan struct{})
	g.mu.Unlock()
	g.announce()
}

// settled returns the catalog once done holds for it, or as it is when ctx
// ends. Nobody tells of a server that fails, so that is looked for.
func (g *Gateway) settled(ctx context.Context, done func(*catalog) bool) *catalog {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		g.mu.Lock()
		changed := g.changed
		g.mu.Unlock()
		c := g.current(ctx)
		if done(c) {
			return c
		}
		select {
		case <-changed:
		case <-look.C:
		case <-ctx.Done():
			return c
		}
	}
}

package capability

import (
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Used tells of a completed call of a tool. Every active capability that the
// tool belongs to has been used.
func (r *Registry) Used(server, tool string) {
	r.mu.Lock()
	var rest, used []*active
	for _, a := range r.active {
		if a.owns(server, tool) {
			used = append(used, a)
		} else {
			rest = append(rest, a)
		}
	}
	next := append(rest, used...)
	moved := !slices.Equal(next, r.active)
	r.active = next
	r.mu.Unlock()
	if moved && r.opts.Servers != nil {
		r.save()
	}
}

func (a *active) owns(server, tool string) bool {
	return slices.ContainsFunc(a.uses, func(u use) bool { return u.served == server && u.server.Allows(tool) })
}

// Admits reports whether a tool is there as far as capabilities go: one of a
// server that a capability brought in is there as long as a capability that is
// active, or the role's, allows it; about other servers there is nothing to
// say.
func (r *Registry) Admits(server, tool string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ours := r.instances[server]; !ours {
		return true
	}
	return slices.ContainsFunc(slices.Concat(r.role, r.active), func(a *active) bool { return a.owns(server, tool) })
}

// Running are the servers that capabilities have brought in, as declared, under
// the names they are served by, the role's first.
func (r *Registry) Running() []surface.Server {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := map[string]bool{}
	var list []surface.Server
	for _, a := range slices.Concat(r.role, r.active) {
		for _, u := range a.uses {
			if u.instance != nil && !seen[u.served] {
				seen[u.served] = true
				list = append(list, u.instance.server)
			}
		}
	}
	return list
}

// Exposes are the servers of a capability under the names by which they are
// served once it is enabled. Nothing is started.
func (r *Registry) Exposes(name string) []Exposed {
	c, ok := r.opts.Catalog().Find(name)
	if !ok {
		return nil
	}
	host := r.opts.Host()
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Exposed
	for _, s := range c.Servers {
		served, _, _ := r.place(c, s, host)
		list = append(list, Exposed{served, s.Allowed})
	}
	return list
}

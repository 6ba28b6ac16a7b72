package main

import (
	"bytes"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// markNamed leaves a server direct that a hook of the user's speaks of by name:
// behind a gateway its tools have other names, and the hook would miss them.
func (r *reader) markNamed(home, workspace string, servers []surface.Server) {
	for _, file := range []string{hooksFile(home), filepath.Join(workspace, ".agents", "hooks.json")} {
		d, ok := r.open(file)
		if !ok {
			continue
		}
		for _, group := range d.members() {
			text := group.json()
			for i := range servers {
				srv := &servers[i]
				if group.name == ownGroup || srv.Own || srv.Direct != "" || !speaksOf(text, srv.Name) {
					continue
				}
				srv.Direct = "the hooks " + group.name + " in " + file + " name it"
			}
		}
	}
}

// speaksOf reports whether a text names a server's tools, in the form of a rule
// or in that of other hosts.
func speaksOf(text []byte, server string) bool {
	return bytes.Contains(text, []byte("mcp("+server+"/")) || bytes.Contains(text, []byte("mcp__"+server+"__"))
}

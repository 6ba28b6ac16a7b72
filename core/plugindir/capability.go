package plugindir

import (
	"cmp"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Capability is the plugin's servers as a capability, which is enabled by name;
// false where the plugin has no mcp.json.
func (p Plugin) Capability() (tap.Capability, bool) {
	if len(p.Servers) == 0 && p.failed == nil {
		return tap.Capability{}, false
	}
	c := tap.Capability{
		Name: p.Name, Tap: p.Tap, Ref: p.Name, Provider: "plugin",
		Title: p.Name, Description: cmp.Or(p.Description, "The servers of the plugin "+p.Name+"."),
		Servers: p.Servers, Root: p.Dir, Place: surface.Place{File: filepath.Join(p.Dir, serversFile)},
	}
	if len(p.Servers) == 0 {
		c.Broken = p.failed.String()
	}
	return c, true
}

// Capabilities are those of plugins.
func Capabilities(plugins []Plugin) []tap.Capability {
	var list []tap.Capability
	for _, p := range plugins {
		if c, ok := p.Capability(); ok {
			list = append(list, c)
		}
	}
	return list
}

// Source is the plugins of a user in a workspace, for a [tap.Library].
type Source struct {
	Layout    paths.Layout
	Workspace string // "": those of the taps and the user's own alone
}

var _ tap.Source = Source{}

// Any reports whether a plugin has servers.
func (s Source) Any(taps *tap.Store) bool {
	list, _ := taps.List() // one that cannot be read counts as one anyway
	found, _ := s.Read(list)
	return len(found) > 0
}

// Read implements [tap.Source].
func (s Source) Read(taps []tap.Tap) ([]tap.Capability, []tap.Problem) {
	plugins, problems := Read(s.Layout, s.Workspace, taps)
	return Capabilities(plugins), problems
}

// Folders implements [tap.Source].
func (s Source) Folders(taps []tap.Tap) []string {
	var dirs []string
	for _, at := range places(s.Layout, s.Workspace, taps) {
		dirs = append(dirs, at.dir)
		for _, name := range at.names() {
			dirs = append(dirs, filepath.Join(at.dir, name))
		}
	}
	return dirs
}

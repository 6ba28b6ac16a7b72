package main

import (
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// plugin is a plugin of Claude Code's that is live in this session.
type plugin struct {
	name     string
	dir      string
	manifest node // .claude-plugin/plugin.json, which may be absent
	ours     bool
}

// plugins lists the live plugins: those in the user's skills folder, and those
// that were installed from a marketplace.
func (r *reader) plugins() []plugin {
	if r.live == nil {
		all := r.readPlugins()
		r.live = &all
	}
	return *r.live
}

func (r *reader) readPlugins() []plugin {
	var all []plugin
	skills := filepath.Join(r.config, "skills")
	for _, e := range r.list(skills) {
		dir := filepath.Join(skills, e.Name())
		manifest := filepath.Join(dir, ".claude-plugin", "plugin.json")
		if !exists(manifest) {
			continue
		}
		p := r.plugin(dir, e.Name())
		p.ours = p.manifest.get("author", "name").text() == author
		if r.enabled(p.name+"@skills-dir", !p.manifest.get("defaultEnabled").isFalse()) {
			all = append(all, p)
		}
	}
	installed := r.json(filepath.Join(r.config, "plugins", "installed_plugins.json"))
	for id, installs := range installed.get("plugins").members() {
		if !r.enabled(id, false) {
			continue
		}
		name, _, _ := strings.Cut(id, "@")
		for install := range installs.elements() {
			if dir := install.get("installPath").text(); filepath.IsAbs(dir) && exists(dir) {
				all = append(all, r.plugin(dir, name))
				break
			}
		}
	}
	return all
}

func (r *reader) plugin(dir, name string) plugin {
	p := plugin{name: name, dir: dir, manifest: r.json(filepath.Join(dir, ".claude-plugin", "plugin.json"))}
	if n := p.manifest.get("name").text(); n != "" {
		p.name = n
	}
	return p
}

// enabled is what the strongest layer that knows the plugin says.
func (r *reader) enabled(id string, unsaid bool) bool {
	n := r.setting("enabledPlugins", id)
	if !n.ok() {
		return unsaid
	}
	return !n.isFalse()
}

// declarePlugin adds the servers of a plugin, from its manifest (inline, or the
// files that it names) and its .mcp.json.
func (r *reader) declarePlugin(p plugin) {
	servers := []node{r.json(filepath.Join(p.dir, ".mcp.json")).get("mcpServers")}
	switch declared := p.manifest.get("mcpServers"); {
	case declared.isObject():
		servers = append(servers, declared)
	case declared.isText():
		servers = append(servers, r.mcpFile(p, declared.text()))
	default:
		for _, path := range declared.texts() {
			servers = append(servers, r.mcpFile(p, path))
		}
	}
	for _, n := range servers {
		for name, entry := range n.members() {
			s, ok := r.server(name, entry, surface.ScopePlugin)
			if !ok {
				continue
			}
			s.Own = p.ours && name == serverName
			s.Name = pluginServer(p.name, name)
			if !s.Own {
				s.Direct = "belongs to the plugin " + p.name
			}
			r.addServer(s)
		}
	}
}

func (r *reader) mcpFile(p plugin, path string) node {
	return r.json(filepath.Join(p.dir, filepath.FromSlash(path))).get("mcpServers")
}

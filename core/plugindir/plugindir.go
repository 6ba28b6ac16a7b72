// Package plugindir reads plugin folders: a manifest plugin.json, skills below
// skills/ and MCP servers in mcp.json, as the Agent Plugins format 1.0.0 has
// them. A manifest that cannot be followed rejects its plugin; any other part
// that cannot, itself alone. Nothing of a plugin is run from here: its servers
// become a capability, each of whose commands the user approves.
package plugindir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Plugin is one folder whose manifest is good.
type Plugin struct {
	Name        string `json:"name"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`

	// Tap is where it comes from: "ORG/NAME" of a tap, "workspace/ID" or
	// "user/plugins".
	Tap     string       `json:"tap"`
	Dir     string       `json:"dir"`              // absolute, its links resolved
	Skills  string       `json:"skills,omitempty"` // the folder with its skills, "" where there is none
	Servers []tap.Server `json:"servers,omitempty"`

	failed *tap.Problem // in mcp.json, so that no server is there
}

// place is a folder of plugins.
type place struct {
	dir string
	tap string // as in [Plugin]
	in  string // a folder that its plugins must lie in, "" for anywhere
}

// places are those of a user, first come, first served. Without a workspace there
// are only those of the taps and the user's own.
func places(l paths.Layout, workspace string, taps []tap.Tap) []place {
	var list []place
	for _, t := range taps {
		list = append(list, place{filepath.Join(t.Path, "plugins"), t.Name, t.Path})
	}
	if workspace != "" {
		list = append(list, place{paths.WorkspacePlugins(workspace), "workspace/" + paths.ID(workspace), workspace})
	}
	return append(list, place{dir: l.OwnPlugins(), tap: "user/plugins"})
}

// mostPlugins is how many entries of a folder are looked at.
const mostPlugins = 100

func (p place) names() []string {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return nil // told by read
	}
	var names []string
	for _, e := range entries[:min(len(entries), mostPlugins)] {
		if !strings.HasPrefix(e.Name(), ".") && (e.IsDir() || e.Type() == fs.ModeSymlink) {
			names = append(names, e.Name())
		}
	}
	return names
}

// Read reads all plugins that a user has in a workspace. The first of a name
// wins.
func Read(l paths.Layout, workspace string, taps []tap.Tap) ([]Plugin, []tap.Problem) {
	return read(l, places(l, workspace, taps))
}

// OfTap reads the plugins of one tap.
func OfTap(l paths.Layout, t tap.Tap) ([]Plugin, []tap.Problem) {
	return read(l, []place{{filepath.Join(t.Path, "plugins"), t.Name, t.Path}})
}

func read(l paths.Layout, from []place) ([]Plugin, []tap.Problem) {
	var plugins []Plugin
	var problems []tap.Problem
	for _, at := range from {
		if _, err := os.ReadDir(at.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, tap.Problem{File: at.dir, Severity: tap.Error, Rule: "unreadable", Text: reason(err)})
		}
		for _, name := range at.names() {
			p, more, ok := at.plugin(l, name)
			problems = append(problems, more...)
			if !ok {
				continue
			}
			if i := slices.IndexFunc(plugins, func(o Plugin) bool { return o.Name == p.Name }); i >= 0 {
				problems = append(problems, tap.Problem{
					File: filepath.Join(at.dir, name), Severity: tap.Warning, Rule: "shadowed",
					Text: fmt.Sprintf("another plugin is named %s, and it comes first", p.Name), Hint: "see " + plugins[i].Dir,
				})
				continue
			}
			plugins = append(plugins, p)
		}
	}
	return plugins, problems
}

// plugin reads one folder; false: it is no plugin, or is rejected.
func (at place) plugin(l paths.Layout, name string) (Plugin, []tap.Problem, bool) {
	dir := filepath.Join(at.dir, name)
	refuse := func(file, text, hint string) (Plugin, []tap.Problem, bool) {
		return Plugin{}, []tap.Problem{{File: file, Severity: tap.Error, Rule: "outside", Text: text, Hint: hint}}, false
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return refuse(dir, reason(err), "")
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return Plugin{}, nil, false // a link to a file
	}
	if at.in != "" && !within(at.in, root) {
		return refuse(dir, "it is a link that leads out of the folder that has it", "copy the plugin there, or put the link into your own plugins folder")
	}
	manifest := filepath.Join(root, manifestFile)
	if _, err := os.Lstat(manifest); errors.Is(err, fs.ErrNotExist) {
		return Plugin{}, nil, false
	}
	if !within(root, manifest) {
		return refuse(manifest, "it is a link that leads out of the plugin", "")
	}
	p, problems, ok := readManifest(manifest)
	if !ok {
		return p, problems, false
	}
	p.Tap, p.Dir = at.tap, root
	more := p.findSkills()
	problems = append(problems, more...)
	servers, more := readServers(p, dataDir(l, at, p.Name))
	for i := range more {
		if more[i].Severity == tap.Error {
			p.failed = &more[i]
			break
		}
	}
	p.Servers = servers
	return p, append(problems, more...), true
}

// dataDir is the folder that the servers of a plugin may write to. It survives
// every update of the plugin.
func dataDir(l paths.Layout, at place, name string) string {
	return filepath.Join(l.Data, "plugin-data", filepath.FromSlash(at.tap), name)
}

// findSkills finds the folder of the plugin's skills.
func (p *Plugin) findSkills() []tap.Problem {
	dir := filepath.Join(p.Dir, "skills")
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return []tap.Problem{{File: dir, Severity: tap.Error, Rule: "unreadable", Text: reason(err)}}
	case !info.IsDir():
		return []tap.Problem{{File: dir, Severity: tap.Error, Rule: "wrong-type", Text: "it is no folder", Hint: "skills lie in skills/NAME/SKILL.md"}}
	case !within(p.Dir, dir):
		return []tap.Problem{{File: dir, Severity: tap.Error, Rule: "outside", Text: "it is a link that leads out of the plugin"}}
	}
	p.Skills = dir
	return nil
}

// SkillRoots are the folders of the skills of a user's plugins.
func SkillRoots(l paths.Layout, workspace string, taps []tap.Tap) []skill.Root {
	plugins, _ := Read(l, workspace, taps)
	var roots []skill.Root
	for _, p := range plugins {
		if p.Skills != "" {
			roots = append(roots, skill.Root{Dir: p.Skills, Origin: skill.FromPlugin, Tap: p.Name})
		}
	}
	return roots
}

// within reports whether a path that is there lies in a folder, all links
// resolved.
func within(folder, path string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// reason is an error without the path, which is told beside it.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

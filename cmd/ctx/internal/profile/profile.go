// Package profile is the command ctx profile: what kinds of work get to see.
package profile

import (
	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// noun is the schema of what the commands print as JSON.
const noun = "profile"

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:   "profile",
		Short: "Show what kinds of work get to see",
		Long: `Show the profiles: which families of tools each keeps, and up to which authority.
"ctx surface compile" writes one down for a host; "ctx wrap setup --profile NAME"
has the gateway work under one.`,
		Example: "  ctx profile list\n  ctx profile show local-dev --json\n  ctx profile bench",
	}, newList(f), newShow(f), newBench(f))
}

// Entry is a profile as the commands print it: what passes all its layers.
type Entry struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	From        []string         `json:"from"` // "built-in" and files, the widest first
	Families    []surface.Family `json:"families"`
	Ceiling     authority.Tier   `json:"authority_ceiling"`
	MaxTokens   int              `json:"max_schema_tokens"` // 0: no limit
	Include     []string         `json:"include"`
	Exclude     []string         `json:"exclude"`
	Problem     string           `json:"problem,omitempty"` // why nothing passes
	Active      []string         `json:"active"`            // hosts whose gateway works under it here
	Default     bool             `json:"default"`           // surface.default_profile names it
}

// entries are all profiles, or the named ones.
func entries(f *cmdutil.Factory, names ...string) ([]Entry, error) {
	s := f.Config().Surface
	if len(names) == 0 {
		names = profile.Names(s)
	}
	active := hosts(f, s)
	list := []Entry{}
	for _, name := range names {
		p, err := profile.Find(s, name)
		if err != nil {
			return nil, err
		}
		e := Entry{
			Name: name, Description: p.Description, From: p.From(), Families: p.Families(), Ceiling: p.Ceiling(),
			MaxTokens: p.MaxSchemaTokens(), Include: append([]string{}, p.Includes()...), Exclude: append([]string{}, p.Excludes()...),
			Problem: p.Broken(), Active: []string{}, Default: name == s.DefaultProfile || name == s.WorkspaceProfile,
		}
		e.Active = append(e.Active, active[name]...)
		list = append(list, e)
	}
	return list, nil
}

// hosts are those whose gateway works under each profile in this workspace.
func hosts(f *cmdutil.Factory, s config.Surface) map[string][]string {
	rec, _, err := wiring.Open(f.Layout().Wraps()).Record(f.Workspace())
	if err != nil {
		return nil // for ctx doctor to say
	}
	all := map[string][]string{}
	for _, h := range rec.Hosts {
		p := profile.Active(s, h.Profile)
		if !h.Gateway || p == nil {
			continue
		}
		for _, l := range p.Layers {
			if list := all[l.Profile]; len(list) == 0 || list[len(list)-1] != h.Host {
				all[l.Profile] = append(list, h.Host)
			}
		}
	}
	return all
}

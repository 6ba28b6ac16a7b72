// Package tap reads taps: folders of capabilities, each a small bundle of
// trigger phrases, MCP servers and allowed tools. It says what is wrong with
// them by file and line, keeps the list of the user's taps, and follows their
// files while they change. Nothing in a tap is run from here but a dependency
// script that the user has approved.
package tap

import (
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Capability is one bundle as its tap declares it. Values are unexpanded:
// {{ENV:KEY}} stays as it is written.
type Capability struct {
	Name        string   `json:"name"`     // the folder's name
	Tap         string   `json:"tap"`      // "ORG/NAME", "" for a folder that is no tap of the user's
	Ref         string   `json:"ref"`      // by which the user names it: Name, or "ORG/Name" where another tap has the bare one
	Provider    string   `json:"provider"` // the provider file's name without its ending
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Triggers    []string `json:"triggers"`          // requests that it answers; none: no prompt activates it
	Domains     []string `json:"domains,omitempty"` // none: every domain
	Servers     []Server `json:"servers,omitempty"`
	Deps        []string `json:"deps,omitempty"` // "ORG/TOOL": scripts deps/ORG/TOOL.sh of the tap

	// Broken is what is wrong in the tap's files so that it cannot be enabled, ""
	// where nothing is.
	Broken string `json:"broken,omitempty"`

	Root  string        `json:"root"`  // the tap's folder
	Place surface.Place `json:"place"` // the provider file
}

// Server is a server of a capability's with the tools that the capability may
// use of it.
type Server struct {
	surface.Server

	// Allowed are globs over the server's own tool names; nil allows all, a list
	// that is empty or matches nothing allows nothing.
	Allowed []string `json:"allowed"`

	// AllowedAt is where allowed_tools stands, zero where the key is left out.
	AllowedAt surface.Place `json:"-"`

	// Unstartable is why this product cannot start the server at all, "" when it
	// can.
	Unstartable string `json:"unstartable,omitempty"`
}

// Allows reports whether the capability may use a tool of this server.
func (s Server) Allows(tool string) bool {
	return s.Allowed == nil || slices.ContainsFunc(s.Allowed, func(glob string) bool { return Match(glob, tool) })
}

// Toolless reports whether nothing of this server can be exposed, whatever tools
// it has.
func (s Server) Toolless() bool { return s.Allowed != nil && len(s.Allowed) == 0 }

// Pinned is the name that means this capability whatever other taps there are:
// "ORG/Name", or Name for a folder that is no tap.
func (c Capability) Pinned() string {
	if org, _, ok := strings.Cut(c.Tap, "/"); ok {
		return org + "/" + c.Name
	}
	return c.Name
}

// Shadowed reports whether another tap has the bare name, so that only the pinned
// one means this capability.
func (c Capability) Shadowed() bool { return c.Ref != c.Name }

// In reports whether a session of this domain may have the capability. The
// session of no domain ("") has the universal ones alone.
func (c Capability) In(domain string) bool {
	return len(c.Domains) == 0 || domain != "" && slices.Contains(c.Domains, domain)
}

// Match reports whether a name fits a glob, in which * stands for any run of
// characters and ? for one.
func Match(glob, name string) bool {
	star, retry := -1, 0
	g, n := 0, 0
	for n < len(name) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, retry = g, n
			g++
		case g < len(glob) && (glob[g] == '?' || glob[g] == name[n]):
			g++
			n++
		case star >= 0:
			retry++
			g, n = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}

// Package skill finds and reads skills: folders with a SKILL.md whose front
// matter says when the prose below it helps. It decides which of them a prompt
// fires, and how they lead to one another. A skill is prose and has no
// authority: nothing that it says widens what may be called.
package skill

import (
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/tap"
)

// FileName is what the file of a skill is called.
const FileName = "SKILL.md"

// Prefix starts the name of a skill where capabilities are named, too.
const Prefix = "skill:"

// Origin is where a skill comes from.
type Origin string

const (
	FromTap       Origin = "tap"
	FromWorkspace Origin = "workspace"
	FromUser      Origin = "user"
	FromPlugin    Origin = "plugin"
)

// Root is a folder of skills, NAME/SKILL.md each.
type Root struct {
	Dir    string // absolute; it need not be there
	Origin Origin
	Tap    string // "ORG/NAME" of a tap, the name of a plugin; "" else
}

// Problem is something in a skill that was not followed.
type Problem = tap.Problem

// Skill is one skill as its file declares it, without the prose.
type Skill struct {
	Name          string   `json:"name"`
	Title         string   `json:"title,omitempty"`
	Description   string   `json:"description"`
	Compatibility string   `json:"compatibility,omitempty"`
	License       string   `json:"license,omitempty"`
	AllowedTools  []string `json:"allowed_tools,omitempty"` // as it is written; it allows nothing
	Capabilities  []string `json:"capabilities,omitempty"`  // of the user's taps, that it is made for
	Domains       []string `json:"domains,omitempty"`       // none: every domain
	Rules         []Rule   `json:"rules,omitempty"`         // one that holds fires it; none: nothing does

	Origin Origin `json:"origin"`
	Tap    string `json:"tap,omitempty"`
	Dir    string `json:"dir"`  // absolute
	File   string `json:"file"` // of the prose

	// Broken is why it cannot be used, "" where it can.
	Broken string `json:"broken,omitempty"`

	real string
}

// Real is the absolute path of its file without symbolic links, "" where it could
// not be read.
func (s Skill) Real() string { return s.real }

// In reports whether a session of this domain may have the skill. The session
// of no domain ("") has the universal ones alone.
func (s Skill) In(domain string) bool {
	return len(s.Domains) == 0 || domain != "" && slices.Contains(s.Domains, domain)
}

// Semantic reports whether a sentence model takes part in firing the skill.
func (s Skill) Semantic() bool { return slices.ContainsFunc(s.Rules, Rule.semantic) }

func newSkill(r Root, folder string) Skill {
	dir := filepath.Join(r.Dir, folder)
	return Skill{Origin: r.Origin, Tap: r.Tap, Dir: dir, File: filepath.Join(dir, FileName)}
}

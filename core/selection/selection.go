// Package selection picks what a profile keeps of an inventory, says why the
// rest is left out, and checks that what is kept can work without it.
package selection

import (
	"cmp"
	"slices"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Options narrow a selection further than its profile does.
type Options struct {
	Profile *profile.Profile

	// Families are the only ones that count; nil: all that the profile has.
	Families []surface.Family

	// May reports whether the agent that the selection is for may use a tool; nil:
	// any.
	May func(server, tool string) bool

	// Lost says why a server cannot be loaded by a compiled launch at all; ""
	// where it can. nil: all can.
	Lost func(server string) string
}

// Exclusion is a record that is left out.
type Exclusion struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Selection is what is kept of an inventory.
type Selection struct {
	Kept     []inventory.Record // in the order of their ids; of servers, tools and prose
	Excluded []Exclusion        // likewise
	Servers  []string           // kept, by name
	Dropped  []string           // servers of which nothing is kept
	Deny     map[string][]string
	Off      []inventory.Record // prose that is left out

	options Options
	records []inventory.Record // all that could be kept
	kept    map[string]bool    // by id
}

// Counts reports whether a record is looked at: what the user has switched off,
// what the host does not load and ctx's own are not.
func Counts(r inventory.Record) bool {
	return !r.Own && r.Standing != inventory.Off && r.Standing != inventory.NotLoaded
}

// Of selects from the records of an inventory, of which those that do not count
// are passed over.
func Of(records []inventory.Record, o Options) *Selection {
	s := &Selection{options: o, kept: map[string]bool{}, Deny: map[string][]string{}, Servers: []string{}, Dropped: []string{}, Excluded: []Exclusion{}}
	for _, r := range records {
		if Counts(r) {
			s.records = append(s.records, r)
		}
	}
	slices.SortStableFunc(s.records, func(a, b inventory.Record) int { return cmp.Compare(a.ID, b.ID) })
	s.tools()
	s.prose()
	for _, r := range s.records {
		if s.kept[r.ID] {
			s.Kept = append(s.Kept, r)
		}
	}
	slices.SortFunc(s.Excluded, func(a, b Exclusion) int { return cmp.Compare(a.ID, b.ID) })
	return s
}

func (s *Selection) tools() {
	keeps, has := map[string]int{}, map[string]int{}
	for _, r := range s.records {
		if r.Kind != surface.KindTool {
			continue
		}
		has[r.Provider]++
		if reason := s.refuses(r); reason != "" {
			s.exclude(r, reason)
			s.Deny[r.Provider] = append(s.Deny[r.Provider], r.Name)
			continue
		}
		s.kept[r.ID] = true
		keeps[r.Provider]++
	}
	for _, r := range s.records {
		if r.Kind != surface.KindServer {
			continue
		}
		reason := ""
		switch {
		case s.lost(r.Name) != "":
			reason = s.lost(r.Name)
		case has[r.Name] > 0 && keeps[r.Name] == 0:
			reason = "none of its tools is kept"
		case r.Unmeasured != "":
			reason = s.unlisted(r.Name)
		case has[r.Name] == 0:
			_, reason = s.options.Profile.Admits(profile.Tool{Server: r.Name, Family: surface.FamilyOf(r.Name, "", "")})
		}
		if reason == "" {
			s.kept[r.ID] = true
			s.Servers = append(s.Servers, r.Name)
			continue
		}
		s.exclude(r, reason)
		s.Dropped = append(s.Dropped, r.Name)
		delete(s.Deny, r.Name) // it is not loaded at all
	}
}

func (s *Selection) lost(server string) string {
	if s.options.Lost == nil {
		return ""
	}
	return s.options.Lost(server)
}

func (s *Selection) unlisted(server string) string {
	if s.options.Families != nil {
		return "it was never listed, so that nobody knows whether the task needs it"
	}
	if s.options.May != nil && !s.options.May(server, "") {
		return "the agent may not use all of its tools, and it was never listed"
	}
	_, reason := s.options.Profile.AdmitsUnlisted(server)
	return reason
}

// refuses says why a tool is left out, "" where it is not.
func (s *Selection) refuses(r inventory.Record) string {
	if why := s.lost(r.Provider); why != "" {
		return why
	}
	if _, reason := s.options.Profile.Admits(Tool(r)); reason != "" {
		return reason
	}
	if s.options.Families != nil && !slices.Contains(s.options.Families, r.Family) {
		return "the task does not need its family " + string(r.Family)
	}
	if s.options.May != nil && !s.options.May(r.Provider, r.Name) {
		return "the agent may not use it"
	}
	return ""
}

// Tool is a record of a tool as a profile sees it.
func Tool(r inventory.Record) profile.Tool {
	t := profile.Tool{Server: r.Provider, Name: r.Name, Family: r.Family, Tier: authority.RemoteWrite, Unknown: true}
	if r.Authority != nil {
		t.Tier, t.Unknown = r.Authority.Tier, r.Authority.Unknown()
	}
	return t
}

// prose keeps the skills, agents and commands of which something that they need
// is kept, and those that need nothing. Everything else that is read is kept.
func (s *Selection) prose() {
	for _, r := range s.records {
		switch r.Kind {
		case surface.KindServer, surface.KindTool:
			continue
		case surface.KindSkill, surface.KindAgent, surface.KindCommand:
			if glob := s.options.Profile.ExcludesProse(r.Kind, r.Name); glob != "" {
				s.exclude(r, "the profile excludes "+glob)
				s.Off = append(s.Off, r)
				continue
			}
			if missing, left := s.needs(r); len(missing) > 0 && left == 0 {
				s.exclude(r, "it needs "+missing[0].Text+", which is left out")
				s.Off = append(s.Off, r)
				continue
			}
		}
		s.kept[r.ID] = true
	}
}

// needs returns what a record needs of what could have been kept and is not, and
// how much is.
func (s *Selection) needs(r inventory.Record) (missing []inventory.Need, left int) {
	for _, n := range r.Requires {
		switch {
		case s.kept[n.ID]:
			left++
		case !n.Loose && slices.ContainsFunc(s.records, func(o inventory.Record) bool { return o.ID == n.ID }):
			missing = append(missing, n)
		}
	}
	return missing, left
}

func (s *Selection) exclude(r inventory.Record, reason string) {
	s.Excluded = append(s.Excluded, Exclusion{r.ID, reason})
}

// Unlisted are the servers that are left out and were never listed.
func (s *Selection) Unlisted() []string {
	var names []string
	for _, r := range s.records {
		if r.Kind == surface.KindServer && r.Unmeasured != "" && !s.kept[r.ID] {
			names = append(names, r.Name)
		}
	}
	return names
}

// Tools are the kept ones.
func (s *Selection) Tools() []inventory.Record {
	var tools []inventory.Record
	for _, r := range s.Kept {
		if r.Kind == surface.KindTool {
			tools = append(tools, r)
		}
	}
	return tools
}

// SchemaTokens is what the definition of a tool costs where it is loaded.
func SchemaTokens(r inventory.Record) int {
	if r.Direct.Deferred > 0 {
		return r.Direct.Deferred
	}
	return r.Direct.Resident
}

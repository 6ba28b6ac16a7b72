package selection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Check is one thing that has to hold of a selection before it is written.
type Check struct {
	// Name is "dependencies", "providers", "authority" or "budget".
	Name     string    `json:"check"`
	Failures []Failure `json:"failures"`
}

// Failure is why a check does not hold.
type Failure struct {
	Text string `json:"text"`
	Hint string `json:"hint"`
}

// Checks are all checks, those that hold with no failures.
func (s *Selection) Checks() []Check {
	return []Check{
		{"dependencies", s.dependencies()}, {"providers", s.providers()},
		{"authority", s.authority()}, {"budget", s.budget()},
	}
}

// dependencies: what is kept must not need what is left out.
func (s *Selection) dependencies() []Failure {
	failures := []Failure{}
	for _, r := range s.Kept {
		if !selectable(r) {
			continue
		}
		missing, _ := s.needs(r)
		for _, n := range missing {
			failures = append(failures, Failure{
				fmt.Sprintf("%s needs %s (%s:%d), which is left out: %s", r.ID, n.Text, n.Place.File, n.Place.Line, s.reason(n.ID)),
				fmt.Sprintf("let the profile include what it needs, or exclude %q", string(r.Kind)+":"+r.Name),
			})
		}
	}
	return failures
}

func selectable(r inventory.Record) bool {
	return r.Kind == surface.KindSkill || r.Kind == surface.KindAgent || r.Kind == surface.KindCommand
}

func (s *Selection) reason(id string) string {
	for _, e := range s.Excluded {
		if e.ID == id {
			return e.Reason
		}
	}
	return "it is not there"
}

// Unmet are the needs of what is read but not chosen, such as instructions and
// the matchers of hooks, that nothing kept answers to.
func (s *Selection) Unmet() []string {
	var unmet []string
	for _, r := range s.Kept {
		if selectable(r) {
			continue
		}
		missing, _ := s.needs(r)
		for _, n := range missing {
			unmet = append(unmet, fmt.Sprintf("%s names %s, which is left out", r.ID, n.Text))
		}
	}
	return unmet
}

// providers: no two servers may offer the same thing in one family, for the
// model would pick one by chance. Tools that an include names are meant.
func (s *Selection) providers() []Failure {
	type thing struct {
		family   surface.Family
		provides string
	}
	by := map[thing][]inventory.Record{}
	var order []thing
	for _, r := range s.Tools() {
		for _, p := range r.Provides {
			k := thing{r.Family, p}
			if by[k] == nil {
				order = append(order, k)
			}
			by[k] = append(by[k], r)
		}
	}
	slices.SortFunc(order, func(a, b thing) int {
		return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.provides, b.provides))
	})
	failures := []Failure{}
	for _, k := range order {
		var ids, servers []string
		named := true
		for _, r := range by[k] {
			ids, servers = append(ids, r.Provider+":"+r.Name), append(servers, r.Provider)
			named = named && s.options.Profile.Named(Tool(r))
		}
		slices.Sort(servers)
		if servers = slices.Compact(servers); len(servers) < 2 || named {
			continue
		}
		failures = append(failures, Failure{
			fmt.Sprintf("%d servers offer %q in the family %s: %s", len(servers), k.provides, k.family, strings.Join(ids, ", ")),
			fmt.Sprintf("let the profile exclude the tools of all but one, such as %q, or include them all by name", ids[len(ids)-1]),
		})
	}
	return failures
}

// authority: nothing kept may do more than the profile allows, and no tool that
// an include names in full may be one that the ceiling keeps out.
func (s *Selection) authority() []Failure {
	failures := []Failure{}
	ceiling := s.options.Profile.Ceiling()
	for _, r := range s.records {
		if r.Kind != surface.KindTool {
			continue
		}
		t := Tool(r)
		over := t.Tier > ceiling
		switch {
		case s.kept[r.ID] && over:
			failures = append(failures, Failure{fmt.Sprintf("%s is kept though it is %s", r.ID, t.Tier), "report this"})
		case over && slices.Contains(s.options.Profile.Includes(), t.ID()):
			failures = append(failures, Failure{
				fmt.Sprintf("the profile includes %s by name, which is %s, and its ceiling is %s", t.ID(), t.Tier, ceiling),
				"raise authority_ceiling, or take the tool out of include; why it is judged so: ctx surface explain " + r.ID,
			})
		}
	}
	return failures
}

// budget: the definitions of all kept tools together.
func (s *Selection) budget() []Failure {
	limit := s.options.Profile.MaxSchemaTokens()
	total := 0
	for _, r := range s.Tools() {
		total += SchemaTokens(r)
	}
	if limit == 0 || total <= limit {
		return []Failure{}
	}
	heavy := s.Tools()
	slices.SortStableFunc(heavy, func(a, b inventory.Record) int { return cmp.Compare(SchemaTokens(b), SchemaTokens(a)) })
	var names []string
	for _, r := range heavy[:min(3, len(heavy))] {
		names = append(names, fmt.Sprintf("%s:%s (%d)", r.Provider, r.Name, SchemaTokens(r)))
	}
	return []Failure{{
		fmt.Sprintf("the kept tools have %d schema tokens; max_schema_tokens is %d", total, limit),
		"the heaviest: " + strings.Join(names, ", ") + "; exclude some, or raise the limit",
	}}
}

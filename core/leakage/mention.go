package leakage

import "strings"

// mentions finds the tools of other servers in a server's text: by the name
// under which hosts list them, by id, or by a name of several words that only
// the other server has. A single word is a word.
func (s *Surroundings) mentions(server string, t text) []Finding {
	if len(s.Servers) == 0 {
		return nil
	}
	names, own := s.known(server)
	var out []Finding
	each(t.content, func(from, to int) {
		id := t.content[from:to]
		owner, firm := "", .8
		switch {
		case strings.HasPrefix(id, "mcp__"):
			name, _, _ := strings.Cut(id[len("mcp__"):], "__")
			if name != server {
				owner, firm = name, .9
			}
		default:
			if name, tool, ok := strings.Cut(id, ":"); ok && name != server && s.own[name][tool] {
				owner, firm = name, .9
			} else if o, ok := names[id]; ok && !own[id] {
				owner = o
			}
		}
		if owner != "" {
			out = append(out, Finding{CapabilityMention, "speaks of a tool of " + owner, Place{t.field, from, to}, firm})
		}
	})
	return out
}

// known are the names of several words that servers have, each with its first
// owner, and all that this server has.
func (s *Surroundings) known(server string) (others map[string]string, own map[string]bool) {
	s.once.Do(func() {
		s.owners = map[string]string{}
		s.own = map[string]map[string]bool{}
		for _, o := range s.Servers {
			own := s.own[o.Name]
			if own == nil {
				own = map[string]bool{}
				s.own[o.Name] = own
			}
			for _, t := range o.Tools {
				own[t] = true
				if strings.ContainsAny(t, "_-.") || strings.ToLower(t) != t {
					if _, taken := s.owners[t]; !taken {
						s.owners[t] = o.Name
					}
				}
			}
		}
	})
	return s.owners, s.own[server]
}

// each calls f with the bounds of every identifier of a text.
func each(content string, f func(from, to int)) {
	from := -1
	for i := 0; i <= len(content); i++ {
		inside := i < len(content) && (content[i] == '_' || content[i] == '-' || content[i] == ':' || content[i] == '.' || content[i] == '/' ||
			content[i] >= '0' && content[i] <= '9' || content[i] >= 'a' && content[i] <= 'z' || content[i] >= 'A' && content[i] <= 'Z')
		switch {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			to := i
			for to > from && strings.IndexByte(".:-/", content[to-1]) >= 0 {
				to--
			}
			if to > from {
				f(from, to)
			}
			from = -1
		}
	}
}

package inventory

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// code is a name that a text sets apart as one: `like_this`.
var code = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([A-Za-z0-9][A-Za-z0-9_.:-]*)`") })

// sayServer is what stands before or after the name of a server.
var sayServer = sync.OnceValues(func() (before, after *regexp.Regexp) {
	return regexp.MustCompile(`(?i)\bMCP server\s+$`), regexp.MustCompile(`(?i)^\s+MCP server\b`)
})

// placeholder is a name that stands for any.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[_.-])(?:my|your|our|some|any|foo|bar|example|sample|name|server)(?:$|[_.-])|^servername$`)
})

// named are the needs that a text has in words of its own: a server that it
// calls one ("the `notes` MCP server"), a tool by its id ("`notes:list_pages`"),
// or by a name of several words that only one server has ("`list_pages`"), unless
// a server is missing whose tool it could be. Other words are words: only of what
// is called a server can it be said that it is not there.
func named(text string, servers, tools map[string]*Record, owners map[string]*Record) []Need {
	var needs, bare []Need
	missing := false
	before, after := sayServer()
	for _, at := range code().FindAllStringSubmatchIndex(text, -1) {
		name := text[at[2]:at[3]]
		n := Need{Text: name, Place: surface.Place{Line: 1 + strings.Count(text[:at[0]], "\n")}}
		switch {
		case after.MatchString(text[at[1]:min(len(text), at[1]+16)]) || before.MatchString(text[max(0, at[0]-16):at[0]]):
			s := servers[fold(name)]
			switch {
			case s == nil && placeholder().MatchString(name):
				continue
			case s == nil:
				n.ID, n.Broken = ID(surface.KindServer, "", name), "no server is called that"
				missing = true
			case s.Standing == Off:
				n.ID, n.Broken = s.ID, "the server is switched off"
			default: // behind the gateway, too, its tools are found under its name
				n.ID = s.ID
			}
		case strings.Contains(name, ":"):
			server, tool, _ := strings.Cut(name, ":")
			t := tools[fold(server)+"\x00"+fold(tool)]
			if t == nil {
				continue
			}
			n.ID = t.ID
		default:
			t := owners[name]
			if t == nil {
				continue
			}
			n.ID, n.Loose = t.ID, true
			bare = append(bare, n)
			continue
		}
		needs = append(needs, n)
	}
	if missing {
		return needs
	}
	return append(needs, bare...)
}

// ownersOf are the tools whose names have several words and are no other's.
func ownersOf(records []Record) map[string]*Record {
	owners := make(map[string]*Record)
	for i := range records {
		r := &records[i]
		if r.Kind != surface.KindTool || r.Own || r.Standing == Off || !strings.ContainsAny(r.Name, "_-.") && strings.ToLower(r.Name) == r.Name {
			continue
		}
		if _, taken := owners[r.Name]; taken {
			owners[r.Name] = nil
			continue
		}
		owners[r.Name] = r
	}
	return owners
}

package inventory

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// relate finds what each prose refers to: the names under which the host shows
// MCP tools, and what it names in words of its own. pattern is
// [surface.Sources.ToolName].
func relate(records []Record, pattern string) {
	prefix, between, ok := cutPattern(pattern)
	servers := make(map[string]*Record)
	tools := make(map[string]*Record)
	for i := range records {
		r := &records[i]
		switch r.Kind {
		case surface.KindServer:
			servers[fold(r.Name)] = r
		case surface.KindTool:
			tools[fold(r.Provider)+"\x00"+fold(r.Name)] = r
		}
	}
	owners := ownersOf(records)
	word := regexp.MustCompile(regexp.QuoteMeta(prefix) + `[A-Za-z0-9_.*-]*[A-Za-z0-9*]`)
	for i := range records {
		r := &records[i]
		if !r.Prose() || r.text == "" {
			continue
		}
		seen := map[string]bool{}
		for _, n := range named(r.text, servers, tools, owners) {
			if !seen[n.ID] {
				seen[n.ID] = true
				n.Place.File = r.Place.File
				r.Requires = append(r.Requires, n)
			}
		}
		if !ok || !strings.Contains(r.text, prefix) {
			continue
		}
		header := frontMatter(r.text)
		for _, at := range word.FindAllStringIndex(r.text, -1) {
			text := r.text[at[0]:at[1]]
			if seen[text] || at[0] > 0 && isWord(r.text[at[0]-1]) {
				continue
			}
			seen[text] = true
			n := need(text, prefix, between, servers, tools, r.Kind == surface.KindAgent && at[0] < header)
			n.Place = surface.Place{File: r.Place.File, Line: 1 + strings.Count(r.text[:at[0]], "\n")}
			r.Requires = append(r.Requires, n)
		}
	}
}

// need says what a name such as "mcp__github__create_issue" means. listed is true
// where the host itself reads it.
func need(text, prefix, between string, servers, tools map[string]*Record, listed bool) Need {
	rest := strings.TrimPrefix(text, prefix)
	server, tool := rest, ""
	// A server's name may itself hold what stands between it and a tool's: the
	// longest that there is counts.
	for at := len(rest); ; {
		if servers[fold(rest[:at])] != nil {
			server, tool = rest[:at], strings.TrimPrefix(rest[at:], between)
			break
		}
		i := strings.LastIndex(rest[:at], between)
		if i < 0 {
			server, tool, _ = strings.Cut(rest, between)
			break
		}
		at = i
	}
	n := Need{Text: text}
	s := servers[fold(server)]
	switch {
	case s == nil:
		n.ID, n.Broken = ID(surface.KindServer, "", server), "no server is called that"
	case s.Standing == Off:
		n.ID, n.Broken = s.ID, "the server is switched off"
	case s.Standing == HeldBack && listed:
		// What a host is to give an agent is only found under the host's own name;
		// the gateway takes that name, too, from a model that has read it.
		n.ID, n.Broken = s.ID, "the server is behind ctx-gateway, which shows it under another name"
	case tool == "" || strings.Contains(tool, "*") || s.Unmeasured != "":
		n.ID = s.ID
	default:
		if t := tools[fold(s.Name)+"\x00"+fold(tool)]; t != nil {
			n.ID = t.ID
			break
		}
		n.ID, n.Broken = ID(surface.KindTool, s.Name, tool), "the server lists no such tool"
		if slices.ContainsFunc(s.denied, func(name string) bool { return fold(name) == fold(tool) }) {
			n.Broken = "the host does not show the tool: it is denied or switched off"
		}
	}
	return n
}

// frontMatter is where a text's own settings end, in bytes.
func frontMatter(text string) int {
	if rest, ok := strings.CutPrefix(text, "---"); ok {
		if end := strings.Index(rest, "\n---"); end >= 0 {
			return end + len("---")
		}
	}
	return 0
}

func cutPattern(pattern string) (prefix, between string, ok bool) {
	prefix, rest, ok := strings.Cut(pattern, "{server}")
	between, _, more := strings.Cut(rest, "{tool}")
	return prefix, between, ok && more && prefix != "" && between != ""
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// fold makes names equal that hosts write alike.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// verbs are what tools do, each with the words that say so.
var verbs = map[string]string{
	"search": "search", "find": "search", "query": "search", "lookup": "search", "grep": "search",
	"read": "read", "get": "read", "fetch": "read", "show": "read", "view": "read", "describe": "read", "open": "read",
	"list": "list", "ls": "list", "enumerate": "list",
	"write": "write", "edit": "write", "update": "write", "set": "write", "modify": "write", "patch": "write", "put": "write",
	"create": "create", "add": "create", "new": "create", "insert": "create", "make": "create",
	"delete": "delete", "remove": "delete", "drop": "delete", "destroy": "delete", "purge": "delete",
	"move": "move", "rename": "move", "copy": "copy", "run": "run", "execute": "run", "exec": "run", "invoke": "run",
	"send": "send", "post": "send", "publish": "send", "notify": "send", "merge": "merge", "push": "push", "deploy": "deploy",
	"comment": "comment", "review": "review", "test": "test", "diff": "diff",
}

// provides is what a tool can do by the words of its name: "read file".
func provides(tool string) []string {
	words := surface.Words(tool)
	for i, w := range words {
		verb, ok := verbs[w]
		if !ok {
			continue
		}
		rest := slices.Concat(words[:i], words[i+1:])
		rest = slices.DeleteFunc(rest, func(w string) bool { return strings.Contains(w, "_") || filler[w] })
		if len(rest) == 0 {
			return nil
		}
		slices.Sort(rest)
		return []string{strings.TrimSpace(verb + " " + strings.Join(rest, " "))}
	}
	return nil
}

var filler = map[string]bool{"a": true, "the": true, "of": true, "by": true, "for": true, "all": true, "with": true, "from": true, "to": true, "and": true, "in": true, "on": true}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// markNamed leaves a server direct that the user's hooks, agents or skills speak
// of by name: behind a gateway its tools have other names, and they would miss it.
func (s *settings) markNamed(servers []surface.Server, agents []agent, skills []skill) {
	hooks := s.hookGroups()
	for i := range servers {
		if srv := &servers[i]; srv.Direct == "" && !srv.Own {
			srv.Direct = namedBy(srv.Name, hooks, agents, skills)
		}
	}
}

func namedBy(server string, hooks map[string][]hookGroup, agents []agent, skills []skill) string {
	for _, file := range slices.Sorted(maps.Keys(hooks)) {
		for _, g := range hooks[file] {
			if matcherNames(g.Matcher, server) {
				return fmt.Sprintf("the hook matcher %q in %s names it", g.Matcher, file)
			}
			for _, h := range g.Handlers {
				if h.Server == server {
					return fmt.Sprintf("a hook in %s calls it", file)
				}
			}
		}
	}
	for _, a := range agents {
		if slices.Contains(a.servers, server) || textNames(a.text, server) {
			return fmt.Sprintf("the agent %s in %s names it", a.item.Name, a.item.Place.File)
		}
	}
	for _, k := range skills {
		if textNames(k.names, server) {
			return fmt.Sprintf("the skill %s in %s names it", k.item.Name, k.item.Place.File)
		}
	}
	return ""
}

// matcherNames reports whether a matcher, which is a regular expression on tool
// names, singles a server out. "mcp__.*" does not; "mcp__(github|jira)__.*" does.
func matcherNames(matcher, server string) bool {
	if !strings.Contains(matcher, "mcp__") {
		return false
	}
	text, name := strings.ReplaceAll(matcher, "mcp__", " "), sanitize(server)
	for start := 0; ; {
		i := strings.Index(text[start:], name)
		if i < 0 {
			return false
		}
		i += start
		if !alnumAt(text, i-1) && !alnumAt(text, i+len(name)) {
			return true
		}
		start = i + 1
	}
}

func alnumAt(s string, i int) bool {
	return i >= 0 && i < len(s) && sanitize(s[i:i+1]) != "_"
}

func textNames(text, server string) bool {
	return strings.Contains(text, "mcp__"+sanitize(server)+"__")
}

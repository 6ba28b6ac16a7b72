package surface

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/selection"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// idleHooks tells of hooks that the host runs for tools of servers that are left
// out: what they guard or note is not seen any more. A hook needs no tool, so
// that nothing is kept for its sake. pattern is [surface.Sources.ToolName].
func idleHooks(s *selection.Selection, pattern string) []string {
	prefix, _, _ := strings.Cut(pattern, "{server}")
	var notes []string
	seen := map[string]bool{}
	for _, r := range s.Kept {
		matcher := matcherOf(r)
		if prefix == "" || !strings.Contains(matcher, prefix) || seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		fits, err := regexp.Compile("^(?:" + matcher + ")$")
		if err != nil || fits.MatchString(toolName(pattern, "no-server-is-called-this", "x")) {
			continue // it names no server in particular
		}
		for _, server := range s.Dropped {
			if fitsServer(fits, s, pattern, server) {
				notes = append(notes, fmt.Sprintf("%s is for the server %s, which is left out: it does not run for it", r.ID, server))
			}
		}
	}
	return notes
}

// matcherOf is what stands in brackets behind the event of a hook, "" for
// anything else.
func matcherOf(r inventory.Record) string {
	_, rest, ok := strings.Cut(r.Name, "(")
	matcher, closed := strings.CutSuffix(rest, ")")
	if r.Kind != surface.KindHook || !ok || !closed {
		return ""
	}
	return matcher
}

// fitsServer reports whether a matcher fits a tool of a server that is left out,
// or one that it could have.
func fitsServer(fits *regexp.Regexp, s *selection.Selection, pattern, server string) bool {
	if fits.MatchString(toolName(pattern, server, "x")) || fits.MatchString(strings.TrimRight(toolName(pattern, server, ""), "_")) {
		return true
	}
	for _, x := range s.Excluded {
		if tool, ok := strings.CutPrefix(x.ID, inventory.ID(surface.KindTool, server, "")); ok && fits.MatchString(toolName(pattern, server, tool)) {
			return true
		}
	}
	return false
}

// toolName is what the host calls a tool.
func toolName(pattern, server, tool string) string {
	return strings.NewReplacer("{server}", underscored(server), "{tool}", underscored(tool)).Replace(pattern)
}

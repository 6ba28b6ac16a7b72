package main

import (
	"strconv"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// readLoading tells whether the session sends every MCP schema in each request
// or names alone, which is Claude Code's default. With "auto" that depends on the
// size of all definitions, which only the session itself knows.
func (r *reader) readLoading() {
	r.out.Loading = surface.Deferred
	if mode := r.searchMode(); mode == "auto" || strings.HasPrefix(mode, "auto:") {
		r.out.Unseen = append(r.out.Unseen, "whether ENABLE_TOOL_SEARCH="+mode+" defers as many tools as there are")
	}
	if r.searchOff() {
		r.out.Loading = surface.Eager
	}
}

func (r *reader) searchOff() bool {
	for _, l := range r.layer {
		if _, ok := l.get("permissions", "deny").has("ToolSearch"); ok {
			return true
		}
	}
	for _, rule := range r.ruleFlags("--disallowedTools", "--disallowed-tools") {
		if rule == "ToolSearch" {
			return true
		}
	}
	if truthy(r.lookup("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS")) {
		return true
	}
	switch mode := r.searchMode(); mode {
	case "0", "false", "no", "off":
		return true
	default:
		percent, ok := strings.CutPrefix(mode, "auto:")
		n, err := strconv.Atoi(percent)
		return ok && err == nil && n >= 100
	}
}

func (r *reader) searchMode() string { return strings.ToLower(r.lookup("ENABLE_TOOL_SEARCH")) }

func truthy(s string) bool {
	switch strings.ToLower(s) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

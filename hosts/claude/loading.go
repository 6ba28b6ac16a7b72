package main

import (
	"strconv"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// readLoading tells whether the session sends every MCP schema in each request
// or names alone, which is Claude Code's default. With "auto" it depends on the
// size of all definitions, which is not known here: by default it defers them.
func (r *reader) readLoading() {
	r.out.Loading = surface.Deferred
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
	switch mode := strings.ToLower(r.lookup("ENABLE_TOOL_SEARCH")); mode {
	case "0", "false", "no", "off":
		return true
	default:
		percent, ok := strings.CutPrefix(mode, "auto:")
		n, err := strconv.Atoi(percent)
		return ok && err == nil && n >= 100
	}
}

func truthy(s string) bool {
	switch strings.ToLower(s) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

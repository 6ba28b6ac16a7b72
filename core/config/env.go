package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// fromEnv follows the CTX_* variables. They are the user's, for one run.
func (c *Config) fromEnv(env []string) []Problem {
	var problems []Problem
	ignored := func(variable, format string, args ...any) {
		problems = append(problems, Problem{File: variable, Text: fmt.Sprintf(format, args...)})
	}
	get := func(variable string) string { return paths.Lookup(env, variable) }

	c.PreloadCapabilities = names(get("CTX_CAPABILITIES"))
	c.PreloadSkills = names(get("CTX_SKILLS"))
	if v := get("CTX_DISCOVERY_PROFILE"); v != "" {
		c.Discovery.ActiveProfile = v
	}
	switch v := get("CTX_TOOL_DISCOVERY_MODE"); v {
	case "", "dynamic":
	case "legacy":
		c.Discovery.Legacy = true
	default:
		ignored("CTX_TOOL_DISCOVERY_MODE", `must be "legacy" or "dynamic", not %q`, v)
	}
	switch v := get("CTX_TOOL_SCHEMA_MODE"); v {
	case "":
	case "full", "deferred":
		c.Gateway.SchemaMode = v
	default:
		ignored("CTX_TOOL_SCHEMA_MODE", `must be "full" or "deferred", not %q`, v)
	}
	if v := get("CTX_TOOL_SCHEMA_FALLBACK_MS"); v != "" {
		n, err := strconv.ParseUint(v, 10, 30)
		if err != nil {
			ignored("CTX_TOOL_SCHEMA_FALLBACK_MS", "must be a whole number of milliseconds, not %q", v)
		} else {
			c.Gateway.SchemaFallbackMS = int(n)
		}
	}
	if v := get("CTX_LOG"); v != "" {
		if hclog.LevelFromString(v) == hclog.NoLevel {
			ignored("CTX_LOG", `must be "trace", "debug", "info", "warn", "error" or "off", not %q`, v)
		} else {
			c.LogLevel = strings.ToLower(v)
		}
	}
	return problems
}

// names splits a list at commas and spaces.
func names(list string) []string {
	if list == "" {
		return nil
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

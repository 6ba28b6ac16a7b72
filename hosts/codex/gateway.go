package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Codex hands a server HOME, LANG, PATH and USER, and what env_vars names.
var (
	ownVars = []string{
		"CODEX_HOME",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
		"CTX_CAPABILITIES", "CTX_DISCOVERY_PROFILE", "CTX_LOG", "CTX_ORT_LIB", "CTX_PLUGINS", "CTX_SKILLS",
		"CTX_TOOL_DISCOVERY_MODE", "CTX_TOOL_SCHEMA_FALLBACK_MS", "CTX_TOOL_SCHEMA_MODE",
	}
	// By these Codex itself reaches servers over HTTP.
	networkVars = []string{
		"ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
		"all_proxy", "http_proxy", "https_proxy", "no_proxy",
		"SSL_CERT_DIR", "SSL_CERT_FILE",
	}
)

// The timeouts that Codex 0.169.0 has where a table names none.
const (
	hostStartTimeout = 30 * time.Second
	hostCallTimeout  = 300 * time.Second
)

// setting is one key of a table, in the order in which it is written.
type setting struct {
	key   string
	value any // bool, json.Number, string or []string, which JSON and TOML write alike
}

// gatewayTable is what [mcp_servers.ctx] holds. omit_tools_from keeps our few
// tools out of Codex's own search, so that the model sees them at once; approval
// is left to the gateway, which knows the tool behind a call. Order and numbers
// are as "codex mcp add" writes them: it rewrites every table of the file.
//
// The table serves the servers that are fronted, and whatever one of its own that
// is among them served.
func gatewayTable(program string, fronted []surface.Server) []setting {
	vars := slices.Clone(ownVars)
	start, call := hostStartTimeout, hostCallTimeout
	for _, srv := range fronted {
		vars = append(vars, srv.EnvVars...)
		vars = append(vars, slices.Sorted(maps.Values(srv.HeaderEnv))...)
		if srv.BearerEnv != "" {
			vars = append(vars, srv.BearerEnv)
		}
		if srv.Transport != surface.Stdio {
			vars = append(vars, networkVars...)
		}
		start, call = max(start, srv.StartTimeout), max(call, srv.CallTimeout)
	}
	return []setting{
		{"command", program},
		{"args", []string{"--host", hostName}},
		{"env_vars", unique(vars)},
		{"omit_tools_from", []string{"deferred"}},
		{"startup_timeout_sec", seconds(start)},
		{"tool_timeout_sec", seconds(call)},
		{"default_tools_approval_mode", "approve"},
	}
}

func seconds(d time.Duration) json.Number {
	return json.Number(strconv.FormatFloat(math.Ceil(d.Seconds()), 'f', 1, 64))
}

// unique keeps the first of equal names.
func unique(names []string) []string {
	var list []string
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// object writes a table as a JSON object, its keys in their order.
func object(table []setting) json.RawMessage {
	pairs := make([]string, len(table))
	for i, s := range table {
		pairs[i] = encode(s.key) + ":" + encode(s.value)
	}
	return json.RawMessage("{" + strings.Join(pairs, ",") + "}")
}

// encode writes a plain value as JSON, which is TOML, too.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("codex: plain values always encode: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// hostPID names the variable in which a hook and the gateway hand on the id of
// the host's process.
const hostPID = "CTX_HOST_PID"

const unseenCommandLine = "what the command line of the running session says"

// readCommandLine reads the arguments that the running session was started
// with: they may hold rules and settings that stand in no file.
func (r *reader) readCommandLine() {
	pid := paths.Lookup(r.env, hostPID)
	if pid == "" {
		return
	}
	raw, err := os.ReadFile(filepath.Join("/proc", filepath.Base(pid), "cmdline"))
	if err != nil || len(raw) == 0 {
		r.out.Unseen = append(r.out.Unseen, unseenCommandLine)
		return
	}
	r.argv = strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
}

// flagValues are the values of a flag under any of its names, in the forms
// "--flag=value" and "--flag value value …".
func (r *reader) flagValues(names ...string) []string {
	var values []string
	taking := false
	for _, arg := range r.argv {
		if strings.HasPrefix(arg, "-") {
			taking = false
			for _, name := range names {
				if arg == name {
					taking = true
				} else if v, ok := strings.CutPrefix(arg, name+"="); ok {
					values = append(values, v)
				}
			}
			continue
		}
		if taking {
			values = append(values, arg)
		}
	}
	return values
}

// lastValue is the value of a flag that takes one: given twice, the last counts.
func (r *reader) lastValue(flag string) (value string, given bool) {
	for i, arg := range r.argv {
		if v, ok := strings.CutPrefix(arg, flag+"="); ok {
			value, given = v, true
		} else if arg == flag && i+1 < len(r.argv) {
			value, given = r.argv[i+1], true
		}
	}
	return value, given
}

// settingsFlag is what --settings gives: a file, or JSON itself.
func (r *reader) settingsFlag() (node, string, bool) {
	value, given := r.lastValue("--settings")
	if !given {
		return node{}, "", false
	}
	if !strings.HasPrefix(strings.TrimSpace(value), "{") {
		if !filepath.IsAbs(value) {
			value = filepath.Join(r.launch, value)
		}
		n := r.json(value)
		return n, value, n.ok()
	}
	const path = "--settings"
	d, err := parse(path, []byte(value))
	if err != nil {
		r.warn("%v", err)
		return node{}, "", false
	}
	return d.node(), path, true
}

// serversFlag declares the servers of --mcp-config, each value a file or JSON,
// and reports whether they are the only ones. No gateway can stand before them:
// another session has others.
func (r *reader) serversFlag() (strict bool) {
	for _, value := range r.flagValues("--mcp-config") {
		var n node
		if strings.HasPrefix(strings.TrimSpace(value), "{") {
			d, err := parse("--mcp-config", []byte(value))
			if err != nil {
				r.warn("%v", err)
				continue
			}
			n = d.node()
		} else {
			if !filepath.IsAbs(value) {
				value = filepath.Join(r.launch, value)
			}
			n = r.json(value)
		}
		for name, entry := range n.get("mcpServers").members() {
			s, ok := r.server(name, entry, surface.ScopeLocal)
			if !ok {
				continue
			}
			if s.Own = filepath.Base(s.Command) == gatewayName; !s.Own {
				s.Direct = "given on the command line of this session"
			}
			r.addServer(s)
		}
	}
	return slices.Contains(r.argv, "--strict-mcp-config")
}

// ruleFlags are the permission rules on the command line. A value may hold
// several, apart by commas or spaces; what stands in parentheses is one.
func (r *reader) ruleFlags(names ...string) []string {
	var rules []string
	for _, v := range r.flagValues(names...) {
		depth := 0
		rules = append(rules, strings.FieldsFunc(v, func(c rune) bool {
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			}
			return depth <= 0 && (c == ',' || c == ' ')
		})...)
	}
	return rules
}

// flagPlace says where a rule of the command line stands.
func flagPlace(flag string) string { return fmt.Sprintf("(command line) %s", flag) }

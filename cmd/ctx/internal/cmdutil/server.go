package cmdutil

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Start is what starting or reaching the server means, as it is declared.
func Start(s surface.Server) string {
	if s.Transport != surface.Stdio {
		return iostreams.Clean(s.URL)
	}
	words := append([]string{s.Command}, s.Args...)
	for i, w := range words {
		clean := iostreams.Clean(w)
		if clean != w {
			words[i] = "$'" + strings.ReplaceAll(clean, "'", `\'`) + "'"
		} else if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`;&|<>()*?[]{}~#!") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// hash is the name under which scripts and local tools declare their bytes; no
// shell can set a variable of that name.
const hash = "SHA-256"

// Details are what a start depends on beside the command line, unexpanded. With
// [Start] they tell all that an approval covers: what they left out could change
// and nobody would see it.
func Details(s surface.Server) []string {
	var lines []string
	add := func(format string, values ...any) {
		lines = append(lines, iostreams.Clean(fmt.Sprintf(format, values...)))
	}
	if s.Transport != surface.Stdio && s.Transport != surface.HTTP {
		add("over %s", s.Transport) // the URL does not tell
	}
	if s.Cwd != "" {
		add("in %s", s.Cwd)
	}
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		if k == hash {
			add("%s %s", k, s.Env[k])
			continue
		}
		add("env %s=%s", k, masked(k, s.Env[k]))
	}
	for _, name := range s.EnvVars {
		add("env passed on: %s", name)
	}
	for _, k := range slices.Sorted(maps.Keys(s.Headers)) {
		add("header %s=%s", k, masked(k, s.Headers[k]))
	}
	// The name of a variable is no secret: it is what there is to approve.
	for _, k := range slices.Sorted(maps.Keys(s.HeaderEnv)) {
		add("header from variable %s=%s", k, s.HeaderEnv[k])
	}
	if s.BearerEnv != "" {
		add("bearer token from variable: %s", s.BearerEnv)
	}
	if s.HeadersCmd != "" {
		add("headers from: %s", s.HeadersCmd)
	}
	return lines
}

// masked keeps a secret that is written out in a configuration off the screen.
// A reference such as ${TOKEN} is none.
func masked(name, value string) string {
	if strings.Contains(value, "${") {
		return value
	}
	name = strings.ToLower(name)
	for _, word := range []string{"token", "key", "secret", "password", "passwd", "auth", "cookie", "credential"} {
		if strings.Contains(name, word) {
			return fmt.Sprintf("(%d bytes, not shown)", len(value))
		}
	}
	return value
}

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

// Details are what a start depends on beside the command line, unexpanded.
func Details(s surface.Server) []string {
	var lines []string
	if s.Cwd != "" {
		lines = append(lines, "in "+iostreams.Clean(s.Cwd))
	}
	for _, group := range []struct {
		what string
		of   map[string]string
	}{{"env", s.Env}, {"header", s.Headers}, {"header from variable", s.HeaderEnv}} {
		for _, k := range slices.Sorted(maps.Keys(group.of)) {
			line := fmt.Sprintf("%s %s=%s", group.what, k, masked(k, group.of[k]))
			if k == hash {
				line = k + " " + group.of[k]
			}
			lines = append(lines, iostreams.Clean(line))
		}
	}
	if s.HeadersCmd != "" {
		lines = append(lines, "headers from: "+iostreams.Clean(s.HeadersCmd))
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

package tap

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// provider is the content of a provider file: the servers behind a capability.
type provider struct {
	title, description string
	deps               []string
	servers            []Server
	allowed            []string // as written; nil where there is no list
	allowedAt          surface.Place
	refs               []string // server_refs as written
}

// depName is "ORG/TOOL": it becomes a path in the tap.
var depName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$`)
})

func parseProvider(d *document) provider {
	p := provider{}
	p.title, p.description = header(d.text, "Title"), header(d.text, "Description")
	root := d.root()
	root.only("deps", "roles", "mcp")
	if deps, ok := root.table("deps"); ok {
		deps.only("require")
		for i, dep := range deps.texts("require") {
			if !depName().MatchString(dep) {
				d.report(Error, "bad-dep", append(deps.path("require"), fmt.Sprintf("#%d", i)),
					`write "ORG/TOOL" for deps/ORG/TOOL.sh`, "%q is no dependency", dep)
				continue
			}
			p.deps = append(p.deps, dep)
		}
	}
	var role table
	if roles, ok := root.table("roles"); ok {
		roles.only("mcp")
		role, _ = roles.table("mcp")
	}
	if role.document != nil {
		role.only("server_refs", "allowed_tools")
		p.refs = role.texts("server_refs")
		p.allowed = role.texts("allowed_tools")
		if _, there := role.values["allowed_tools"]; there {
			p.allowedAt = surface.Place{File: d.path, Line: d.place(role.path("allowed_tools")).line}
			if p.allowed == nil {
				p.allowed = []string{} // of a wrong kind: better nothing than everything
			}
		}
	}
	declared := 0
	if mcp, ok := root.table("mcp"); ok {
		mcp.only("servers")
		for _, t := range mcp.tables("servers") {
			if declared++; declared > mostServers {
				t.report(Error, "too-many", t.at, "", "it has over %d servers; the others are passed over", mostServers)
				break
			}
			if s, ok := p.server(t); ok {
				p.servers = append(p.servers, s)
			}
		}
	}
	if declared == 0 && len(p.deps) == 0 {
		d.report(Error, "empty", []string{"mcp"}, "declare [[mcp.servers]] or [deps] require", "it has neither a server nor a dependency")
	}
	return p
}

// server takes one [[mcp.servers]] over. What is wrong with it makes it unusable
// alone, and it is not run half.
func (p provider) server(t table) (Server, bool) {
	t.only("name", "type", "command", "args", "env", "cwd", "url", "headers", "timeout_seconds", "tools")
	unknown := t.total()
	timeout := time.Duration(t.number("timeout_seconds")) * time.Second
	s := Server{Server: surface.Server{
		Name: t.text("name"), Scope: surface.ScopeTap,
		Command: t.text("command"), Args: t.texts("args"), Env: t.textMap("env"), Cwd: t.text("cwd"),
		URL: t.text("url"), Headers: t.textMap("headers"),
		StartTimeout: timeout, CallTimeout: timeout,
	}}
	s.Place = surface.Place{File: t.document.path, Line: t.place(t.at).line}
	kind := t.text("type")
	own := t.texts("tools")
	switch {
	case s.Name == "":
		t.report(Error, "no-name", t.at, "", "a server needs a name")
	case !plainName().MatchString(s.Name):
		t.report(Error, "bad-name", t.path("name"), "letters, digits, dots, dashes and underscores", "%q cannot be a server's name", s.Name)
	}
	switch kind {
	case "stdio":
		s.Transport = surface.Stdio
	case "http":
		s.Transport = surface.HTTP
	case "sse":
		s.Transport = surface.SSE
	case "builtin":
		s.Unstartable = "its server is built into another program and cannot be started from here"
	case "":
		s.Transport = surface.Stdio
		if s.Command == "" && s.URL != "" {
			s.Transport = surface.HTTP
		}
	default:
		t.report(Error, "bad-type", t.path("type"), "known: stdio, http, sse, builtin", "%q is no type of server", kind)
	}
	switch {
	case s.Transport == surface.Stdio && s.Command == "":
		t.report(Error, "no-command", t.at, "", "the server %q has no command", s.Name)
	case (s.Transport == surface.HTTP || s.Transport == surface.SSE) && s.URL == "":
		t.report(Error, "no-url", t.at, "", "the server %q has no url", s.Name)
	}
	if relative(s.Command) {
		s.Unstartable = fmt.Sprintf("its command %s is a relative path, which would be another program in every folder", s.Command)
	}
	if slices.ContainsFunc(p.servers, func(o Server) bool { return o.Name == s.Name }) {
		t.report(Error, "duplicate-server", t.path("name"), "", "another server of this file is named %q", s.Name)
	}
	if t.total() > unknown {
		return s, false
	}
	s.Allowed, s.AllowedAt = allowedOf(s.Name, p.allowed), p.allowedAt
	if len(own) > 0 {
		s.Allowed = narrowed(s.Allowed, own)
	}
	return s, true
}

// relative reports whether a command means what lies in the folder where it is
// started.
func relative(command string) bool {
	return strings.ContainsRune(command, '/') && !filepath.IsAbs(command) && !strings.HasPrefix(command, "{{")
}

// allowedOf are the globs of a list that are about one server: "server:glob" is
// about that one, a bare glob about each.
func allowedOf(server string, list []string) []string {
	if list == nil {
		return nil
	}
	out := []string{}
	for _, pattern := range list {
		of, glob, scoped := strings.Cut(pattern, ":")
		if !scoped {
			glob = pattern
		}
		if (!scoped || of == server) && strings.TrimSpace(glob) != "" {
			out = append(out, glob)
		}
	}
	return out
}

// narrowed are the globs that a server's own list leaves of those of the
// capability. Globs do not intersect in general, so a name in either list that
// the other one allows is kept.
func narrowed(allowed, own []string) []string {
	if allowed == nil {
		return own
	}
	out := []string{}
	for _, a := range allowed {
		if slices.ContainsFunc(own, func(o string) bool { return o == a || Match(o, a) }) {
			out = append(out, a)
		}
	}
	for _, o := range own {
		if !slices.Contains(out, o) && slices.ContainsFunc(allowed, func(a string) bool { return Match(a, o) }) {
			out = append(out, o)
		}
	}
	return out
}

// header is the value of a "# NAME: value" line among the comments that a file
// begins with.
func header(text, name string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return ""
		}
		key, value, ok := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "#")), ":")
		if ok && strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// standIn is the file that another one stands for where the file system could
// not keep a symbolic link: git then writes the link's target as the file's
// whole text, which is never TOML.
func standIn(path, text string) (target string, ok bool) {
	name := strings.TrimSpace(text)
	if filepath.Ext(name) != ".toml" || strings.ContainsAny(name, "\n\r=#[]{}\"'\\ \t") || filepath.IsAbs(name) {
		return "", false
	}
	return filepath.Join(filepath.Dir(path), filepath.FromSlash(name)), true
}

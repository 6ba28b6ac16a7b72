package plugindir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

const (
	serversFile   = "mcp.json"
	serversSchema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
)

// mostServers is how many servers a plugin may have.
const mostServers = 100

var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// readServers reads a plugin's mcp.json. A server that cannot be followed costs
// itself alone.
func readServers(p Plugin, data string) ([]tap.Server, []tap.Problem) {
	path := filepath.Join(p.Dir, serversFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if !within(p.Dir, path) {
		return nil, []tap.Problem{{File: path, Severity: tap.Error, Rule: "outside", Text: "it is a link that leads out of the plugin, or nowhere"}}
	}
	d, root, ok := open(path)
	if !ok {
		return nil, d.problems
	}
	root.only("$schema", "mcpServers")
	root.schema(serversSchema)
	list, ok := root.object("mcpServers")
	if !ok && !d.failed(0) {
		root.fault(0, "empty", "it has no mcpServers", `"mcpServers": {"NAME": {"type": "stdio", "command": "..."}}`)
	}
	if n := len(list.fields); n > mostServers {
		root.fault(root.offset("mcpServers"), "too-many", fmt.Sprintf("it has %d servers", n), fmt.Sprintf("at most %d", mostServers))
	}
	if d.failed(0) {
		return nil, d.problems
	}
	var servers []tap.Server
	for _, name := range slices.Sorted(maps.Keys(list.fields)) {
		before := d.errors
		one, ok := list.object(name)
		if !ok {
			continue
		}
		s := one.server(name, p.Dir, data)
		if !d.failed(before) {
			servers = append(servers, s)
		}
	}
	return servers, d.problems
}

// server takes one server over; whatever is wrong with it is reported.
func (o object) server(name, root, data string) tap.Server {
	before := o.errors
	at := o.offset("")
	s := surface.Server{Name: name, Scope: surface.ScopePlugin, Place: surface.Place{File: o.path, Line: o.line(at)}}
	if !serverName.MatchString(name) {
		o.fault(at, "bad-name", fmt.Sprintf("%q cannot be a server's name", name), "letters, digits, dots, dashes and underscores")
	}
	kind := o.string("type")
	if _, there := o.fields["type"]; !there {
		kind = "stdio"
		if _, remote := o.fields["url"]; remote {
			kind = "streamable-http"
		}
		o.report(tap.Warning, at, "no-type", fmt.Sprintf("the server %s does not say its type", name), fmt.Sprintf(`"type": %q`, kind))
	}
	switch kind {
	case "stdio":
		o.only("type", "command", "args", "env", "cwd")
		s.Transport = surface.Stdio
		o.stdio(&s, root, data)
	case "streamable-http", "http":
		o.only("type", "url", "headers")
		s.Transport = surface.HTTP
		o.remote(&s)
	case "sse":
		o.only("type", "url", "headers")
		s.Transport = surface.SSE
		o.remote(&s)
	default:
		if !o.failed(before) {
			o.fault(o.offset("type"), "bad-type", fmt.Sprintf("%q is no type of server", kind), "known: stdio, streamable-http, sse")
		}
	}
	return tap.Server{Server: s}
}

func (o object) line(offset int) int { return 1 + strings.Count(string(o.text[:offset]), "\n") }

// stdio takes over how a server is started.
func (o object) stdio(s *surface.Server, root, data string) {
	fill := strings.NewReplacer("${PLUGIN_ROOT}", root, "${PLUGIN_DATA}", data).Replace
	before := o.errors
	s.Command, s.Cwd, s.DataDir = o.string("command"), root, data
	switch command := s.Command; {
	case o.failed(before):
	case command == "":
		o.fault(o.offset(""), "no-command", fmt.Sprintf("the server %s has no command", s.Name), "")
	case strings.HasPrefix(command, "./"):
		s.Command = filepath.Join(root, command)
		if !within(root, s.Command) {
			o.fault(o.offset("command"), "outside", fmt.Sprintf("the command %s is not in the plugin", command), "")
		}
	case filepath.IsAbs(command):
		o.report(tap.Warning, o.offset("command"), "absolute-command", fmt.Sprintf("the command %s is there on this machine alone", command), `write the name of a program, or "./PATH" for one in the plugin`)
	case strings.ContainsRune(command, '/'):
		o.fault(o.offset("command"), "relative-command", fmt.Sprintf("the command %s would be another program in every folder", command), `write "./`+command+`" for one in the plugin`)
	}
	for _, a := range o.strings("args") {
		s.Args = append(s.Args, fill(a))
	}
	s.Env = map[string]string{"PLUGIN_ROOT": root, "PLUGIN_DATA": data}
	for name, v := range o.stringMap("env") {
		if _, own := s.Env[name]; own && (name == "PLUGIN_ROOT" || name == "PLUGIN_DATA") {
			o.fault(o.offset("env"), "bad-env", name+" is not the plugin's to set", "")
			continue
		}
		s.Env[name] = fill(v)
	}
	if _, there := o.fields["cwd"]; there {
		o.cwd(s, o.string("cwd"), root, data)
	}
}

// cwd takes over where a server is started: in the plugin or in its data.
func (o object) cwd(s *surface.Server, cwd, root, data string) {
	bad := func(text string) {
		o.fault(o.offset("cwd"), "bad-cwd", fmt.Sprintf("the folder %q %s", cwd, text), `write "./PATH", "${PLUGIN_ROOT}/PATH" or "${PLUGIN_DATA}/PATH"`)
	}
	below := func(prefix string) (string, bool) {
		rest, ok := strings.CutPrefix(cwd, prefix)
		return rest, ok && (rest == "" || strings.HasPrefix(rest, "/"))
	}
	if rest, ok := below("${PLUGIN_DATA}"); ok {
		if s.Cwd = filepath.Join(data, rest); s.Cwd != data && !strings.HasPrefix(s.Cwd, data+"/") {
			bad("is not in the plugin's data")
		}
		s.DataDir = s.Cwd
		return
	}
	rest, ok := below("${PLUGIN_ROOT}")
	if !ok {
		rest, ok = strings.CutPrefix(cwd, "./")
	}
	s.Cwd = filepath.Join(root, rest)
	switch {
	case !ok:
		bad("is neither the plugin's nor its data")
	case !within(root, s.Cwd):
		bad("is not in the plugin")
	}
}

// remote takes over where a server is reached.
func (o object) remote(s *surface.Server) {
	before := o.errors
	s.URL, s.Headers = o.string("url"), o.stringMap("headers")
	u, err := url.Parse(s.URL)
	bad := func(text, hint string) {
		o.fault(o.offset("url"), "bad-url", fmt.Sprintf("the server %s: %s", s.Name, text), hint)
	}
	switch {
	case o.failed(before):
	case s.URL == "":
		o.fault(o.offset(""), "no-url", fmt.Sprintf("the server %s has no url", s.Name), "")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		bad("its url is no address of the web", "")
	case u.User != nil || u.Fragment != "":
		bad("its url has a user or a fragment", "")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		bad("its url is not encrypted", "write https://")
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		lower := strings.ToLower(name)
		if seen[lower] {
			o.fault(o.offset("headers"), "bad-header", fmt.Sprintf("the header %s is there twice", name), "")
			break
		}
		seen[lower] = true
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// reader collects the Sources of one session. Whatever it looks at, present or
// not, it notes; what it cannot read becomes a warning and the rest stands.
type reader struct {
	places
	env     []string
	detail  bool            // see [plugins.SourcesRequest]
	fronted map[string]bool // servers that our own wrap switched off
	wrapped string          // the settings file in which it did

	out      surface.Sources
	seen     map[string]bool      // of out.Files
	docs     map[string]*document // nil for what is absent or malformed
	broken   []error              // of malformed files, those of plugins apart
	loose    []string             // what is said of files that Claude Code will not read
	privacy  map[string]bool      // of local settings files
	layer    []layer
	mentions []mention       // of MCP servers in the user's files
	entries  map[string]node // of servers, by name
	live     *[]plugin       // once they are read
	argv     []string        // command line of the running host, nil when there is none to see
}

func newReader(a *adapter, req plugins.SourcesRequest) *reader {
	dir := req.Dir
	if dir == "" {
		dir = req.Workspace
	}
	r := &reader{
		places:  newPlaces(req.Machine, a.managed, dir),
		env:     req.Machine.Env,
		detail:  req.Detail,
		fronted: make(map[string]bool),
		wrapped: localSettings(paths.Real(req.Workspace)),
		seen:    make(map[string]bool),
		docs:    make(map[string]*document),
		privacy: make(map[string]bool),
		entries: make(map[string]node),
	}
	for _, name := range req.Fronted {
		r.fronted[name] = true
	}
	r.out = surface.Sources{
		Host:     hostName,
		ToolName: "mcp__{server}__{tool}",
		TextCap:  4096,
		Form:     form,
		Servers:  []surface.Server{},
		Items:    []surface.Item{},
		Rules:    []surface.Rule{},
		Unseen: []string{
			"servers that claude.ai adds to a session that is logged in",
			"settings that an organization delivers other than by file",
		},
	}
	r.readCommandLine()
	r.readSettings()
	return r
}

// note records that a file or folder was looked at.
func (r *reader) note(path string) {
	if !r.seen[path] {
		r.seen[path] = true
		r.out.Files = append(r.out.Files, path)
	}
}

func (r *reader) warn(format string, args ...any) {
	r.out.Warnings = append(r.out.Warnings, fmt.Sprintf(format, args...))
}

// json reads a JSON file once; the zero node stands for an absent or malformed one.
func (r *reader) json(path string) node {
	d, ok := r.docs[path]
	if !ok {
		r.note(path)
		var err error
		d, err = r.read(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) || isNotDir(err):
		case err != nil:
			r.warn("%v", err)
			if !within(filepath.Join(r.config, "plugins"), path) && !within(filepath.Join(r.config, "skills"), path) {
				r.broken = append(r.broken, err)
			}
		default:
			r.strict(d)
		}
		r.docs[path] = d
	}
	if d == nil {
		return node{}
	}
	return d.node()
}

const mostGlobal = 512 << 20 // bytes

// read parses a file; of ~/.claude.json no more than this session needs.
func (r *reader) read(path string) (*document, error) {
	// Over the years ~/.claude.json grows to any size.
	most := int64(file.Most)
	if path == r.global {
		most = mostGlobal
	}
	src, err := file.ReadUpTo(path, most)
	if err != nil {
		return nil, err
	}
	if path == r.global {
		src = prune(bytes.TrimPrefix(src, bom), r.root)
	}
	return parse(path, src)
}

// strict says so where a file has comments or trailing commas. What it holds is
// still taken for the user's word, but Claude Code ignores all of it.
func (r *reader) strict(d *document) {
	if d.root.IsStandard() {
		return
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(d.src, new(any)); errors.As(err, &syntax) {
		n := node{doc: d, at: int(syntax.Offset) - 1}
		r.loose = append(r.loose, n.complain("Claude Code ignores the whole file: it takes no comments and no trailing commas"))
		r.out.Warnings = append(r.out.Warnings, r.loose[len(r.loose)-1])
	}
}

// head reads the first limit bytes of a file and tells its whole size.
func (r *reader) head(path string, limit int) (head []byte, size int, ok bool) {
	f, info, err := file.Open(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			r.warn("%v", err)
		}
		return nil, 0, false
	}
	defer f.Close()
	size = int(info.Size())
	head = make([]byte, min(size, limit))
	n, err := readFull(f, head)
	if err != nil {
		r.warn("%s: %v", path, err)
		return nil, 0, false
	}
	return head[:n], size, true
}

// list reads a folder's entries in the order of their names.
func (r *reader) list(dir string) []fs.DirEntry {
	r.note(dir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
		r.warn("%v", err)
	}
	return entries
}

// short names a file as a user would look for it: from the session's folder, or
// from the home folder.
func (r *reader) short(path string) string {
	for _, base := range []struct{ dir, name string }{{r.launch, ""}, {r.home, "~"}} {
		if within(base.dir, path) {
			return filepath.Join(base.name, strings.TrimPrefix(path, base.dir+string(filepath.Separator)))
		}
	}
	return path
}

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// mention is a place in the user's files that speaks of an MCP server by the
// name under which the host itself would have loaded it. Such a server stays
// direct: behind the gateway that name means nothing.
type mention struct {
	text  string // the words around "mcp__", or a bare server name
	bare  bool
	place surface.Place
}

// readMentions gives every server that is mentioned its reason to stay direct.
func (r *reader) readMentions() {
	r.hookMentions()
	for i := range r.out.Servers {
		s := &r.out.Servers[i]
		if s.Direct != "" || s.Own {
			continue
		}
		for _, m := range r.mentions {
			if m.means(s.Name) {
				s.Direct = fmt.Sprintf("named by %s:%d", r.short(m.place.File), m.place.Line)
				break
			}
		}
	}
}

// hookMentions collects the matchers, conditions and server names of the user's
// hooks.
func (r *reader) hookMentions() {
	for _, l := range r.layer {
		for _, groups := range l.get("hooks").members() {
			for group := range groups.elements() {
				r.mention(group.get("matcher"), false)
				for handler := range group.get("hooks").elements() {
					r.mention(handler.get("if"), false)
					if handler.get("type").text() == "mcp_tool" {
						r.mention(handler.get("server"), true)
					}
				}
			}
		}
	}
}

func (r *reader) mention(n node, bare bool) {
	if t := n.text(); t != "" && (bare || strings.Contains(t, "mcp__")) {
		r.mentions = append(r.mentions, mention{t, bare, n.place()})
	}
}

var mcpWord = regexp.MustCompile(`mcp__[A-Za-z0-9_.*-]+`)

// textMentions collects the MCP names in a file that instructs the model.
func (r *reader) textMentions(path string, src []byte) {
	for _, at := range mcpWord.FindAllIndex(src, -1) {
		line := bytes.Count(src[:at[0]], []byte("\n")) + 1
		r.mentions = append(r.mentions, mention{string(src[at[0]:at[1]]), false, surface.Place{File: path, Line: line}})
	}
}

// means reports whether the mention names the server: directly behind "mcp__",
// or in the group of a pattern such as "mcp__(github|gitlab)__.*".
func (m mention) means(server string) bool {
	if m.bare {
		return m.text == server
	}
	name := plain(server)
	if name == "" {
		return false // no text can speak of a server without a name
	}
	for at := 0; ; at++ {
		i := strings.Index(m.text[at:], name)
		if i < 0 {
			return false
		}
		at += i
		if serverStarts.MatchString(m.text[:at]) && serverEnds.MatchString(m.text[at+len(name):]) {
			return true
		}
	}
}

var (
	serverStarts = regexp.MustCompile(`mcp__(\((\?:)?([^()]*\|)?)?$`)
	serverEnds   = regexp.MustCompile(`^($|__|[^A-Za-z0-9_-]|_[^A-Za-z0-9_-])`)
)

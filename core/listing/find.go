package listing

import "strings"

// Find resolves the ways in which a model names a tool: "server:tool", the
// host's "mcp__server__tool", and the bare tool name where only one server has
// it. Several answers mean that a bare name is ambiguous; none, that it is
// unknown.
func Find(name string, tools []Tool) []Tool {
	var exact, bare []Tool
	for _, t := range tools {
		switch name {
		case t.ID(), "mcp__" + t.Server + "__" + t.Name, t.Server + "__" + t.Name:
			exact = append(exact, t)
		case t.Name:
			bare = append(bare, t)
		}
	}
	if len(exact) > 0 {
		return exact[:1]
	}
	if len(bare) > 0 {
		return bare
	}
	// Models drop or change the case and the separators of long names; that is
	// forgiven as long as it leaves no doubt.
	var near []Tool
	for _, t := range tools {
		if f := fold(name); f == fold(t.ID()) || f == fold("mcp__"+t.ID()) {
			near = append(near, t)
		}
	}
	if len(near) == 1 {
		return near
	}
	return nil
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '_', '.', ':', '/', ' ':
			return -1
		}
		return r
	}, strings.ToLower(s))
}

package trust

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// ServerID names a server's declaration: "mcp:NAME@user" for one that the user
// has in every workspace, "mcp:NAME@WORKSPACE" for one that belongs to the
// workspace, an absolute path with its links resolved. It is safe to print: in
// NAME, "@", "%" and what has no glyph stand as %XX.
func ServerID(s surface.Server, workspace string) string {
	where := "user"
	if s.Scope == surface.ScopeProject || s.Scope == surface.ScopeLocal {
		where = escape(workspace, "%")
	}
	return "mcp:" + escape(s.Name, "%@") + "@" + where
}

// ToolID names a tool of the server with this [ServerID]:
// "tool:SERVER:TOOL@WHERE". It is as safe to print; a ":" in a name is %3A.
func ToolID(serverID, tool string) string {
	server, where, _ := strings.Cut(strings.TrimPrefix(serverID, "mcp:"), "@")
	return "tool:" + strings.ReplaceAll(server, ":", "%3A") + ":" + escape(tool, "%@:") + "@" + where
}

// TapID names what a capability of a tap would start, a server or a dependency's
// script: "tap:ORG/NAME/CAPABILITY/SERVER". It is safe to print.
func TapID(tap, capability, name string) string {
	return "tap:" + escape(tap, "%@") + "/" + escape(capability, "%@/") + "/" + escape(name, "%@")
}

// LocalToolID names an executable that a workspace, an absolute path with its
// links resolved, has as a tool: "local:NAME@WORKSPACE". It is safe to print.
func LocalToolID(workspace, name string) string {
	return "local:" + escape(name, "%@") + "@" + escape(workspace, "%")
}

// IsLocalTool reports whether an ID is a [LocalToolID].
func IsLocalTool(id string) bool { return strings.HasPrefix(id, "local:") }

func escape(s, special string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsGraphic(r) && r != unicode.ReplacementChar && !strings.ContainsRune(special, r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Package listing keeps what MCP servers list: their tools, raw and unchanged,
// and the cache by which a session knows them before any server has started.
package listing

import (
	"encoding/json"
	"time"

	"github.com/ctx-sidecar/ctx/core/authority"
)

// Listing is everything that one server listed at one time.
type Listing struct {
	Server       string            `json:"server"`
	Fingerprint  string            `json:"fingerprint"`  // of the server's declaration
	Capabilities string            `json:"capabilities"` // what was declared to it, as canonical JSON; a server may list more to a client that can more
	Name         string            `json:"name"`         // serverInfo.name
	Version      string            `json:"version"`      // serverInfo.version
	Offers       json.RawMessage   `json:"offers"`       // the capabilities of its initialize result
	Instructions string            `json:"instructions,omitempty"`
	Tools        []json.RawMessage `json:"tools"` // each exactly as sent
	Resources    []json.RawMessage `json:"resources,omitempty"`
	Templates    []json.RawMessage `json:"templates,omitempty"`
	Prompts      []json.RawMessage `json:"prompts,omitempty"`
	At           time.Time         `json:"at"`
	Notes        []string          `json:"notes,omitempty"`   // what was odd: a repeated cursor, a duplicate name
	Program      string            `json:"program,omitempty"` // the files that ran, their sizes and times; "" where nobody looked
	Failed       string            `json:"failed,omitempty"`  // why there is no listing; Tools is then empty
	Hung         bool              `json:"hung,omitempty"`    // Failed because the server took too long

	// Writes is true where no word of the tools' own is believed that they only
	// read.
	Writes bool `json:"writes,omitempty"`
}

// Tool is what ctx itself reads of a tool definition. The definition stays raw.
type Tool struct {
	Server      string
	Name        string
	Title       string
	Description string
	InputSchema json.RawMessage
	Raw         json.RawMessage
	Writes      bool // see [Listing]
}

// Authority is the tier that the tool is taken for.
func (t Tool) Authority() authority.Tier {
	tier := authority.Of(t.Server, t.Raw).Tier
	if t.Writes {
		return max(tier, authority.RemoteWrite)
	}
	return tier
}

// ID names a tool across servers: "server:tool".
func (t Tool) ID() string { return t.Server + ":" + t.Name }

// Parse reads the tools of a listing, leaving out those without a name and all
// but the first of those that share one.
func (l Listing) Parse() []Tool {
	tools := make([]Tool, 0, len(l.Tools))
	seen := make(map[string]bool, len(l.Tools))
	for _, raw := range l.Tools {
		var t struct {
			Name        string          `json:"name"`
			Title       string          `json:"title"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		// A field of the wrong type leaves the others; only a missing name is fatal.
		if _ = json.Unmarshal(raw, &t); t.Name == "" || seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		tools = append(tools, Tool{l.Server, t.Name, t.Title, t.Description, t.InputSchema, raw, l.Writes})
	}
	return tools
}

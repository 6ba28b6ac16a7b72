package gateway

import (
	"encoding/json"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// withheldTool is a tool that the profile in force leaves out. It is in no
// answer but to who names it.
type withheldTool struct {
	listing.Tool
	reason string
}

// withhold notes the tools that the profile alone keeps out, and
// returns all their names.
func (c *catalog) withhold(tools []listing.Tool) map[string]bool {
	if c.rules.Gate.Profile() == nil {
		return nil
	}
	out := map[string]bool{}
	for _, t := range tools {
		reason := c.rules.Gate.Withheld(t)
		if reason == "" {
			continue
		}
		out[t.Name] = true
		if c.rules.admits(t.Server, t.Name) {
			c.withheld = append(c.withheld, withheldTool{t, reason})
		}
	}
	return out
}

// isWithheld finds the tool with this ID among those that the profile keeps out.
func (c *catalog) isWithheld(id string) *withheldTool {
	for i, w := range c.withheld {
		if id == w.ID() {
			return &c.withheld[i]
		}
	}
	return nil
}

// findWithheld resolves a name as find does, among the tools that the profile
// keeps out.
func (c *catalog) findWithheld(name string) *withheldTool {
	return find(name, c.withheld, func(w withheldTool) listing.Tool { return w.Tool })
}

// says is why the tool is not there, and what the user can do about it.
func (w *withheldTool) says() string {
	return line(w.ID(), 100) + " is left out: " + line(w.reason, 300) +
		". For the user: ctx profile list shows the profiles, ctx wrap setup --gateway --profile NAME changes the one in force."
}

// refusal answers a call.
func (w *withheldTool) refusal() json.RawMessage { return refuse("%s", w.says()) }

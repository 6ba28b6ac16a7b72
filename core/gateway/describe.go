package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/result"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/tokens"
)

// described is the answer of describe_tool.
type described struct {
	Schemas  []json.RawMessage `json:"schemas"`
	Unknown  []string          `json:"unknown"`
	Omitted  []string          `json:"omitted,omitempty"` // for a next request: they did not fit
	Warnings []string          `json:"warnings,omitempty"`
}

func (g *Gateway) describeTools(ctx context.Context, arguments json.RawMessage) json.RawMessage {
	var args struct {
		Tools oneOrMore `json:"tools"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil || len(args.Tools) == 0 {
		return refuse(`describe_tool needs {"tools": ["server:tool", ...]}`)
	}
	d := described{Schemas: []json.RawMessage{}, Unknown: []string{}}
	seen := map[string]bool{}
	var notes []string
	room := g.opts.Config.MaxResponseTokens
	for _, name := range args.Tools {
		if strings.HasPrefix(name, capabilityPrefix) && g.opts.Capabilities != nil {
			d.Unknown = append(d.Unknown, name)
			notes = append(notes, line(name, 100)+" is a capability: its tools have schemas once it is enabled, with the tool capability")
			continue
		}
		if strings.HasPrefix(name, skill.Prefix) && g.opts.Capabilities != nil {
			d.Unknown = append(d.Unknown, name)
			notes = append(notes, line(name, 100)+" is a skill: the tool capability shows it, with the action enable")
			continue
		}
		c := g.awaitServer(ctx, name)
		tools := c.find(name)
		if len(tools) == 0 {
			d.Unknown = append(d.Unknown, name)
			d.Warnings = c.warnings()
			if w := c.findWithheld(name); w != nil {
				notes = append(notes, w.says())
			}
		}
		for _, t := range tools {
			if seen[t.ID()] {
				continue
			}
			seen[t.ID()] = true
			definition := withID(t)
			if cost := tokens.Bytes4(len(definition)); cost <= room {
				room -= cost
				d.Schemas = append(d.Schemas, definition)
			} else {
				d.Omitted = append(d.Omitted, t.ID())
			}
		}
	}
	d.Warnings = append(notes, d.Warnings...)
	text := string(encode(d))
	if len(d.Omitted) > 0 {
		text += fmt.Sprintf("\n%d more did not fit: ask for them by themselves.", len(d.Omitted))
	}
	return answer(text, d)
}

// withID is a tool's definition as its server sent it, with two members more.
// They come last, so that they count where the server uses the same names.
func withID(t listing.Tool) json.RawMessage {
	raw := bytes.TrimRight(result.Repair(t.Raw), " \t\r\n")
	extra := encode(struct {
		Tool      string `json:"tool"`
		Authority string `json:"authority"`
	}{t.ID(), tier(t).String()})
	return append(append(bytes.Clone(raw[:len(raw)-1]), ','), extra[1:]...)
}

// oneOrMore accepts a single string where a list of them is meant, as models
// write it, and null where none is.
type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var one string
	if json.Unmarshal(b, &one) == nil {
		*o = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(o))
}

package main

import "github.com/ctx-sidecar/ctx/core/surface"

// form is how Codex 0.169.0 writes MCP tools into a request of the Responses
// API: grouped by server, their schemas cut down to the keywords that it knows.
var form = surface.Form{
	Tool:  `{"type":"function","name":{name},"description":{description},"strict":false,"parameters":{schema}}`,
	Group: `{"type":"namespace","name":{name},"description":{description},"tools":[{tools}]}`,
	Mute:  "Tools in the {name} namespace.",
	Plain: true,
	Keywords: []string{
		"type", "description", "enum", "items", "minItems", "properties", "required", "additionalProperties",
		"anyOf", "oneOf", "allOf", "$ref", "$defs", "definitions",
	},
	Trim: true,
}

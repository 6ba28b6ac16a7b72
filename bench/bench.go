package main

import (
	"fmt"
	"os"
)

// run measures everything that this version has.
func (b *bench) run() error {
	b.findPredecessor()
	servers := object{"notes": object{"command": b.stub}, "more": object{"command": b.stub}}
	if b.clients != "" {
		servers = b.reference(b.dir)
	}
	many, err := b.manyTools(300)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"sizes", b.kernel},
		{"requests", func() error {
			return b.request("MCP bytes in Claude Code's request, 39 tools, tool search off", "ratio <= 0.10", 0.10, servers, false)
		}},
		{"large requests", func() error {
			return b.request("... with 300 tools behind, instructions included", "ratio <= 0.03", 0.03,
				object{"many": object{"command": b.stub, "args": []string{"--tools", many}}}, true)
		}},
		{"hooks", func() error { return b.hooks(servers) }},
		{"starts", b.starts},
		{"calls", b.calls},
		{"search", b.search},
		{"activation", b.activation},
		{"memory", b.rest},
		{"ends", b.stubborn},
		{"the whole surface", b.audit},
	} {
		fmt.Fprintf(os.Stderr, "measuring %s ...\n", part.name)
		if err := part.do(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

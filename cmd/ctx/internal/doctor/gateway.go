package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/client"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
)

// gatewayTime bounds all that is asked of the gateway on trial; its servers may
// have to start.
const gatewayTime = time.Minute

// gateway starts the gateway as the host does, lists, finds and describes.
func (d *doctor) gateway(ctx context.Context, h *hosts.Host) {
	const name = "gateway"
	program, err := d.f.Program("ctx-gateway")
	if err != nil {
		d.add(h.Name(), name, Bad, err.Error(), "./install.sh")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, gatewayTime)
	defer cancel()
	began := time.Now()
	g, err := client.Start(ctx, client.Options{
		Program: program, Args: []string{"--host", h.Name()}, Workspace: d.workspace, Env: d.scratch.ChildEnv(),
	})
	if err != nil {
		d.add(h.Name(), name, Bad, err.Error(), "see "+d.f.Layout().Log("ctx-gateway"))
		return
	}
	defer g.Close()
	tools, err := g.Tools(ctx)
	if err != nil {
		d.add(h.Name(), name, Bad, err.Error(), "see "+d.f.Layout().Log("ctx-gateway"))
		return
	}
	size := 0
	for _, t := range tools {
		size += len(t)
	}
	d.add(h.Name(), name, Good, fmt.Sprintf("listed %d tools (%d bytes) and an index of %d bytes in %d ms",
		len(tools), size, len(g.Instructions), time.Since(began).Milliseconds()), "")
	d.find(ctx, h, g)
}

// find looks for the first tool that a search gives, and has it described.
func (d *doctor) find(ctx context.Context, h *hosts.Host, g *client.Gateway) {
	const name = "search and describe"
	type hit struct{ Tool string }
	var found struct {
		Tools    []hit
		Warnings []string
	}
	if err := ask(ctx, g, "tool_search", map[string]any{"query": "list read get create file note"}, &found); err != nil {
		d.add(h.Name(), name, Bad, err.Error(), "")
		return
	}
	for _, w := range found.Warnings {
		d.add(h.Name(), "degraded", Warn, w, "")
	}
	found.Tools = slices.DeleteFunc(found.Tools, func(t hit) bool { return strings.HasPrefix(t.Tool, "capability:") })
	if len(found.Tools) == 0 {
		d.add(h.Name(), name, Warn, "the search found nothing", "")
		return
	}
	id := found.Tools[0].Tool
	var described struct {
		Schemas []json.RawMessage
		Unknown []string
	}
	err := ask(ctx, g, "describe_tool", map[string]any{"tools": []string{id}}, &described)
	switch {
	case err != nil:
		d.add(h.Name(), name, Bad, err.Error(), "")
	case len(described.Schemas) != 1:
		d.add(h.Name(), name, Bad, "no schema of "+id, "")
	default:
		d.add(h.Name(), name, Good, fmt.Sprintf("%s, a schema of %d bytes", id, len(described.Schemas[0])), "")
	}
}

func ask(ctx context.Context, g *client.Gateway, tool string, arguments, into any) error {
	a, err := g.Call(ctx, tool, arguments)
	if err != nil {
		return err
	}
	if a.IsError {
		return fmt.Errorf("%s: %s", tool, strings.TrimSpace(a.Text()))
	}
	return json.Unmarshal(a.StructuredContent, into)
}

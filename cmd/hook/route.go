package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// route has a prompt routed that no gateway answers for, and returns what there
// is to say about it. It fails open: whatever goes wrong is in the log.
func (p program) route(ctx context.Context, h *hook.Handler, ev event.Event) string {
	if !p.routable(h, ev) {
		return ""
	}
	sources, err := h.Sources(ctx)
	if err != nil {
		p.log.Warn("the prompt is not routed: the host's configuration cannot be read", "error", err)
		return ""
	}
	if !hook.Served(sources) {
		return "" // nothing would ever be callable
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return ""
	}
	deadline = deadline.Add(-afterRoute)
	q := hook.Routing{Session: ev.Session, Title: ev.Title, Prompt: ev.Prompt, Sources: sources, Until: deadline.Add(-afterUntil)}
	q.Model = q.Until.Add(-afterModel)
	if time.Now().After(q.Model) {
		p.log.Warn("the prompt is not routed: there is no time left")
		return ""
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	line, err := p.ask(ctx, h, q)
	if err != nil {
		p.log.Warn("the prompt is not routed", "error", err)
	}
	return line
}

// routable reports whether a prompt could ask for anything.
func (p program) routable(h *hook.Handler, ev event.Event) bool {
	return ev.Kind == event.Prompt && ev.Session != "" && !strings.HasPrefix(ev.Session, state.ScratchPrefix) &&
		h.Config.AutoCapabilities && len(strings.TrimSpace(ev.Prompt)) >= h.Config.Activate.MinChars &&
		(tap.Open(p.layout).Any() || p.skilled(h.Workspace))
}

// skilled reports whether there is a folder that may hold skills.
func (p program) skilled(workspace string) bool {
	places := append(p.layout.Skills(workspace), p.layout.OwnPlugins(), paths.WorkspacePlugins(workspace))
	return slices.ContainsFunc(places, func(dir string) bool {
		info, err := os.Stat(dir)
		return err == nil && info.IsDir()
	})
}

// ask runs the program that routes. It ends with ctx, and with this process.
func (p program) ask(ctx context.Context, h *hook.Handler, q hook.Routing) (string, error) {
	gateway, err := sibling("ctx-gateway")
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, gateway, "route", "--host", h.Host, "--workspace", h.Workspace)
	cmd.Dir, cmd.Env = h.Workspace, p.env
	var said strings.Builder
	cmd.Stdout = &said
	stdin, err := cmd.StdinPipe() // open until the program has ended: its end means that nobody listens
	if err != nil {
		return "", err
	}
	cmd.WaitDelay = afterUntil
	if err := cmd.Start(); err != nil {
		return "", err
	}
	wrote := make(chan error, 1) // a program that does not read must not hold up this one
	go func() { wrote <- json.NewEncoder(stdin).Encode(q) }()
	if err := errors.Join(cmd.Wait(), <-wrote); err != nil {
		return "", fmt.Errorf("ctx-gateway route: %w", err)
	}
	return strings.TrimSpace(said.String()), nil
}

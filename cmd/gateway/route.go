package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// mostMemory is what a process that lives for one prompt may take before it
// collects any garbage, in bytes.
const mostMemory = 256 << 20

// route routes one prompt for a hook that finds no gateway of its conversation:
// ctx-gateway route [--host H] [--workspace DIR], a [hook.Routing] on stdin.
func route(args []string, std streams, env []string) error {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(mostMemory)
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	layout := paths.FromEnv(env)
	o, err := parse(args, layout, dir)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	p := newProgram(o, layout, env, o.workspace)
	if p.taps = p.openTaps(); p.taps == nil {
		return nil
	}
	p.taps.warm()
	go p.cache.Any("", "") // it is read while the model is being loaded

	var q hook.Routing
	if err := json.NewDecoder(std.in).Decode(&q); err != nil {
		return fmt.Errorf("stdin: %w", err)
	}
	ctx, gone := context.WithDeadline(ctx, q.Until)
	defer gone()
	go func() {
		_, _ = io.Copy(io.Discard, std.in) // the hook says nothing more
		gone()
	}()
	p.policy.Read = func(context.Context, []string) (surface.Sources, gateway.Asker, error) {
		return q.Sources, gateway.GatewayAsks, nil
	}
	p.binding.Bind(q.Session)
	opts := p.loaderOptions(p.binding)
	opts.Title = q.Title
	line, err := loader.Cold(ctx, time.Until(q.Model), opts, p.policy.Rules(ctx), q.Prompt)
	if err != nil {
		p.log.Warn("the prompt is not routed", "error", err)
		return err
	}
	_, err = io.WriteString(std.out, line)
	return err
}

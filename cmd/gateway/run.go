package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/reconcile"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/usage"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/internal/buildinfo"
	"github.com/ctx-sidecar/ctx/internal/logfile"
)

// program is one run of ctx-gateway.
type program struct {
	options
	layout  paths.Layout
	env     []string
	dir     string // where the host started us
	log     hclog.Logger
	adapter *adapter
	binding *hook.Binding
	wakes   wakes // of the sessions that this process serves
	policy  *local
	config  config.Config
	problem []config.Problem
	surface string // the folder of what is kept about the workspace
	cache   *listing.Cache
	state   *state.Store
	usage   watched
	shadow  *reconcile.Shadow // nil where there is none
	trust   *trust.Store
	tools   *baseline.Store
	taps    *taps          // nil where the user has none
	loader  *loader.Loader // of the session on stdio; nil likewise
	meaning meaning
}

func run(args []string, std streams, env []string) error {
	// The process holds little and allocates in bursts: collecting earlier keeps
	// it small at no cost that shows.
	debug.SetGCPercent(50)
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
	ctx, orphaned := context.WithCancel(ctx)
	defer orphaned()
	go watchParent(ctx, orphaned)

	p := newProgram(o, layout, env, dir)
	p.openAdapter()
	defer p.adapter.close()
	defer p.tools.Flush() // what could not be written is in the log
	p.shadow = p.openShadow()
	p.usage.shadow = p.shadow
	defer p.shadow.Close()
	if p.taps = p.openTaps(); p.taps != nil {
		go p.taps.follow(ctx)
	}
	p.meaning = p.newMeaning()
	go p.meaning.trim(ctx)
	go p.policy.follow(ctx, p.wakes.wake)
	if o.http != "" {
		return p.serveHTTP(ctx)
	}
	p.loader = p.newLoader(p.binding)
	defer p.meetHooks()()
	err = gateway.ServeStdio(ctx, p.gatewayOptions(p.binding, p.loader), std.in, std.out)
	if ctx.Err() != nil {
		return nil // told to end
	}
	return err
}

func newProgram(o options, layout paths.Layout, env []string, dir string) *program {
	log := logfile.Open(layout, "gateway", env)
	p := &program{options: o, layout: layout, env: env, dir: dir, log: log}
	p.binding = hook.NewBinding(o.host, o.workspace, "")
	p.config, p.problem = config.Load(layout, o.workspace, env)
	for _, x := range p.problem {
		log.Warn("configuration", "file", x.File, "line", x.Line, "problem", x.Text)
	}
	var why string
	if p.surface, why = state.SafeDir(layout, o.workspace); why != "" {
		log.Warn("the workspace's own folder is passed over", "why", why, "for", p.surface)
	}
	p.cache, p.state = listing.OpenCache(p.surface, listing.KeyFile(layout)), state.Open(p.surface)
	p.usage = watched{Log: usage.Open(p.surface)}
	p.trust = trust.Open(layout.Trust())
	p.tools = baseline.Open(layout.Baselines(), o.workspace, log.Named("baseline"))
	p.policy = p.openLocal(&gateway.Files{
		Layout: layout, Workspace: o.workspace, HostName: o.host,
		Wraps: wiring.Open(layout.Wraps()), Trust: p.trust, Baseline: p.tools, Log: log,
		Read: p.read,
		Settings: func() (config.Surface, []string) {
			c, _ := config.Load(layout, o.workspace, env) // what is wrong with it was told at the start
			return c.Surface, config.Files(layout, o.workspace)
		},
	})
	return p
}

func (p *program) gatewayOptions(b *hook.Binding, l *loader.Loader) gateway.Options {
	return gateway.Options{
		HostName: p.host, Version: buildinfo.String(), Config: p.config,
		Policy: p.policy, Binding: b, Memory: gateway.NewMemory(p.state, b),
		Usage: p.usage, Approvals: p.trust, Wake: p.wakes.until, Log: p.log, Capabilities: l, Meaning: p.meaning,
		Backends: func(client backend.Client, changed func(string)) gateway.Backends {
			return withLocal{backend.New(backend.Options{
				Env: p.env, Dir: p.dir, Client: client, Cache: p.cache, Log: p.log.Named("backend"), Changed: changed,
				Listed: p.tools.Observe,
			}), p.policy, p.env, localTime}
		},
	}
}

// watchParent ends the process with the host that started it, also where the
// host's end leaves stdin open in some other process.
func watchParent(ctx context.Context, orphaned func()) {
	parent := os.Getppid()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if os.Getppid() != parent {
				orphaned()
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// meetHooks lets the session's hooks find this process. Without that they take
// the long way, so that it is no reason to end.
func (p *program) meetHooks() (leave func()) {
	server, err := rendezvous.Listen(p.layout, rendezvous.HostPID(), &events{program: p})
	if err != nil {
		p.log.Warn("hooks will not find this gateway", "error", err)
		return func() {}
	}
	return func() { _ = server.Close() }
}

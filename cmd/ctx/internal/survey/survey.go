// Package survey makes the inventory of every host of a workspace: what the
// commands that show, judge and change a surface start from.
package survey

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/leakage"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/usage"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Options are what the flags of a command ask for.
type Options struct {
	Hosts     []string // by name; none: every host that is on this machine
	Tokenizer string   // "": as the settings say
	Probe     bool     // ask the trusted servers for their tools first
	Yes       bool     // approve what would be started, as it is printed
	Unasked   bool     // leave out what nobody has approved, without a question
}

// Flags adds the flags that fill the options.
func (o *Options) Flags(cmd *cobra.Command, f *cmdutil.Factory) {
	hosts.Flag(cmd, f, &o.Hosts, "host to look at (repeatable; default: every one found)")
	cmd.Flags().StringVar(&o.Tokenizer, "tokenizer", "", "count tokens with bytes4, cl100k or o200k (default: surface.tokenizer)")
	cmd.Flags().BoolVar(&o.Probe, "probe-mcp", false, "start the servers that you trust and ask for their tools first")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "with --probe-mcp: approve every server that is printed, without a question")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("tokenizer", cobra.FixedCompletions(Tokenizers, cobra.ShellCompDirectiveNoFileComp))
}

// Host is what one host loads.
type Host struct {
	*hosts.Host
	Sources   surface.Sources
	Priced    surface.Inventory
	Inventory inventory.Inventory
	Fronted   []string
	Profile   *profile.Profile // that its gateway works under here, nil where none is in force
	Probed    *Probed          // nil where nobody asked for it
}

// Set is the inventory of a workspace. Close ends the adapters.
type Set struct {
	Workspace string
	Tokenizer string
	Config    config.Config
	Pruned    prune.Receipt
	Hosts     []Host

	open  *hosts.Set
	count surface.Counter // nil: a quarter of the bytes
}

// Close ends the adapters of the hosts.
func (s *Set) Close() { s.open.Close() }

// Take makes the inventory of the hosts.
func Take(ctx context.Context, f *cmdutil.Factory, o Options) (*Set, error) {
	l, ws := f.Layout(), f.Workspace()
	s := &Set{Workspace: ws, Tokenizer: o.Tokenizer}
	var settings []config.Problem
	s.Config, settings = config.Load(l, ws, f.Env)
	if s.Tokenizer == "" {
		s.Tokenizer = s.Config.Surface.Tokenizer
	}
	var err error
	if s.count, err = counter(s.Tokenizer); err != nil {
		return nil, err
	}
	if s.open, err = hosts.Open(ctx, f, o.Hosts); err != nil {
		return nil, err
	}
	if len(s.open.Hosts) == 0 {
		return nil, cmdutil.NotThere("name it: --host claude", "no host was found on this machine")
	}
	fail := func(err error) (*Set, error) {
		s.Close()
		return nil, err
	}
	pruned, place, err := prune.Load(l, ws)
	if err != nil {
		fmt.Fprintf(f.IO.Err, "warning: %v\n", err)
	}
	s.Pruned = pruned
	for _, h := range s.open.Hosts {
		f.IO.Step("reading what %s loads ...", h.Title())
		fronted := wiring.Open(l.Wraps()).Fronted(ws, h.Name())
		src, err := h.Client.Sources(ctx, plugins.SourcesRequest{Machine: h.Machine(), Workspace: ws, Fronted: fronted, Detail: true})
		if err != nil {
			return fail(err)
		}
		s.Hosts = append(s.Hosts, Host{Host: h, Sources: pruned.Apply(src, fronted, place), Fronted: fronted})
	}
	f.IO.Step("")
	if o.Probe {
		if err := s.probe(ctx, f, o); err != nil {
			return fail(err)
		}
	}
	dir := state.FindDir(l, ws)
	calls, problems := usage.Open(dir).Read()
	others, work := s.others(ws), leakage.Look(ctx, ws, s.Config.Role)
	for i := range s.Hosts {
		h := &s.Hosts[i]
		if err := s.price(f, h); err != nil {
			return fail(err)
		}
		uses := uses(ctx, h, ws, calls)
		h.Inventory = inventory.Build(inventory.Input{
			Title: h.Title(), Sources: h.Sources, Priced: h.Priced, Uses: uses, Others: unread(others, h.Sources), Text: inventory.ReadText,
			Workspace: &work,
		})
		for _, p := range settings {
			h.Inventory.Warnings = append(h.Inventory.Warnings, p.String())
		}
		for _, p := range problems {
			h.Inventory.Warnings = append(h.Inventory.Warnings, p.File+": "+p.Text)
		}
	}
	return s, nil
}

// price prices a host as hooks do for the advisory.
func (s *Set) price(f *cmdutil.Factory, h *Host) error {
	loads, problem := s.Loads(f, h)
	for _, srv := range h.Sources.Servers {
		if !srv.Own {
			continue
		}
		var behind []surface.Server
		for _, srv := range h.Sources.Servers {
			if slices.Contains(h.Fronted, srv.Name) {
				behind = append(behind, srv)
			}
		}
		h.Profile = profile.Active(s.Config.Surface, wiring.Open(f.Layout().Wraps()).Profile(s.Workspace, h.Name()))
		own, err := s.Kernel(f, loads, behind, gate.New(h.Sources).Under(h.Profile))
		if err != nil {
			return err
		}
		loads.Gateway = &own
		break
	}
	h.Priced = inventory.Price(loads)
	if err := problem(); err != nil {
		h.Sources.Warnings = append(h.Sources.Warnings, err.Error())
	}
	return nil
}

// Loads is what is known of what a host loads, but for what ctx-gateway itself
// lists. problem tells, once it was used, what is wrong with what was known.
func (s *Set) Loads(f *cmdutil.Factory, h *Host) (loads inventory.Loads, problem func() error) {
	l := f.Layout()
	cache := listing.OpenCache(state.FindDir(l, s.Workspace), listing.KeyFile(l))
	return inventory.Loads{
		Sources: h.Sources, Fronted: h.Fronted, Baseline: baseline.Open(l.Baselines(), s.Workspace, nil),
		Count: s.count, Body: body, Listing: newKnown(cache).listing,
	}, cache.Problem
}

// Kernel is what ctx-gateway itself would list with servers behind it.
func (s *Set) Kernel(f *cmdutil.Factory, loads inventory.Loads, behind []surface.Server, g *gate.Gate) (listing.Listing, error) {
	rules := &gateway.Rules{Gate: g, Baseline: loads.Baseline, Servers: behind}
	var known []listing.Listing
	for _, srv := range behind {
		if list, ok := loads.Listing(srv); ok {
			known = append(known, list)
		}
	}
	return gateway.Preview(s.Config, rules, known, gateway.Offer{Bundles: tap.Open(f.Layout()).Any()})
}

// known remembers what the cache has of a server.
type known struct {
	cache *listing.Cache
	by    map[string]listing.Listing
}

func newKnown(c *listing.Cache) *known { return &known{c, make(map[string]listing.Listing)} }

func (k *known) listing(srv surface.Server) (listing.Listing, bool) {
	id := srv.Name + "\x00" + srv.Fingerprint()
	if l, ok := k.by[id]; ok {
		return l, true
	}
	l, ok := k.cache.Any(srv.Name, srv.Fingerprint())
	if ok {
		k.by[id] = l
	}
	return l, ok
}

// uses gathers what was seen of use: the host's own records, and what hooks and
// gateways noted.
func uses(ctx context.Context, h *Host, workspace string, calls []usage.Call) *inventory.Uses {
	u := &inventory.Uses{}
	told, err := h.Usage(ctx, plugins.UsageRequest{Machine: h.Machine(), Workspace: workspace})
	switch {
	case errors.Is(err, plugins.ErrNoUsage):
		u.Unseen = append(u.Unseen, "use outside of ctx's own hooks and gateway: this adapter reads no conversations")
	case err != nil:
		u.Unseen = append(u.Unseen, "use in the host's own conversations: "+err.Error())
	default:
		u.Unseen = append(u.Unseen, told.Unseen...)
		seen := make([]inventory.Seen, len(told.Uses))
		for i, x := range told.Uses {
			seen[i] = inventory.Seen(x)
		}
		u.Transcripts(told.Sessions, told.Sees, seen)
	}
	u.Log(h.Name(), calls)
	return u
}

// body is what an item's OnDemand measures.
func body(it surface.Item) (string, bool) {
	if it.Body != "" {
		return it.Body, true
	}
	b, err := file.Read(it.Place.File)
	if err != nil || len(b) < it.OnDemand {
		return "", false
	}
	return string(b[len(b)-it.OnDemand:]), true
}

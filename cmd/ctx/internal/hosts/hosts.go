// Package hosts starts the adapters that a command works with.
package hosts

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Host is a host with its running adapter.
type Host struct {
	plugins.Description
	plugins.Detection
	*plugins.Client

	machine plugins.Machine
}

// Title is what people call the host.
func (h *Host) Title() string { return h.Description.Title }

// Name is the adapter's name.
func (h *Host) Name() string { return h.Description.Name }

// Version is the adapter's own.
func (h *Host) Version() string { return h.Description.Version }

// Machine is where and for whom the adapter works.
func (h *Host) Machine() plugins.Machine { return h.machine }

// Sources reads what the host would load in a workspace. fronted are the
// servers that our wrap switched off.
func (h *Host) Sources(ctx context.Context, workspace string, fronted []string) (surface.Sources, error) {
	return h.Client.Sources(ctx, plugins.SourcesRequest{Machine: h.machine, Workspace: workspace, Fronted: fronted})
}

// Skipped is an adapter that was not started, and why.
type Skipped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

// Set is the hosts of one command. Close ends their adapters.
type Set struct {
	Hosts   []*Host
	Skipped []Skipped
}

// Close ends every adapter of the set.
func (s *Set) Close() {
	for _, h := range s.Hosts {
		h.Close()
	}
}

// Open starts the adapters of the named hosts; of none named, those of every
// host that is on this machine. Adapters that may not run or will not start are
// left out and told of, unless they were asked for by name.
func Open(ctx context.Context, f *cmdutil.Factory, names []string) (*Set, error) {
	return open(ctx, f, names, false)
}

// OpenAll is Open for every adapter that is installed, whether its host is on
// this machine or not.
func OpenAll(ctx context.Context, f *cmdutil.Factory) (*Set, error) {
	return open(ctx, f, nil, true)
}

func open(ctx context.Context, f *cmdutil.Factory, names []string, absent bool) (*Set, error) {
	found := discover(f)
	if err := known(found, names); err != nil {
		return nil, err
	}
	set := new(Set)
	for _, p := range found {
		if len(names) > 0 && !slices.Contains(names, p.Name) {
			continue
		}
		h, err := start(ctx, f, p)
		switch {
		case err != nil && len(names) > 0:
			set.Close()
			return nil, notThere(err)
		case err != nil:
			set.Skipped = append(set.Skipped, Skipped{p.Name, err.Error(), hintOf(err)})
		case len(names) == 0 && !absent && !h.Installed:
			h.Close()
		default:
			set.Hosts = append(set.Hosts, h)
		}
	}
	return set, nil
}

// discover lists the adapters that count: the first of each name.
func discover(f *cmdutil.Factory) []plugins.Found {
	l := f.Layout()
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(plugins.Discover(l, f.Env, trust.Open(l.Trust())), func(p plugins.Found) bool {
		again := seen[p.Name]
		seen[p.Name] = true
		return again
	})
}

// known refuses a name that no adapter has.
func known(found []plugins.Found, names []string) error {
	var all []string
	for _, p := range found {
		all = append(all, p.Name)
	}
	for _, n := range names {
		if slices.Contains(all, n) {
			continue
		}
		hint := "no adapter is installed: run install.sh"
		if len(all) > 0 {
			hint = "hosts: " + strings.Join(all, ", ")
		}
		return cmdutil.BadUsage(hint, "unknown host %q", n)
	}
	return nil
}

func start(ctx context.Context, f *cmdutil.Factory, p plugins.Found) (*Host, error) {
	c, err := plugins.Open(ctx, p, plugins.Options{Env: f.Env})
	if err != nil {
		return nil, err
	}
	h := &Host{Client: c, machine: plugins.Machine{Home: f.Layout().Home, Env: f.Env}}
	if h.Description, err = c.Describe(ctx); err == nil {
		h.Detection, err = c.Detect(ctx, h.machine)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return h, nil
}

func notThere(err error) error {
	return cmdutil.NotThere(hintOf(err), "%w", err)
}

func hintOf(err error) string {
	if h, ok := err.(plugins.Hinter); ok {
		return h.Hint()
	}
	return "see: ctx plugins list"
}

// Flag adds --host to cmd, any number of times, and completes it.
func Flag(cmd *cobra.Command, f *cmdutil.Factory, names *[]string, usage string) {
	cmd.Flags().StringSliceVar(names, "host", nil, usage)
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("host", Complete(f))
}

// Complete completes the names of hosts.
func Complete(f *cmdutil.Factory) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		for _, p := range discover(f) {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// Names are the hosts for which an adapter is installed.
func Names(f *cmdutil.Factory) []string {
	var names []string
	for _, p := range discover(f) {
		names = append(names, p.Name)
	}
	return names
}

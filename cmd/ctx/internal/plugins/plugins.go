// Package plugins is the command ctx plugins: the adapters of hosts.
package plugins

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/plugins"
)

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:   "plugins",
		Short: "List, trust and check the adapters of hosts",
		Long: `List, trust and check the adapters of hosts: executables named ctx-host-NAME in
the installed plugins folder and in the folders that CTX_PLUGINS names. An adapter
runs once it is trusted, and only as long as its bytes stay the same.`,
		Example: "  ctx plugins list\n  ctx plugins trust acme",
	}, newList(f), newTrust(f), newCheck(f))
}

// List is what ctx plugins list --json prints.
type List struct {
	Plugins  []Plugin `json:"plugins"`
	Problems []string `json:"problems"`
}

// Plugin is one adapter that was found.
type Plugin struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	State   string `json:"state"` // "trusted", "new" or "changed"
	Problem string `json:"problem,omitempty"`
}

func discover(f *cmdutil.Factory) ([]plugins.Found, *trust.Store) {
	l := f.Layout()
	t := trust.Open(l.Trust())
	return plugins.Discover(l, f.Env, t), t
}

func newList(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the adapters and whether they may run",
		Example: "  ctx plugins list --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			found, t := discover(f)
			l := List{Plugins: []Plugin{}}
			for _, p := range found {
				l.Plugins = append(l.Plugins, Plugin{p.Name, p.Path, p.SHA256, string(p.State), p.Problem})
			}
			l.Problems = append([]string{}, t.Problems()...)
			return f.Print("plugins", l, l.print)
		},
	}
}

func (l List) print(s *iostreams.Streams) {
	for _, p := range l.Problems {
		fmt.Fprintf(s.Err, "warning: %s\n", iostreams.Clean(p))
	}
	if len(l.Plugins) == 0 {
		fmt.Fprintln(s.Out, "No adapter is installed.")
		return
	}
	t := iostreams.NewTable("NAME", "STATE", "SHA-256", "PATH", "")
	for _, p := range l.Plugins {
		state := p.State
		if p.Problem != "" {
			state = "unusable"
		}
		t.Row(p.Name, state, p.SHA256[:min(12, len(p.SHA256))], p.Path, p.Problem)
	}
	t.Write(s)
}

func newTrust(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:               "trust NAME",
		Short:             "Let an adapter run, down to its bytes",
		Example:           "  ctx plugins trust acme",
		Args:              cmdutil.Args(1, 1),
		ValidArgsFunction: hosts.Complete(f),
		RunE: func(_ *cobra.Command, args []string) error {
			found, t := discover(f)
			for _, p := range found {
				switch {
				case p.Name != args[0]:
					continue
				case p.Problem != "":
					return cmdutil.Fail("see: ctx plugins list", "the adapter %s cannot be used: %s", p.Path, p.Problem)
				}
				if err := t.PinPlugin(p.Name, p.Path, p.SHA256); err != nil {
					return fmt.Errorf("trust %s: %w", p.Name, err)
				}
				r := Plugin{p.Name, p.Path, p.SHA256, string(plugins.Trusted), ""}
				return f.Print("plugins-trust", r, func(s *iostreams.Streams) {
					fmt.Fprintf(s.Out, "trusted %s\n  %s\n  SHA-256 %s\n", r.Name, r.Path, r.SHA256)
				})
			}
			return cmdutil.Fail("see: ctx plugins list", "no adapter for a host named %q is installed", args[0])
		},
	}
}

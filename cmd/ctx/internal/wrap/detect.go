package wrap

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// Detected is what ctx wrap detect --json prints.
type Detected struct {
	Workspace string          `json:"workspace"`
	Hosts     []DetectedHost  `json:"hosts"`
	Skipped   []hosts.Skipped `json:"skipped"`
}

// DetectedHost is a host and what there is of it.
type DetectedHost struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Installed bool   `json:"installed"`
	Program   string `json:"program"`
	Config    string `json:"config"`
	Wrapped   bool   `json:"wrapped"`
	Gateway   bool   `json:"gateway"`
}

func newDetect(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "detect",
		Short:   "List the hosts on this machine and whether they are wired here",
		Example: "  ctx wrap detect --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := hosts.OpenAll(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer set.Close()
			d := Detected{Workspace: Workspace(f), Hosts: []DetectedHost{}, Skipped: append([]hosts.Skipped{}, set.Skipped...)}
			rec, _, err := wiring.Open(f.Layout().Wraps()).Record(d.Workspace)
			if err != nil {
				return err
			}
			for _, h := range set.Hosts {
				at := DetectedHost{Name: h.Name(), Title: h.Title(), Installed: h.Installed, Program: h.Program, Config: h.Config}
				for _, r := range rec.Hosts {
					if r.Host == at.Name {
						at.Wrapped, at.Gateway = true, r.Gateway
					}
				}
				d.Hosts = append(d.Hosts, at)
			}
			return f.Print("detect", d, func(s *iostreams.Streams) { d.print(s) })
		},
	}
}

func (d Detected) print(s *iostreams.Streams) {
	t := iostreams.NewTable("HOST", "", "FOUND", "HERE")
	for _, h := range d.Hosts {
		found := "no"
		switch {
		case h.Program != "":
			found = h.Program
		case h.Installed:
			found = h.Config
		}
		here := "-"
		switch {
		case h.Gateway:
			here = "hooks and gateway"
		case h.Wrapped:
			here = "hooks"
		}
		t.Row(h.Name, h.Title, found, here)
	}
	t.Write(s)
	for _, skip := range d.Skipped {
		fmt.Fprintf(s.Out, "  %s: %s (%s)\n", skip.Name, skip.Reason, skip.Hint)
	}
}

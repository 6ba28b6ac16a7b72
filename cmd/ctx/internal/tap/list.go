package tap

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/calibration"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// List is what ctx tap list --json prints.
type List struct {
	Taps     []Listed      `json:"taps"`     // in order of priority
	Problems []tap.Problem `json:"problems"` // of all of them together
}

// Listed is a tap and what it has.
type Listed struct {
	tap.Tap
	Capabilities int `json:"capabilities"`
	Routable     int `json:"routable"` // those that a prompt can activate
	Shadowed     int `json:"shadowed"` // those whose bare name is an earlier tap's
	Waiting      int `json:"waiting"`  // commands that nobody has approved

	Calibrations []Tuned `json:"calibrations,omitempty"` // by ctx tap calibrate
}

// Tuned is a calibration of a tap, and whether it is still of use.
type Tuned struct {
	calibration.Calibrated
	Stale string `json:"stale,omitempty"` // why it is not used
}

func newList(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the taps in order of priority",
		Example: "  ctx tap list --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s := open(f)
			l, err := s.list()
			if err != nil {
				return err
			}
			s.warn()
			return f.Print("taps", l, l.print)
		},
	}
}

// catalog is what a session finds in all taps together.
func (s *shop) catalog() *tap.Catalog {
	return tap.NewLibrary(s.store, s.providers, plugindir.Source{Layout: s.f.Layout()}).Load()
}

func (s *shop) list() (List, error) {
	taps, err := s.store.List()
	if err != nil {
		return List{}, err
	}
	catalog := s.catalog()
	tuned := s.tuned(catalog)
	l := List{Taps: []Listed{}, Problems: append([]tap.Problem{}, catalog.Problems...)}
	for _, t := range taps {
		one := Listed{Tap: t, Calibrations: tuned(t.Name)}
		_, commands := s.survey(t)
		for _, c := range commands {
			if c.waits() {
				one.Waiting++
			}
		}
		for _, c := range catalog.Capabilities {
			if c.Tap != t.Name {
				continue
			}
			one.Capabilities++
			switch {
			case c.Shadowed():
				one.Shadowed++
			case len(c.Triggers) > 0:
				one.Routable++
			}
		}
		l.Taps = append(l.Taps, one)
	}
	return l, nil
}

func (l List) print(s *iostreams.Streams) {
	printProblems(s, l.Problems)
	if len(l.Taps) == 0 {
		fmt.Fprintln(s.Out, "There is no tap; none is built in. Add one: ctx tap add ORG/NAME PATH")
		return
	}
	t := iostreams.NewTable("TAP", ">CAPABILITIES", ">ROUTABLE", ">SHADOWED", ">NOT APPROVED", "CALIBRATED", "FROM")
	for _, one := range l.Taps {
		t.Row(one.Name, one.Capabilities, one.Routable, one.Shadowed, one.Waiting, one.calibrated(), orPath(one.URL, one.Path))
	}
	t.Write(s)
}

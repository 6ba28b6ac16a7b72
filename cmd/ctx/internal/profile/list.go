package profile

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// List is what ctx profile list --json prints.
type List struct {
	Command  string  `json:"command"`
	Families int     `json:"families_version"`
	Profiles []Entry `json:"profiles"`
}

func newList(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the profiles: those that are built in and those of ctx.toml",
		Example: "  ctx profile list --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			all, err := entries(f)
			if err != nil {
				return err
			}
			l := List{Command: "list", Families: surface.FamiliesVersion, Profiles: all}
			return f.Print(noun, l, l.print)
		},
	}
}

func (l List) print(s *iostreams.Streams) {
	t := iostreams.NewTable("PROFILE", "CEILING", ">FAMILIES", "FROM", "WHAT FOR, OR WHERE IN FORCE")
	for _, e := range l.Profiles {
		t.Row(iostreams.Clean(e.Name), e.Ceiling, len(e.Families), iostreams.Clean(strings.Join(e.From, ", ")), iostreams.Clean(e.remark()))
	}
	t.Write(s)
	for _, e := range l.Profiles {
		if e.Problem != "" {
			fmt.Fprintf(s.Err, "warning: %s\n", iostreams.Clean(e.Problem))
		}
	}
}

// remark is what matters most of a profile beside what it keeps.
func (e Entry) remark() string {
	switch {
	case e.Problem != "":
		return "cannot be followed"
	case len(e.Active) > 0:
		return "in force: " + strings.Join(e.Active, ", ")
	case e.Default:
		return "the default"
	}
	return e.Description
}

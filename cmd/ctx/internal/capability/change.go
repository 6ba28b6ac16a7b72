package capability

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/capability"
)

// Changed is what ctx capability enable and disable --json print.
type Changed struct {
	Session string `json:"session"`
	capability.Change
}

func newEnable(f *cmdutil.Factory) *cobra.Command {
	return newChange(f, "enable", "Make the tools of a capability callable in a session",
		func(cmd *cobra.Command, s *session, name string) (capability.Change, error) {
			return s.Enable(cmd.Context(), name, "user")
		})
}

func newDisable(f *cmdutil.Factory) *cobra.Command {
	return newChange(f, "disable", "Take the tools of a capability out of a session",
		func(cmd *cobra.Command, s *session, name string) (capability.Change, error) {
			return s.Disable(cmd.Context(), name)
		})
}

func newChange(f *cmdutil.Factory, verb, short string, change func(*cobra.Command, *session, string) (capability.Change, error)) *cobra.Command {
	s := &session{f: f}
	cmd := &cobra.Command{
		Use:               verb + " NAME",
		Short:             short,
		Long:              short + ". The session's gateway follows within\na moment, or when the session is resumed.",
		Example:           "  ctx capability " + verb + " notes",
		Args:              cmdutil.Args(1, 1),
		ValidArgsFunction: complete(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.open()
			if err := cmdutil.NeedSession(s.sessions, s.id, f.Workspace()); err != nil {
				return err
			}
			done, err := change(cmd, s, strings.TrimPrefix(args[0], "capability:"))
			if err != nil {
				return explain(err)
			}
			c := Changed{s.id, done}
			return f.Print("capability-"+verb, c, func(io *iostreams.Streams) {
				warn(io, c.Warnings)
				switch {
				case c.Already:
					fmt.Fprintf(io.Out, "nothing to do for %s in session %s\n", c.Name, iostreams.Clean(s.id))
				default:
					fmt.Fprintf(io.Out, "%s %s: the gateway of session %s is asked to\n", verb, c.Name, iostreams.Clean(s.id))
				}
			})
		},
	}
	s.flag(cmd)
	return cmd
}

func complete(f *cmdutil.Factory) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		if len(args) == 0 {
			s := &session{f: f}
			s.open()
			for _, e := range s.List() {
				names = append(names, e.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

package skill

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Used is what ctx skill use --json prints.
type Used struct {
	Session  string   `json:"session"`
	Skill    string   `json:"skill"`
	File     string   `json:"file"`
	Already  bool     `json:"already,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

func newUse(f *cmdutil.Factory) *cobra.Command {
	s := &session{f: f}
	cmd := &cobra.Command{
		Use:   "use NAME",
		Short: "Enable a skill in a session",
		Long: `Enable a skill in a session. The next prompt tells the model of it, which then reads
it; the session's gateway enables the capabilities that it is made for.`,
		Example:           "  ctx skill use release-notes\n  ctx skill use release-notes --session 6f1c",
		Args:              cmdutil.Args(1, 1),
		ValidArgsFunction: complete(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.open()
			one, err := s.find(cmd, args[0])
			if err != nil {
				return err
			}
			if err := cmdutil.NeedSession(s.sessions, s.id, f.Workspace()); err != nil {
				return err
			}
			u := Used{Session: s.id, Skill: one.Name, File: one.File}
			if u.Already, u.Warnings, err = loader.UseSkill(cmd.Context(), s.registry(), s.sessions, s.id, one); err != nil {
				return err
			}
			return f.Print("skill-use", u, u.print)
		},
	}
	s.flag(cmd)
	return cmd
}

// find is a skill that the session may have.
func (s *session) find(cmd *cobra.Command, name string) (skill.Skill, error) {
	c := s.library.Load()
	one, ok := c.Find(name)
	if !ok {
		hint := "ctx skill list shows those that there are"
		if near := c.Near(name); near != "" {
			hint = "did you mean " + near + "?"
		}
		return skill.Skill{}, cmdutil.Fail(hint, "no skill is named %q", name)
	}
	for _, e := range s.entries(cmd.Context(), c) {
		if e.Name != one.Name {
			continue
		}
		if err := e.Refusal(loader.Domain(s.config)); err != nil {
			hint := ""
			if hinted, ok := err.(interface{ Hint() string }); ok {
				hint = hinted.Hint()
			}
			return skill.Skill{}, cmdutil.Fail(hint, "%w", err)
		}
	}
	return one, nil
}

// registry asks the session's gateway.
func (s *session) registry() *capability.Registry {
	l := s.f.Layout()
	catalog := tap.NewLibrary(tap.Open(l), s.config.Providers, plugindir.Source{Layout: l, Workspace: s.f.Workspace()}).Load()
	return capability.New(capability.Options{
		Catalog: func() *tap.Catalog { return catalog }, Trust: trust.Open(l.Trust()), Sessions: s.sessions, Session: s.id, Env: s.f.Env,
		Domain: loader.Domain(s.config), Role: s.config.Roles[s.config.Role].Capabilities, MaxActive: s.config.Activate.MaxActive,
	})
}

func (u Used) print(s *iostreams.Streams) {
	for _, w := range u.Warnings {
		fmt.Fprintf(s.Err, "warning: %s\n", iostreams.Clean(w))
	}
	if u.Already {
		fmt.Fprintf(s.Out, "nothing to do for %s in session %s\n", u.Skill, iostreams.Clean(u.Session))
		return
	}
	fmt.Fprintf(s.Out, "use %s: the next prompt of session %s tells the model of it\n%s\n", u.Skill, iostreams.Clean(u.Session), iostreams.Clean(u.File))
}

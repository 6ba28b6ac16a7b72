// Package skill is the command ctx skill: the skills of the user's taps, of the
// workspace and of the user, by hand.
package skill

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:   "skill",
		Short: "List the skills that prompts bring in, use one, see how they lead to one another",
		Long: `List the skills that prompts bring in, use one, and see how they lead to one another.
A skill is a folder with a SKILL.md, below skills/ of a tap, below .agents/skills of
the workspace, or below ~/.config/ctx/skills.`,
		Example: "  ctx skill list\n  ctx skill use release-notes\n  ctx skill graph",
	}, newList(f), newUse(f), newGraph(f))
}

// session is the skills as one session has them.
type session struct {
	f        *cmdutil.Factory
	id       string // of --session
	known    state.Session
	config   config.Config
	sessions *state.Store
	library  *skill.Library
}

func (s *session) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.id, "session", "", "the session's id (default: the last one in this workspace that has not ended)")
}

// open reads the skills and what is enabled in the session.
func (s *session) open() {
	f, l, ws := s.f, s.f.Layout(), s.f.Workspace()
	var problems []config.Problem
	s.config, problems = config.Load(l, ws, f.Env)
	for _, p := range problems {
		s.warn(p.String())
	}
	s.sessions = state.Open(state.FindDir(l, ws))
	if s.id == "" {
		s.known, _ = s.sessions.Latest() // none: nothing is enabled
		s.id = s.known.ID
	} else {
		var err error
		if s.known, err = s.sessions.Load(s.id); err != nil {
			s.warn(err.Error())
		}
	}
	s.library = skill.NewLibrary(func() []skill.Root {
		taps, err := tap.Open(l).List()
		if err != nil {
			s.warn(err.Error())
		}
		return skill.Roots(taps, l, ws, plugindir.SkillRoots(l, ws, taps))
	})
}

func (s *session) warn(text string) {
	fmt.Fprintf(s.f.IO.Err, "warning: %s\n", iostreams.Clean(text))
}

// loaded is what the session's host loads itself, nothing where no session is
// known.
func (s *session) loaded(ctx context.Context) (surface.Sources, error) {
	if s.known.Host == "" {
		return surface.Sources{}, nil
	}
	set, err := hosts.Open(ctx, s.f, []string{s.known.Host})
	if err != nil {
		return surface.Sources{}, err
	}
	defer set.Close()
	ws := s.f.Workspace()
	return set.Hosts[0].Sources(ctx, ws, wiring.Open(s.f.Layout().Wraps()).Fronted(ws, s.known.Host))
}

// entries are all skills with their marks in the session.
func (s *session) entries(ctx context.Context, catalog *skill.Catalog) []loader.SkillEntry {
	loaded, err := s.loaded(ctx)
	if err != nil {
		s.warn("which skills the host loads itself is not known: " + err.Error())
	}
	return loader.SkillEntries(catalog.Skills, s.known.Skills, loader.Domain(s.config), loaded)
}

func complete(f *cmdutil.Factory) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		if len(args) == 0 {
			s := &session{f: f}
			s.open()
			for _, one := range s.library.Load().Skills {
				names = append(names, one.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// Package capability is the command ctx capability: what the user's taps offer
// to a session, by hand.
package capability

import (
	"fmt"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:   "capability",
		Short: "List, find, enable and disable the capabilities of your taps",
		Long: `List, find, enable and disable the capabilities of your taps: bundles of MCP
servers and allowed tools. They are enabled per session, by a prompt that asks for
them, by the model, or here; the session's gateway follows.`,
		Example: "  ctx capability list\n  ctx capability discover \"write a note\" --explain\n  ctx capability enable notes",
	}, newList(f), newDiscover(f), newEnable(f), newDisable(f), newStatus(f))
}

// session is the capabilities as one session has them.
type session struct {
	f        *cmdutil.Factory
	id       string // of --session
	config   config.Config
	sessions *state.Store
	found    tap.Catalog
	*capability.Registry
}

func (s *session) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.id, "session", "", "the session's id (default: the last one in this workspace that has not ended)")
}

// open reads the taps and what is active in the session.
func (s *session) open() {
	f, l, ws := s.f, s.f.Layout(), s.f.Workspace()
	var problems []config.Problem
	s.config, problems = config.Load(l, ws, f.Env)
	for _, p := range problems {
		fmt.Fprintf(f.IO.Err, "warning: %s\n", iostreams.Clean(p.String()))
	}
	s.sessions = state.Open(state.FindDir(l, ws))
	if s.id == "" {
		latest, _ := s.sessions.Latest() // none: nothing is active
		s.id = latest.ID
	}
	catalog := tap.NewLibrary(tap.Open(l), s.config.Providers, plugindir.Source{Layout: l, Workspace: ws}).Load()
	s.found = *catalog
	s.Registry = capability.New(capability.Options{
		Catalog: func() *tap.Catalog { return catalog }, Trust: trust.Open(l.Trust()), Sessions: s.sessions, Session: s.id, Env: f.Env,
		Domain: loader.Domain(s.config), Role: s.config.Roles[s.config.Role].Capabilities, MaxActive: s.config.Activate.MaxActive,
	})
}

// router loads the router, for as long as one command takes.
func (s *session) router() (*activate.Router, error) {
	s.f.IO.Step("loading the model ...")
	defer s.f.IO.Step("")
	return loader.OpenRouter(s.f.Layout(), s.f.Workspace(), s.config, s.f.Env, hclog.NewNullLogger(), nil)
}

// degraded says what makes an answer poorer: errors in the files of the taps,
// and why prompts are routed by words alone where they are.
func (s *session) degraded() []string {
	list := loader.Faults(&s.found)
	router, why := s.router()
	defer func() { _ = router.Close() }() // it ends with the process anyway
	if why != nil {
		list = append(list, byWords+why.Error())
	}
	return list
}

const byWords = "capabilities are found by words alone: "

// explain adds the library's own hint to an error.
func explain(err error) error {
	if hinted, ok := err.(interface{ Hint() string }); ok {
		return cmdutil.Fail(hinted.Hint(), "%w", err)
	}
	return err
}

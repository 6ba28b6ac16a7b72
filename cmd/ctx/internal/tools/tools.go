// Package tools is the command ctx tools: what a model does with the gateway,
// by hand.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/client"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:   "tools",
		Short: "Search, describe and call the tools behind the gateway",
		Long: `Search, describe and call the tools behind the gateway of this workspace, through
the very gateway that a host loads.`,
		Example: "  ctx tools search \"read a file\"\n  ctx tools call filesystem:read_text_file --args '{\"path\": \"README.md\"}'",
	}, newSearch(f), newDescribe(f), newCall(f))
}

// session is a gateway for one command.
type session struct {
	host string
	f    *cmdutil.Factory
}

func (s *session) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.host, "host", "", "whose gateway (default: the only host that has one here)")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("host", hosts.Complete(s.f))
}

// ask calls one of the gateway's tools and returns its answer.
func (s *session) ask(ctx context.Context, tool string, arguments any) (client.Answer, error) {
	host, err := s.choose()
	if err != nil {
		return client.Answer{}, err
	}
	program, err := s.f.Program("ctx-gateway")
	if err != nil {
		return client.Answer{}, err
	}
	o := client.Options{
		Program: program, Workspace: s.f.Workspace(), Env: s.f.Env,
		Args: []string{"--host", host, "--workspace", s.f.Workspace()},
	}
	if s.f.IO.Interactive {
		o.Ask = func(message string) bool {
			yes, err := s.f.IO.Confirm(ctx, iostreams.Clean(message))
			return yes && err == nil
		}
	}
	s.f.IO.Step("starting the gateway ...")
	g, err := client.Start(ctx, o)
	s.f.IO.Step("")
	if err != nil {
		return client.Answer{}, err
	}
	defer g.Close()
	return g.Call(ctx, tool, arguments)
}

// choose finds the host whose gateway is meant.
func (s *session) choose() (string, error) {
	rec, ok, err := wiring.Open(s.f.Layout().Wraps()).Record(s.f.Workspace())
	if err != nil {
		return "", err
	}
	var fronted []string
	for _, h := range rec.Hosts {
		if h.Gateway && (s.host == "" || s.host == h.Host) {
			fronted = append(fronted, h.Host)
		}
	}
	switch {
	case len(fronted) == 1:
		return fronted[0], nil
	case len(fronted) > 1:
		return "", cmdutil.BadUsage("name one: --host "+strings.Join(fronted, ", --host "), "%d hosts have a gateway here", len(fronted))
	case ok && s.host != "":
		return "", cmdutil.NotThere("ctx wrap setup --gateway --host "+s.host, "%s has no gateway in %s", s.host, s.f.Workspace())
	default:
		return "", cmdutil.NotThere("ctx wrap setup --gateway", "no host has a gateway in %s", s.f.Workspace())
	}
}

// print shows an answer: its structured form with --json, else its text. An
// answer that is an error ends with the error's exit code.
func (s *session) print(noun string, a client.Answer) error {
	if a.Content == nil {
		a.Content = []json.RawMessage{}
	}
	var value any = a.StructuredContent
	if noun == "tools-call" || a.IsError || len(a.StructuredContent) == 0 {
		value = a
	}
	if a.IsError && !s.f.JSON {
		return cmdutil.Fail("ctx tools search finds ids; ctx tools describe shows arguments", "%s", strings.TrimSpace(a.Text()))
	}
	err := s.f.Print(noun, value, func(io *iostreams.Streams) {
		fmt.Fprintln(io.Out, iostreams.CleanLines(strings.TrimRight(a.Text(), "\n")))
	})
	if err == nil && a.IsError {
		return cmdutil.ExitStatus(cmdutil.No)
	}
	return err
}

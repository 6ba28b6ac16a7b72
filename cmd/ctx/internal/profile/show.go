package profile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/profile"
)

// Shown is what ctx profile show --json prints.
type Shown struct {
	Command string `json:"command"`
	Entry
}

func newShow(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show what a profile keeps",
		Long: `Show what a profile keeps: the families of tools, the authority up to which a tool
passes, and the tools that are named. What ctx.toml in the workspace says of a
profile narrows it, and is in what is shown.`,
		Example:           "  ctx profile show read-only --json",
		Args:              cmdutil.Args(1, 1),
		ValidArgsFunction: cmdutil.CompleteProfiles(f),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := entries(f, args[0])
			if unknown := (*profile.UnknownError)(nil); errors.As(err, &unknown) {
				return cmdutil.Fail(unknown.Hint(), "%w", err)
			}
			if err != nil {
				return err
			}
			s := Shown{"show", all[0]}
			if err := f.Print(noun, s, s.print); err != nil || s.Problem == "" {
				return err
			}
			return cmdutil.Fail("mend what is named", "profile %s cannot be followed", s.Name)
		},
	}
}

func (e Shown) print(s *iostreams.Streams) {
	line := func(what, format string, args ...any) {
		fmt.Fprintf(s.Out, "  %-11s%s\n", what, iostreams.Clean(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(s.Out, "%s: %s\n", s.Bold(iostreams.Clean(e.Name)), iostreams.Clean(e.Description))
	var families []string
	for _, f := range e.Families {
		families = append(families, string(f))
	}
	line("families", "%s", strings.Join(families, ", "))
	line("ceiling", "%s", e.Ceiling)
	if e.MaxTokens > 0 {
		line("limit", "%d schema tokens", e.MaxTokens)
	}
	for _, g := range e.Include {
		line("include", "%s", g)
	}
	for _, g := range e.Exclude {
		line("exclude", "%s", g)
	}
	line("from", "%s", strings.Join(e.From, ", "))
	if len(e.Active) > 0 {
		line("in force", "%s", strings.Join(e.Active, ", "))
	}
	if e.Problem != "" {
		line("problem", "%s", e.Problem)
	}
}

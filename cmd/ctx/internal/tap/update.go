package tap

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Updates is what ctx tap update --json prints.
type Updates struct {
	Taps []Updated `json:"taps"`
}

// Updated is a tap and what an update has brought.
type Updated struct {
	tap.Tap
	Before   string        `json:"before,omitempty"` // commits of a git tap
	After    string        `json:"after,omitempty"`
	Failed   string        `json:"failed,omitempty"` // why it stayed as it was
	Commands []Command     `json:"commands"`
	Approved int           `json:"approved"`
	Problems []tap.Problem `json:"problems"`
}

func newUpdate(f *cmdutil.Factory) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "update [NAME]",
		Short: "Bring git taps up to date, and approve what is new in any",
		Long: `Bring git taps up to date, all of them or one. Nothing else ever does. Then every
command that is new or has changed, in a folder of yours too, is shown, and you are
asked once; until you approve it the capability behind is unready.`,
		Example:           "  ctx tap update\n  ctx tap update acme/tools --yes",
		Args:              cmdutil.Args(0, 1),
		ValidArgsFunction: complete(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			return open(f).update(cmd.Context(), args, yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "approve exactly the commands that are printed")
	return cmd
}

func (s *shop) update(ctx context.Context, names []string, yes bool) error {
	taps, err := s.store.List()
	if err != nil {
		return err
	}
	if len(names) > 0 {
		one, err := find(taps, names[0])
		if err != nil {
			return err
		}
		taps = []tap.Tap{one}
	}
	r := Updates{Taps: []Updated{}}
	failed := 0
	for _, t := range taps {
		u := Updated{Tap: t}
		if t.URL != "" {
			s.f.IO.Step("fetching %s ...", t.Name)
			u.Before, u.After, err = s.store.Update(ctx, t)
			s.f.IO.Step("")
			if err != nil {
				u.Failed = err.Error()
				failed++
			}
		}
		catalog, commands := s.survey(t)
		u.Commands, u.Problems = commands, append([]tap.Problem{}, catalog.Problems...)
		if u.Approved, err = s.review(ctx, commands, yes); err != nil {
			return err
		}
		if err := s.note(commands); err != nil {
			return err
		}
		r.Taps = append(r.Taps, u)
	}
	s.warn()
	if err := s.f.Print("tap-update", r, r.print); err != nil {
		return err
	}
	if failed > 0 {
		return cmdutil.Fail("a clone that was changed by hand is mended by removing the tap and adding it again",
			"%s could not be brought up to date", count(failed, "tap"))
	}
	return nil
}

func (r Updates) print(s *iostreams.Streams) {
	if len(r.Taps) == 0 {
		fmt.Fprintln(s.Out, "There is no tap; none is built in. Add one: ctx tap add ORG/NAME PATH")
	}
	for _, u := range r.Taps {
		printProblems(s, u.Problems)
		what := "is a folder of yours, read where it is"
		switch {
		case u.Failed != "":
			what = "stays as it was: " + u.Failed
		case u.URL != "" && u.Before == u.After:
			what = "is up to date, at " + short(u.After)
		case u.URL != "":
			what = "went from " + short(u.Before) + " to " + short(u.After)
		}
		fmt.Fprintf(s.Out, "%s %s", u.Name, iostreams.Clean(what))
		if u.Approved > 0 {
			fmt.Fprintf(s.Out, "; %s approved", count(u.Approved, "command"))
		}
		fmt.Fprintln(s.Out)
		waiting(s, u.Name, u.Commands)
	}
}

func short(commit string) string { return commit[:min(10, len(commit))] }

package tap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Linted is what ctx tap lint --json prints.
type Linted struct {
	Path         string        `json:"path"`
	Capabilities int           `json:"capabilities"`
	Skills       int           `json:"skills"`
	Problems     []tap.Problem `json:"problems"`
}

func newLint(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "lint PATH",
		Short: "Check the capabilities, skills and plugins in a folder, by file and line",
		Long: `Check the capabilities, skills and plugins in a folder: what cannot be read, and what
loads and still does not do what its author wants, such as triggers that read like labels instead of
requests, tools that are allowed of no server, and packages without an exact version.
Nothing is run and nothing is fetched. The exit code is 1 where there is a finding.`,
		Example: "  ctx tap lint ~/src/acme-tools",
		Args:    cmdutil.Args(1, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			path := args[0]
			if !filepath.IsAbs(path) {
				path = filepath.Join(f.Dir, path)
			}
			if info, err := os.Stat(path); err != nil || !info.IsDir() {
				return cmdutil.NotThere("give the folder that holds capabilities/", "%s is no folder", args[0])
			}
			all, _ := tap.LoadDir(path)
			_, plugins := plugindir.OfTap(f.Layout(), tap.Tap{Path: path})
			skills := skill.OfTap(path)
			l := Linted{path, len(all), len(skills.Skills), slices.Concat([]tap.Problem{}, tap.Lint(path), plugins, skills.Problems)}
			if err := f.Print("tap-lint", l, l.print); err != nil {
				return err
			}
			if len(l.Problems) > 0 {
				return cmdutil.ExitStatus(cmdutil.No)
			}
			return nil
		},
	}
}

func (l Linted) print(s *iostreams.Streams) {
	for _, p := range l.Problems {
		if rel, err := filepath.Rel(l.Path, p.File); err == nil {
			p.File = rel
		}
		mark := s.Yellow(string(p.Severity))
		if p.Severity == tap.Error {
			mark = s.Red(string(p.Severity))
		}
		fmt.Fprintf(s.Out, "%s: %s: %s [%s]\n", iostreams.Clean(p.Position()), mark, iostreams.Clean(p.Text), p.Rule)
		if p.Hint != "" {
			fmt.Fprintf(s.Out, "    %s\n", s.Dim(iostreams.Clean(p.Hint)))
		}
	}
	what := count(l.Capabilities, "capability")
	if l.Skills > 0 {
		what += ", " + count(l.Skills, "skill")
	}
	fmt.Fprintf(s.Out, "%s, %s\n", what, count(len(l.Problems), "finding"))
}

package tap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Added is what ctx tap add --json prints.
type Added struct {
	Tap          tap.Tap       `json:"tap"`
	Capabilities int           `json:"capabilities"`
	Routable     int           `json:"routable"` // those that a prompt can activate
	Commands     []Command     `json:"commands"` // all that it would run
	Approved     int           `json:"approved"` // just now
	Problems     []tap.Problem `json:"problems"`
}

func newAdd(f *cmdutil.Factory) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "add ORG/NAME PATH",
		Short: "Add a folder, or a git repository, of capabilities",
		Long: `Add a tap: a folder of yours, which is read where it is, or the address of a git
repository, which is cloned and then changes by ctx tap update alone. Every command
that its capabilities would run is shown, and you are asked once. Taps that were
added before have precedence.`,
		Example: "  ctx tap add acme/tools ~/src/acme-tools\n  ctx tap add acme/tools https://git.example/acme/tools.git --yes",
		Args:    cmdutil.Args(2, 2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return open(f).add(cmd.Context(), args[0], args[1], yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "approve exactly the commands that are printed")
	return cmd
}

func (s *shop) add(ctx context.Context, name, where string, yes bool) (err error) {
	if err := tap.CheckName(name); err != nil {
		return cmdutil.BadUsage("for example: ctx tap add acme/tools PATH", "%w", err)
	}
	known, err := s.store.List()
	if err != nil {
		return err
	}
	for _, t := range known {
		if t.Name == name {
			return cmdutil.Fail("ctx tap update "+name+" looks at it again; ctx tap remove "+name+" takes it off",
				"the tap %s is there already, from %s", name, orPath(t.URL, t.Path))
		}
	}
	t, undo, err := s.take(ctx, name, where)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	catalog, commands := s.survey(t)
	if !tap.IsTap(t.Path) {
		return cmdutil.Fail("a tap holds capabilities/NAME/default.toml and config.toml, skills/NAME/SKILL.md or plugins/NAME/plugin.json",
			"%s is no tap: it has no folder capabilities, skills or plugins", orPath(t.URL, t.Path))
	}
	approved, err := s.review(ctx, commands, yes)
	if err != nil {
		return err
	}
	if err := s.store.Add(t); err != nil {
		return err
	}
	if err := s.note(commands); err != nil {
		return err
	}
	s.warn()
	r := Added{Tap: t, Capabilities: len(catalog.Capabilities), Commands: commands, Approved: approved, Problems: append([]tap.Problem{}, catalog.Problems...)}
	for _, c := range s.catalog().Capabilities { // an earlier tap may have the name
		if c.Tap == t.Name && len(c.Triggers) > 0 && !c.Shadowed() {
			r.Routable++
		}
	}
	return s.f.Print("tap-add", r, r.print)
}

// take finds the folder of a tap, cloning it where the user gave an address.
func (s *shop) take(ctx context.Context, name, where string) (t tap.Tap, undo func() error, err error) {
	undo = func() error { return nil }
	if tap.IsURL(where) {
		t = tap.Tap{Name: name, Path: s.store.Clone(name), URL: where}
		s.f.IO.Step("fetching %s ...", iostreams.Clean(where))
		err = tap.Fetch(ctx, where, t.Path)
		s.f.IO.Step("")
		if err != nil {
			return t, undo, cmdutil.NotThere("git must reach it without asking for a password", "fetch %s: %w", where, err)
		}
		return t, func() error { return os.RemoveAll(t.Path) }, nil
	}
	path := where
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.f.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return t, undo, cmdutil.NotThere("give a folder, or the address of a git repository", "%s is not there", where)
	case !info.IsDir():
		return t, undo, cmdutil.Fail("give the folder that holds capabilities/", "%s is no folder", where)
	}
	return tap.Tap{Name: name, Path: filepath.Clean(path)}, undo, nil
}

func orPath(url, path string) string {
	if url != "" {
		return url
	}
	return path
}

func (r Added) print(s *iostreams.Streams) {
	printProblems(s, r.Problems)
	fmt.Fprintf(s.Out, "added %s: %s, %d of them for prompts to activate", r.Tap.Name, count(r.Capabilities, "capability"), r.Routable)
	if r.Approved > 0 {
		fmt.Fprintf(s.Out, "; %s approved", count(r.Approved, "command"))
	}
	fmt.Fprintln(s.Out)
	waiting(s, r.Tap.Name, r.Commands)
}

// Package prune is the command ctx prune: it takes what is not needed out of
// what hosts load, says first what that saves, and puts it back.
package prune

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// noun is the schema of what the command prints as JSON.
const noun = "prune"

type options struct {
	survey      survey.Options
	interactive bool
	keep        []string
	apply       bool
	undo        bool
	dryRun      bool
	all         bool
	yes         bool
}

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	o := new(options)
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Take what is not needed out of what hosts load, and put it back",
		Long: `Take what is not needed out of what hosts load. Without --apply it is a preview:
what would go and why, what stays, and what that really saves.

By rule, what is of level L2 and above goes: writes that nobody was seen to use,
and everything destructive. What nothing could see used does not count as unused.
Whatever a thing that stays refers to stays, too.

On a terminal, --apply asks for each group. Enter takes what the rule says, "all"
and "none" what they say; "1,3-5" names what goes, "+2" and "-3" change what the
rule says, "?2" explains. Elsewhere it needs --yes.

Behind ctx-gateway, what is pruned is in no list, search, index or description,
and cannot be called. What a host loads itself is switched off in its own files;
--undo gives them back byte for byte.`,
		Example: "  ctx prune --host claude\n  ctx prune --apply --keep mcp_tool:github:delete_branch\n  ctx prune --undo",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(f); err != nil {
				return err
			}
			if o.undo {
				return o.runUndo(f)
			}
			return o.run(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	hosts.Flag(cmd, f, &o.survey.Hosts, "host to prune (repeatable; default: every one found)")
	fl.BoolVar(&o.interactive, "interactive", false, "ask for each group, without --apply too")
	fl.StringArrayVar(&o.keep, "keep", nil, "what stays whatever the rule says, by its id (repeatable)")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("keep", survey.CompleteIDs(f))
	fl.BoolVar(&o.apply, "apply", false, "do it")
	fl.BoolVar(&o.undo, "undo", false, "put back what was pruned")
	fl.BoolVar(&o.dryRun, "dry-run", false, "change nothing, which is so without --apply; with --undo: show what would be put back")
	fl.BoolVar(&o.all, "all", false, "with --undo: in every workspace, or every one that has the --host")
	fl.BoolVar(&o.yes, "yes", false, "with --apply: do what is printed, without a question; it approves no server")
	fl.StringVar(&o.survey.Tokenizer, "tokenizer", "", "count tokens with bytes4, cl100k or o200k (default: surface.tokenizer)")
	fl.BoolVar(&o.survey.Probe, "probe-mcp", false, "start the servers that you trust and ask for their tools first")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("tokenizer", cobra.FixedCompletions(survey.Tokenizers, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check refuses flags that do not go together.
func (o *options) check(f *cmdutil.Factory) error {
	both := func(a, b string) error {
		return cmdutil.BadUsage("use one of them", "%s and %s do not go together", a, b)
	}
	for _, c := range []struct {
		name string
		set  bool
	}{{"--apply", o.apply}, {"--interactive", o.interactive}, {"--keep", len(o.keep) > 0}, {"--yes", o.yes}, {"--probe-mcp", o.survey.Probe}} {
		if o.undo && c.set {
			return both("--undo", c.name)
		}
	}
	switch {
	case o.all && !o.undo:
		return cmdutil.BadUsage("ctx prune --undo --all", "--all goes with --undo alone")
	case o.apply && o.dryRun:
		return both("--apply", "--dry-run")
	case o.yes && !o.apply:
		return cmdutil.BadUsage("ctx prune --apply --yes", "--yes goes with --apply alone")
	case o.yes && o.interactive:
		return both("--yes", "--interactive")
	case o.interactive && !f.IO.Interactive:
		return cmdutil.BadUsage("name what stays with --keep", "--interactive needs a terminal")
	case o.interactive && f.JSON:
		return both("--interactive", "--json")
	case o.apply && !o.yes && (!f.IO.Interactive || f.JSON):
		return cmdutil.BadUsage("look at ctx prune first, then: ctx prune --apply --yes", "without a terminal to ask on, --apply needs --yes")
	}
	return nil
}

func (o *options) run(ctx context.Context, f *cmdutil.Factory) error {
	o.survey.Unasked = o.yes
	s, err := survey.Take(ctx, f, o.survey)
	if err != nil {
		return err
	}
	defer s.Close()
	r := Result{Workspace: s.Workspace, Tokenizer: s.Tokenizer, Interactive: o.interactive || o.apply && !o.yes, Hosts: []Host{}}
	run := &pruner{options: o, f: f, set: s, store: wiring.Open(f.Layout().Wraps())}
	for i := range s.Hosts {
		run.jobs = append(run.jobs, newJob(&s.Hosts[i], s))
	}
	if err := run.keepNamed(); err != nil {
		return err
	}
	for _, j := range run.jobs {
		if err := run.plan(ctx, j, r.Interactive); err != nil {
			return err
		}
	}
	if o.apply {
		if err := run.apply(&r); err != nil {
			return err
		}
	}
	for _, j := range run.jobs {
		r.Hosts = append(r.Hosts, j.report())
	}
	return f.Print(noun, r, r.print)
}

// keepNamed notes what --keep names, in each host that has it.
func (p *pruner) keepNamed() error {
	for _, id := range p.keep {
		found := false
		var ids []string
		for _, j := range p.jobs {
			ids = append(ids, j.ids()...)
			if j.knows(id) {
				j.choices[id], found = true, true
			}
		}
		if !found {
			return cmdutil.Fail(survey.Near(id, ids), "unknown id %q", id)
		}
	}
	return nil
}

// plural is "1 skill", "2 skills".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// title is what a group is called.
func title(kind surface.Kind) string { return strings.ReplaceAll(string(kind), "_", " ") }

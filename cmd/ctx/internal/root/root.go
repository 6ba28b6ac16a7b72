// Package root is the tree of all commands.
package root

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/approve"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/capability"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/completion"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/doctor"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/eval"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/help"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/plugins"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/profile"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/prune"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/skill"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/surface"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/tap"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/tools"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/trust"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/unwrap"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/version"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/wrap"
)

// Main runs one command line and returns the exit code of the process.
func Main(args, env []string, streams *iostreams.Streams) int {
	dir, err := os.Getwd()
	if err != nil {
		return cmdutil.Report(streams.Err, cmdutil.NotThere("cd to a folder that is there", "the current folder cannot be read: %w", err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd := New(&cmdutil.Factory{IO: streams, Env: env, Dir: dir})
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(ctx)
	if err != nil {
		streams.Step("")
	}
	if ctx.Err() != nil {
		err = cmdutil.Interrupted(err)
	}
	return cmdutil.Report(streams.Err, err)
}

// New makes the command ctx with everything below it.
func New(f *cmdutil.Factory) *cobra.Command {
	root := cmdutil.Group(&cobra.Command{
		Use:   "ctx",
		Short: "Keep what a coding agent could use out of its context until it is needed",
		Long: `ctx is a sidecar for Claude Code, Codex and Antigravity. It puts one small MCP
gateway in place of all MCP servers, and hooks that say what is held back; every
tool behind the gateway is one call away, in the same turn.`,
		Example:       "  ctx wrap setup --gateway\n  ctx doctor\n  ctx tools search \"read a file\"\n  ctx unwrap",
		SilenceErrors: true,
		SilenceUsage:  true,
	},
		approve.New(f),
		capability.New(f),
		completion.New(f),
		doctor.New(f),
		eval.New(f),
		plugins.New(f),
		profile.New(f),
		prune.New(f),
		skill.New(f),
		surface.New(f),
		tap.New(f),
		tools.New(f),
		trust.New(f),
		unwrap.New(f),
		version.New(f),
		wrap.New(f),
	)
	group, asked := root.RunE, false
	root.Flags().BoolVar(&asked, "version", false, "print the version of ctx")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if asked {
			return version.New(f).RunE(cmd, nil)
		}
		return group(cmd, args)
	}
	root.SetHelpCommand(help.New(f))
	help.Set(root)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(f.IO.In)
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetFlagErrorFunc(cmdutil.FlagError)
	root.PersistentFlags().BoolVar(&f.JSON, "json", false, "print one JSON document")
	return root
}

// Package wrap is the command ctx wrap: it puts the gateway in place of a
// host's MCP servers, or the hooks alone, and says first what that changes.
package wrap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
)

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	o := new(options)
	cmd := &cobra.Command{
		Use:   "wrap HOST [-- ARGS...]",
		Short: "Wire ctx into hosts",
		Long: `Wire ctx into one host, one that "ctx wrap detect" lists, and, behind "--", start
it with these arguments; the exit code is then the host's own. "ctx wrap setup"
does it for every host at once and says more. What ctx itself has to say goes to
standard error when the host is started, and a dry run does not start it.`,
		Example:           "  ctx wrap setup --gateway\n  ctx wrap claude --gateway -- -p \"what can you do here?\"",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: hosts.Complete(f),
	}
	cmdutil.Group(cmd, newSetup(f), newDetect(f))
	group := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dash := cmd.ArgsLenAtDash()
		if len(args) == 0 || dash == 0 {
			return group(cmd, nil)
		}
		if name, known := args[0], hosts.Names(f); !slices.Contains(known, name) {
			if len(known) > 0 && cmdutil.Nearest(name, append(known, "setup", "detect")) == "" {
				return cmdutil.BadUsage("hosts: "+strings.Join(known, ", "), "unknown host %q", name)
			}
			return cmdutil.UnknownCommand(cmd, name, known...)
		}
		if len(args) > 1 && dash != 1 {
			return cmdutil.BadUsage(`what the host is started with goes behind "--"`, "unexpected argument %q", args[1])
		}
		o.hosts, o.launch = args[:1], dash == 1
		report := f
		if o.launch {
			// Standard output is the host's: what it prints may be read by a program.
			streams, with := *f.IO, *f
			streams.Out, with.IO = streams.Err, &streams
			report = &with
		}
		if err := o.run(cmd, report); err != nil || !o.launch || o.dryRun {
			return err
		}
		return launch(cmd, f, args[0], args[1:])
	}
	o.flags(cmd, f)
	return cmd
}

func newSetup(f *cmdutil.Factory) *cobra.Command {
	o := new(options)
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Wire ctx into every host that is on this machine",
		Long: `Wire ctx into every host that is on this machine, or those that --host names, for
the workspace that is the current folder. Without --gateway that is the hooks
alone. With it, the host loads ctx-gateway in place of its MCP servers; what each
host loads before and after is printed.

A server that only the repository declares is started once you approve its exact
command: ctx prints it and asks. One that you do not approve stays with the host,
and so does one that fails; the rest is wired. --yes approves exactly what is
printed; --dry-run prints it first and starts nothing.`,
		Example: "  ctx wrap setup --gateway\n  ctx wrap setup --gateway --host claude --dry-run",
		Args:    cmdutil.Args(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd, f) },
	}
	hosts.Flag(cmd, f, &o.hosts, "host to wire (repeatable; default: every one found)")
	o.flags(cmd, f)
	return cmd
}

func (o *options) flags(cmd *cobra.Command, f *cmdutil.Factory) {
	fl := cmd.Flags()
	fl.BoolVar(&o.gateway, "gateway", false, "put ctx-gateway in place of the MCP servers")
	fl.StringVar(&o.profile, "profile", "", "put ctx-gateway there, working under this profile (default: the one of the wrap before; \"\" for none)")
	fl.StringVar(&o.scope, "scope", "", "where the wiring goes, for hosts that leave a choice: project or user")
	fl.StringSliceVar(&o.include, "include", nil, "front this server though a hook, subagent or command of yours names it (repeatable)")
	fl.BoolVar(&o.dryRun, "dry-run", false, "print what would change and change nothing")
	fl.BoolVar(&o.yes, "yes", false, "approve exactly the servers that are printed")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("profile", cmdutil.CompleteProfiles(f))
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]cobra.Completion{"project", "user"}, cobra.ShellCompDirectiveNoFileComp))
}

// launch runs the host in ctx's place.
func launch(cmd *cobra.Command, f *cmdutil.Factory, name string, args []string) error {
	set, err := hosts.Open(cmd.Context(), f, []string{name})
	if err != nil {
		return err
	}
	program := set.Hosts[0].Program
	set.Close()
	if program == "" {
		return cmdutil.NotThere("install it, or start it by hand: the wiring is in place", "the program of %s was not found", name)
	}
	child := exec.Command(program, args...)
	child.Dir, child.Env = f.Dir, f.Env
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = child.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return cmdutil.ExitStatus(exit.ExitCode())
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return cmdutil.NotThere("", "start %s: %w", program, err)
	case err != nil:
		return fmt.Errorf("%s: %w", program, err)
	}
	return nil
}

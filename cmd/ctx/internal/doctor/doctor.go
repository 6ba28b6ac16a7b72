// Package doctor is the command ctx doctor: it proves that what wrap set up
// works, by doing what a host does.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Status is the outcome of a check.
type Status string

const (
	Good Status = "ok"
	Note Status = "note" // to be known; nothing is wrong
	Warn Status = "warning"
	Bad  Status = "fail"
)

// Check is one thing that was tried.
type Check struct {
	Host   string `json:"host,omitempty"` // "" for what belongs to no host
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"`
	Hint   string `json:"hint,omitempty"`
}

// Report is what ctx doctor --json prints.
type Report struct {
	Workspace string  `json:"workspace,omitempty"` // "" with --install
	OK        bool    `json:"ok"`
	Checks    []Check `json:"checks"`
}

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	var names []string
	var installed bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Prove that the wiring of this workspace works",
		Long: `Prove that the wiring of this workspace works: the adapters are trusted, the
hosts' files hold what wrap put in, every hook answers a recorded event, and the
gateway starts, lists, finds and describes. Servers that wait for an approval or
that a host loads beside the gateway are named. The exit code is 1 when something
is wrong.

With --install it is what install.sh put in that is tried, whatever the folder:
what prompts are routed with.`,
		Example: "  ctx doctor\n  ctx doctor --host claude --json\n  ctx doctor --install",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if installed {
				return install(cmd.Context(), f)
			}
			return run(cmd.Context(), f, names)
		},
	}
	cmd.Flags().BoolVar(&installed, "install", false, "try what is installed, not this workspace")
	hosts.Flag(cmd, f, &names, "host to check (repeatable; default: every one that is wired here)")
	return cmd
}

// doctor carries one run.
type doctor struct {
	f         *cmdutil.Factory // of the user
	scratch   *cmdutil.Factory // the same on a copy of the state folder
	workspace string
	store     *wiring.Store
	trust     *trust.Store
	intact    bool // the records of what is ours in the hosts' files
	checks    []Check
}

func run(ctx context.Context, f *cmdutil.Factory, names []string) error {
	l := f.Layout()
	d := &doctor{f: f, workspace: f.Workspace(), store: wiring.Open(l.Wraps()), trust: trust.Open(l.Trust())}
	d.records() // first, for to read one that is damaged sets it aside
	rec, ok, err := d.store.Record(d.workspace)
	if err != nil {
		return err
	}
	if !ok {
		return cmdutil.Fail("ctx wrap setup --gateway", "%s is not wrapped", d.workspace)
	}
	if len(names) == 0 {
		for _, h := range rec.Hosts {
			names = append(names, h.Host)
		}
	}
	// What a hook or a gateway does here on trial must not reach a session that
	// runs: neither its socket nor its memory.
	scratch, done, err := f.Scratch()
	if err != nil {
		return err
	}
	defer done()
	d.scratch = scratch

	d.common(ctx)
	for _, name := range names {
		d.host(ctx, name, rec)
	}
	d.surface(ctx, names)
	f.IO.Step("")
	return d.report()
}

// install checks what does not depend on where the user stands.
func install(ctx context.Context, f *cmdutil.Factory) error {
	d := &doctor{f: f}
	c, _ := config.Load(f.Layout(), f.Workspace(), f.Env)
	d.model(ctx, c, f.Workspace(), true)
	return d.report()
}

// records checks that what is ours in the hosts' files is known.
func (d *doctor) records() {
	err := d.store.Intact()
	d.intact = err == nil
	if d.intact {
		return
	}
	var hinted plugins.Hinter
	hint := ""
	if errors.As(err, &hinted) {
		hint = hinted.Hint()
	}
	d.add("", "records", Bad, err.Error(), hint)
}

// common checks what belongs to no host.
func (d *doctor) common(ctx context.Context) {
	for _, p := range d.trust.Problems() {
		d.add("", "approvals", Bad, p, "ctx trust list")
	}
	d.tools()
	d.local()
	d.pruned()
	if dir, why := state.SafeDir(d.f.Layout(), d.workspace); why != "" {
		d.add("", "workspace folder", Warn, why+"; used in its place: "+dir, "remove it, or unwrap and wrap again")
	}
	c, problems := config.Load(d.f.Layout(), d.workspace, d.f.Env)
	for _, p := range problems {
		text := p.File
		if p.Line > 0 {
			text = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		d.add("", "settings", Warn, text+": "+p.Text, p.Hint)
	}
	d.taps(ctx, c)
}

func (d *doctor) add(host, name string, s Status, text, hint string) {
	d.checks = append(d.checks, Check{host, name, s, text, hint})
}

func (d *doctor) report() error {
	r := Report{Workspace: d.workspace, OK: true, Checks: d.checks}
	bad := []string{}
	for _, c := range d.checks {
		if c.Status == Bad {
			r.OK = false
			bad = append(bad, strings.TrimSpace(c.Host+" "+c.Name))
		}
	}
	if err := d.f.Print("doctor", r, r.print); err != nil || r.OK {
		return err
	}
	return cmdutil.Fail("the lines that say fail say what to do", "wrong here: %s", strings.Join(bad, ", "))
}

func (r Report) print(s *iostreams.Streams) {
	if r.Workspace != "" {
		fmt.Fprintln(s.Out, s.Bold(r.Workspace))
	}
	width := 0
	for _, c := range r.Checks {
		width = max(width, len(c.Host)+1+len(c.Name))
	}
	for _, c := range r.Checks {
		dress := map[Status]func(string) string{Good: s.Green, Note: s.Dim, Warn: s.Yellow, Bad: s.Red}[c.Status]
		where := strings.TrimSpace(c.Host + " " + c.Name)
		fmt.Fprintf(s.Out, "  %s  %-*s  %s\n", dress(fmt.Sprintf("%-7s", c.Status)), width, where, iostreams.Clean(c.Text))
		if c.Hint != "" && c.Status != Good {
			fmt.Fprintf(s.Out, "  %-7s  %-*s  hint: %s\n", "", width, "", iostreams.Clean(c.Hint))
		}
	}
}

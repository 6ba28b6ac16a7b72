package surface

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/selection"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// compileOptions are the flags of ctx surface compile.
type compileOptions struct {
	survey.Options
	profile string
	task    string
	agent   string
	apply   bool
	check   bool
}

func newCompile(f *cmdutil.Factory) *cobra.Command {
	var o compileOptions
	cmd := &cobra.Command{
		Use:   "compile",
		Short: "Write the configuration with which a host loads what a profile keeps",
		Long: `Write the configuration with which a host, started by the command line that is
printed, loads what a profile keeps of its MCP servers, tools, skills, agents and
commands. The user's own files stay as they are. Without --apply nothing is
written; a check that fails has the exit code 1, and then nothing is written
either. A server that was never listed is kept by a profile that keeps everything
alone: --probe-mcp asks the servers first.`,
		Example: `  ctx surface compile --profile read-only --host claude
  ctx surface compile --profile local-dev --host codex --apply
  ctx surface compile --profile review --host claude --task "answer comments"
  ctx surface compile --profile local-dev --host claude --check`,
		Args: cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, f) },
	}
	o.Flags(cmd, f)
	fl := cmd.Flags()
	fl.Lookup("host").Usage = "host to write for"
	fl.StringVar(&o.profile, "profile", "", "what is kept (default: surface.default_profile)")
	fl.StringVar(&o.task, "task", "", "keep the fewest families of tools that this task needs")
	fl.StringVar(&o.agent, "agent", "", "keep what this agent of the host's may use")
	fl.BoolVar(&o.apply, "apply", false, "write the files")
	fl.BoolVar(&o.check, "check", false, "say whether the files are there as they should be; writes nothing")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("profile", cmdutil.CompleteProfiles(f))
	return cmd
}

func (o *compileOptions) run(cmd *cobra.Command, f *cmdutil.Factory) error {
	switch {
	case len(o.Hosts) != 1:
		return cmdutil.BadUsage("hosts: "+strings.Join(hosts.Names(f), ", "), "name one host: --host HOST")
	case o.apply && o.check:
		return cmdutil.BadUsage("--check writes nothing", "--apply and --check exclude each other")
	case cmd.Flags().Changed("task") && strings.TrimSpace(o.task) == "":
		return cmdutil.BadUsage(`--task "answer the review comments"`, "--task is empty")
	}
	p, err := o.find(f)
	if err != nil {
		return err
	}
	s, err := survey.Take(cmd.Context(), f, o.Options)
	if err != nil {
		return err
	}
	defer s.Close()
	c := &compiler{f: f, options: *o, set: s, host: &s.Hosts[0], profile: p}
	if err := c.make(cmd.Context()); err != nil {
		return err
	}
	if o.apply && c.out.failure() == nil {
		if err := state.NoteCompiled(f.Layout(), s.Workspace); err != nil {
			return err
		}
		if err := c.write(); err != nil {
			return err
		}
	}
	if err := f.Print(noun, c.out, c.out.print); err != nil {
		return err
	}
	return c.out.failure()
}

// find takes the profile that is asked for, with the workspace's default on top
// where none is.
func (o *compileOptions) find(f *cmdutil.Factory) (*profile.Profile, error) {
	cfg := f.Config()
	name := o.profile
	if name == "" {
		name = cfg.Surface.DefaultProfile
	}
	if name == "" {
		name = cfg.Surface.WorkspaceProfile
	}
	if name == "" {
		return nil, cmdutil.BadUsage("profiles: "+strings.Join(profile.Names(cfg.Surface), ", "), "name a profile: --profile NAME")
	}
	p, err := cmdutil.Profile(cfg.Surface, name)
	return &p, err
}

// compiler makes the files of one profile for one host.
type compiler struct {
	f       *cmdutil.Factory
	options compileOptions
	set     *survey.Set
	host    *survey.Host
	profile *profile.Profile
	out     Compilation
	files   []plugins.CompiledFile
	picked  *selection.Selection
}

// make selects, checks, has the host's adapter write it down, and prices it.
func (c *compiler) make(ctx context.Context) error {
	if err := c.pick(); err != nil {
		return err
	}
	if err := c.compile(ctx); err != nil {
		return err
	}
	return c.price()
}

// pick selects and checks.
func (c *compiler) pick() error {
	c.out = Compilation{
		Command: "compile", Workspace: c.set.Workspace, Tokenizer: c.set.Tokenizer, Host: c.host.Name(), Title: c.host.Title(),
		Profile: c.profile.Name, Agent: c.options.agent, Applied: false, Check: c.options.check,
		Unseen: c.host.Inventory.Unseen, Warnings: slices.Clone(c.host.Inventory.Warnings), probe: c.host.Probed,
	}
	o := selection.Options{Profile: c.profile, Lost: c.lost}
	if c.options.agent != "" {
		may, err := c.agent(c.options.agent)
		if err != nil {
			return err
		}
		o.May = may
	}
	records := c.host.Inventory.Records
	c.picked = selection.Of(records, o)
	if c.options.task != "" {
		t := c.picked.Cover(c.options.task)
		c.out.Task = &t
		o.Families = []surface.Family{}
		for _, cover := range t.Families {
			o.Families = append(o.Families, cover.Family)
		}
		c.picked = selection.Of(records, o)
	}
	c.out.fill(c.picked)
	c.out.Notes = append(c.out.Notes, idleHooks(c.picked, c.host.Sources.ToolName)...)
	return nil
}

// lost says why no launch with files of its own can load a server.
func (c *compiler) lost(server string) string {
	for _, s := range c.host.Sources.Servers {
		if s.Name == server && s.Scope == surface.ScopePlugin {
			return s.Direct + ", which alone can start it"
		}
	}
	return ""
}

// compile has the adapter write the files, in memory.
func (c *compiler) compile(ctx context.Context) error {
	req := plugins.CompileRequest{
		Machine: c.host.Machine(), Workspace: c.set.Workspace, Profile: c.profile.Name,
		DenyTools: c.picked.Deny, Dir: c.dir(),
	}
	for _, s := range c.host.Sources.Servers {
		if slices.Contains(c.picked.Servers, s.Name) && !s.Own {
			req.Servers = append(req.Servers, s)
		}
	}
	for _, r := range c.picked.Off {
		req.Off = append(req.Off, itemOf(r))
	}
	made, err := c.host.Compile(ctx, req)
	if err != nil && len(c.host.Fronted) > 0 {
		return cmdutil.Fail("here the gateway can work under the profile: ctx wrap setup --profile "+c.profile.Name+"; or ctx unwrap first", "%w", err)
	}
	if err != nil {
		return err
	}
	c.files, c.out.Launch = made.Files, made.Launch
	for _, r := range c.picked.Off {
		if slices.ContainsFunc(made.Off, func(it surface.Item) bool { return same(it, itemOf(r)) }) {
			c.out.Off = append(c.out.Off, r.ID)
		} else {
			c.out.Told = append(c.out.Told, r.ID)
		}
	}
	c.beside(made.Beside)
	return c.compare()
}

// beside holds servers against the profile that the host loads whatever the
// files say.
func (c *compiler) beside(names []string) {
	c.out.Beside = append([]string{}, names...)
	checks := c.out.Checks
	i := slices.IndexFunc(checks, func(k selection.Check) bool { return k.Name == "authority" })
	for _, name := range names {
		var out []string
		for _, r := range c.host.Inventory.Records {
			if r.Kind != surface.KindTool || r.Provider != name {
				continue
			}
			if ok, _ := c.profile.Admits(selection.Tool(r)); !ok {
				out = append(out, r.Name)
			}
		}
		listed := slices.ContainsFunc(c.host.Inventory.Records, func(r inventory.Record) bool {
			return r.Kind == surface.KindServer && r.Name == name && r.Unmeasured == ""
		})
		if ok, _ := c.profile.AdmitsUnlisted(name); len(out) > 0 || !listed && !ok {
			checks[i].Failures = append(checks[i].Failures, selection.Failure{
				Text: fmt.Sprintf("%s loads the server %s whatever the files say, with what the profile leaves out", c.host.Title(), name),
				Hint: "switch it off where it is declared, or let the profile keep all of it",
			})
		}
	}
}

func itemOf(r inventory.Record) surface.Item {
	return surface.Item{Kind: r.Kind, Provider: r.Provider, Name: r.Name, Place: r.Place}
}

func same(a, b surface.Item) bool {
	return a.Kind == b.Kind && a.Provider == b.Provider && a.Name == b.Name && a.Place == b.Place
}

// agent reads which MCP tools an agent may use.
func (c *compiler) agent(name string) (func(server, tool string) bool, error) {
	var names []string
	for _, r := range c.host.Inventory.Records {
		if r.Kind != surface.KindAgent {
			continue
		}
		names = append(names, r.Name)
		if r.Name == name {
			return agentTools(r.Place.File, c.host.Sources.ToolName)
		}
	}
	slices.Sort(names)
	hint := c.host.Title() + " has no agents here"
	if len(names) > 0 {
		hint = "agents: " + strings.Join(names, ", ")
	}
	return nil, cmdutil.Fail(hint, "unknown agent %q", name)
}

func (o *Compilation) fill(s *selection.Selection) {
	o.Selected, o.Excluded, o.Servers, o.Dropped = []string{}, s.Excluded, s.Servers, s.Dropped
	o.Deny, o.Off, o.Told = s.Deny, []string{}, []string{}
	for _, r := range s.Kept {
		o.Selected = append(o.Selected, r.ID)
	}
	for _, t := range s.Tools() {
		o.Tools++
		o.SchemaTokens += selection.SchemaTokens(t)
	}
	o.Checks = s.Checks()
	o.Notes = append([]string{}, s.Unmet()...)
	if n := len(s.Unlisted()); n > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("%s left out because nobody ever asked for the tools (--probe-mcp does): %s", count(n, "server"), strings.Join(s.Unlisted(), ", ")))
	}
	if len(s.Servers) == 0 && len(s.Dropped) > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("nothing of %s is kept", count(len(s.Dropped), "MCP server")))
	}
}

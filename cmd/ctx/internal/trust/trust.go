// Package trust is the command ctx trust: what the user has said of MCP servers.
package trust

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// idHelp says what the commands here take for an ID.
const idHelp = `ID is the name of a server, local:NAME for a tool of the workspace's own, SERVER:TOOL
for a tool that was changed, SERVER:* for all tools of a server that wait or, where two have one name
or a tool is another workspace's, the id in ctx trust list.`

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:   "trust",
		Short: "Decide which MCP servers may be started, and which changes of their tools pass",
		Long: `Decide which MCP servers may be started. A server is approved down to its exact
command, arguments, environment, folder, url and headers, as they are written in
the configuration; whatever changes there has to be approved again.

With a server go its tools, as it defines them when it is first started, and those
that it adds later. A tool that it defines otherwise afterwards is held back: no
model sees or calls it until it is approved.

The executables in .agents/tools of a workspace are tools as well, local:NAME, each
approved down to its bytes.`,
		Example: "  ctx trust list\n  ctx trust diff github\n  ctx trust approve github\n  ctx trust approve github:create_issue",
	},
		newList(f), newDiff(f),
		newDecide(f, "approve", "Let a server be started as it is declared now, or a tool be used as it is defined now", trust.Approved),
		newDecide(f, "reject", "Forbid a server as it is declared now, or a tool as it is defined now", trust.Rejected),
	)
}

func open(f *cmdutil.Factory) *trust.Store { return trust.Open(f.Layout().Trust()) }

// warn says what is wrong with the file of approvals.
func warn(f *cmdutil.Factory, t *trust.Store) {
	for _, p := range t.Problems() {
		fmt.Fprintf(f.IO.Err, "warning: %s\n", iostreams.Clean(p))
	}
}

// shown remembers what the user has seen, since that is what an approval is
// about. Where that cannot be written down, an approval cannot be either.
func shown(f *cmdutil.Factory, t *trust.Store, entries []trust.Entry) {
	if err := t.Shown(entries); err != nil {
		fmt.Fprintf(f.IO.Err, "warning: %s\n", iostreams.Clean(err.Error()))
	}
}

// List is what ctx trust list --json prints.
type List struct {
	Servers  []trust.Entry    `json:"servers"`
	Tools    []baseline.Entry `json:"tools"` // that are held back
	Problems []string         `json:"problems"`

	none string // what an empty list means
}

func newList(f *cmdutil.Factory) *cobra.Command {
	var waits bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the servers and tools that were decided about or wait for it",
		Example: "  ctx trust list --waiting",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			t := open(f)
			refresh(cmd.Context(), f, t)
			l := List{Servers: append([]trust.Entry{}, t.Entries()...)}
			tools, unread := openTools(f).Entries()
			l.Tools = append([]baseline.Entry{}, tools...)
			l.none = "No server was decided about yet, and none waits."
			if waits {
				l.none = "No server waits for a decision."
				l.Servers = slices.DeleteFunc(l.Servers, func(e trust.Entry) bool { return !e.Waits() })
				l.Tools = slices.DeleteFunc(l.Tools, func(e baseline.Entry) bool { return !e.Waits() })
			}
			l.Problems = append([]string{}, t.Problems()...)
			for _, p := range unread {
				l.Problems = append(l.Problems, p.Text)
			}
			warn(f, t)
			warnTools(f, unread)
			if err := f.Print("trust", l, l.print); err != nil {
				return err
			}
			shown(f, t, l.Servers)
			return nil
		},
	}
	cmd.Flags().BoolVar(&waits, "waiting", false, "only those that wait for a decision")
	return cmd
}

func (l List) print(s *iostreams.Streams) {
	defer printTools(s, l.Tools)
	if len(l.Servers) == 0 {
		fmt.Fprintln(s.Out, l.none)
		return
	}
	t := iostreams.NewTable("STATUS", "ID", "BY", "AT", "STARTS")
	for _, e := range l.Servers {
		by := e.By
		if e.Waits() {
			by = "-"
		}
		t.Row(word(e), e.ID, by, e.At.Local().Format(time.DateTime), cmdutil.Start(e.Server))
	}
	t.Write(s)
}

func word(e trust.Entry) string {
	switch e.Status {
	case trust.Unknown:
		return "waits"
	case trust.Changed:
		return "changed, waits"
	}
	return string(e.Status)
}

// match finds the entries that an argument means: an ID, or a server's name.
func match(entries []trust.Entry, arg string) []trust.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e trust.Entry) bool {
		return e.ID != arg && e.Server.Name != arg
	})
}

func complete(f *cmdutil.Factory) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var ids []cobra.Completion
		for _, e := range open(f).Entries() {
			ids = append(ids, e.ID)
		}
		tools, _ := openTools(f).Entries()
		for _, e := range tools {
			ids = append(ids, e.Name())
		}
		slices.Sort(ids)
		return slices.Compact(ids), cobra.ShellCompDirectiveNoFileComp
	}
}

// find is match for exactly one server.
func find(f *cmdutil.Factory, t *trust.Store, arg string) ([]trust.Entry, error) {
	found := match(t.Entries(), arg)
	if own := match(found, localID(f, arg)); len(own) > 0 {
		found = own // others of that name are other workspaces'
	}
	if len(found) == 0 {
		return nil, cmdutil.Fail("see: ctx trust list", "no server %q was decided about or waits", arg)
	}
	var ids []string
	for _, e := range found {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) > 1 {
		return nil, cmdutil.Fail("name one: "+strings.Join(ids, ", "), "%d servers are named %q", len(ids), arg)
	}
	return found, nil
}

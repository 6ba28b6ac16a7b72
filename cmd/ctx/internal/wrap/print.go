package wrap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Result is what ctx wrap --json prints.
type Result struct {
	Workspace string          `json:"workspace"`
	DryRun    bool            `json:"dry_run"`
	Gateway   bool            `json:"gateway"`
	Changed   bool            `json:"changed"`
	Hosts     []HostResult    `json:"hosts"`
	Skipped   []hosts.Skipped `json:"skipped"`
}

// HostResult is what became of one host.
type HostResult struct {
	Host    string         `json:"host"`
	Title   string         `json:"title"`
	Loading string         `json:"loading"`
	Profile string         `json:"profile"` // that the gateway works under, "" for none
	Before  Load           `json:"before"`
	After   Load           `json:"after"`
	Pays    bool           `json:"pays"` // after is less than before
	Servers []ServerResult `json:"servers"`
	Files   []string       `json:"files"` // that were changed, or would be
	Diff    string         `json:"diff,omitempty"`
	// Warnings name what could not be read of the host's configuration.
	Warnings []string `json:"warnings"`
	Notes    []string `json:"notes"`
	Next     []string `json:"next"`

	measured bool // what every server costs that goes behind the gateway
	fronted  bool // the wrap before put the gateway in place of its servers
}

// Load is what a host tells its model of MCP servers in every request.
type Load struct {
	Servers int `json:"servers"`
	Tools   int `json:"tools"`
	Bytes   int `json:"bytes"`
	Tokens  int `json:"tokens"`

	// Unmeasured are the servers that were never listed. They are not counted.
	Unmeasured []string `json:"unmeasured"`
}

// ServerResult is a server and what became of it.
type ServerResult struct {
	Name     string  `json:"name"`
	Scope    string  `json:"scope"`
	Start    string  `json:"start"`
	Verdict  Verdict `json:"verdict"`
	Reason   string  `json:"reason,omitempty"`
	Approval string  `json:"approved_by,omitempty"`
	Tools    int     `json:"tools"`

	details []string // what its start depends on beside Start
}

func (w *wrapper) result() Result {
	r := Result{Workspace: w.workspace, DryRun: w.dryRun, Gateway: w.gateway, Hosts: []HostResult{}, Skipped: append([]hosts.Skipped{}, w.skipped...)}
	for _, j := range w.jobs {
		h := HostResult{
			Host: j.host.Name(), Title: j.host.Title(), Loading: string(j.sources.Loading), Profile: j.profile,
			Before: load(j.before), After: load(j.after), Servers: []ServerResult{},
			Files: append([]string{}, j.files...), fronted: j.fronted,
			Warnings: append([]string{}, j.sources.Warnings...), Notes: slices.Concat([]string{}, j.plan.Notes, j.notes), Next: append([]string{}, j.plan.Next...),
		}
		// What is left direct costs the same before and after.
		h.measured = !slices.ContainsFunc(j.front(), func(name string) bool { return slices.Contains(h.Before.Unmeasured, name) })
		h.Pays = h.measured && h.After.Bytes < h.Before.Bytes
		if w.dryRun {
			h.Diff = j.diff
		}
		for _, s := range j.servers {
			h.Servers = append(h.Servers, ServerResult{
				Name: s.Name, Scope: string(s.Scope), Start: cmdutil.Start(s.Server), Verdict: s.Verdict, Reason: s.Reason,
				Approval: s.Approval, Tools: len(j.listings[s.Name].Tools), details: cmdutil.Details(s.Server),
			})
		}
		r.Changed = r.Changed || len(h.Files) > 0
		r.Hosts = append(r.Hosts, h)
	}
	return r
}

func load(inv surface.Inventory) Load {
	l := Load{Unmeasured: []string{}}
	for _, s := range inv.Servers {
		switch {
		case s.Standing != surface.Loaded:
			continue
		case s.Unmeasured != "":
			l.Unmeasured = append(l.Unmeasured, s.Name)
		}
		l.Servers++
		l.Tools += len(s.Tools)
		l.Bytes += s.Cost.Bytes
		l.Tokens += s.Cost.Resident
	}
	return l
}

func (w *wrapper) print() error {
	r := w.result()
	return w.f.Print("wrap", r, func(s *iostreams.Streams) {
		for _, h := range r.Hosts {
			w.printHost(s, h)
		}
		for _, skip := range r.Skipped {
			fmt.Fprintf(s.Out, "%s: left out: %s\n  %s\n", skip.Name, skip.Reason, skip.Hint)
		}
		if n := unapproved(r); n > 0 {
			fmt.Fprintf(s.Out, "%s not approved%s. To approve: ctx wrap setup --gateway, and answer yes (or --yes)\n",
				were(n), w.unasked())
		}
		if r.Changed && !r.DryRun && !w.launch {
			fmt.Fprintln(s.Out, "Start the host as ever. To prove that it works: ctx doctor. To take it out: ctx unwrap")
		}
		// What the user still has to do is the last thing on the screen.
		for _, h := range r.Hosts {
			for _, next := range h.Next {
				fmt.Fprintf(s.Out, "%s\n", iostreams.Clean(next))
			}
		}
	})
}

func (w *wrapper) printHost(s *iostreams.Streams, h HostResult) {
	under := ""
	if h.Profile != "" {
		under = ", the gateway under the profile " + iostreams.Clean(h.Profile)
	}
	fmt.Fprintf(s.Out, "%s in %s%s\n", s.Bold(h.Title), w.workspace, under)
	for _, warning := range h.Warnings {
		fmt.Fprintf(s.Out, "  %s: %s\n", s.Yellow("not read"), iostreams.Clean(warning))
	}
	if w.gateway {
		printServers(s, h, w.unasked() != "")
		if len(h.Servers) > 0 && len(w.front(h.Host)) == 0 {
			fmt.Fprintln(s.Out, s.Yellow("  No server goes behind the gateway."))
		}
		printLoad(s, h)
	} else {
		printHooksAlone(s, h)
	}
	for _, n := range h.Notes {
		fmt.Fprintf(s.Out, "  %s\n", iostreams.Clean(n))
	}
	switch {
	case len(h.Files) == 0:
		fmt.Fprintln(s.Out, "  already wired: nothing to change")
	case w.dryRun:
		fmt.Fprintf(s.Out, "  would change:\n\n%s\n", iostreams.CleanLines(strings.TrimRight(h.Diff, "\n")))
	default:
		for _, path := range h.Files {
			fmt.Fprintf(s.Out, "  wired: %s\n", path)
		}
	}
	fmt.Fprintln(s.Out)
}

func printHooksAlone(s *iostreams.Streams, h HostResult) {
	servers := count(len(h.Servers), "MCP server")
	if !h.fronted {
		fmt.Fprintf(s.Out, "  hooks alone: its %s stay as they are\n", servers)
		return
	}
	fmt.Fprintln(s.Out, s.Yellow("  hooks alone: the gateway goes, and the host loads its "+servers+" itself again (--gateway keeps it)"))
}

func printServers(s *iostreams.Streams, h HostResult, unasked bool) {
	t := iostreams.NewTable("SERVER", "SCOPE", ">TOOLS", "WHAT BECOMES OF IT")
	for _, srv := range h.Servers {
		tools, what := "-", ""
		if srv.Tools > 0 {
			tools = fmt.Sprint(srv.Tools)
		}
		switch srv.Verdict {
		case Front:
			what = "behind the gateway"
		case Direct:
			what = "left direct: " + srv.Reason
		case Disabled:
			what = "switched off by you: left alone"
		}
		t.Row(srv.Name, srv.Scope, tools, what)
	}
	t.Write(s)
	for _, srv := range h.Servers {
		// Who was asked has just seen it.
		if unasked && srv.Reason == notApproved {
			fmt.Fprintf(s.Out, "  to start %s, you would approve: %s\n", iostreams.Clean(srv.Name), srv.Start)
			for _, line := range srv.details {
				fmt.Fprintf(s.Out, "      %s\n", line)
			}
		}
	}
}

// printLoad says what the host loads before and after, and whether it pays.
func printLoad(s *iostreams.Streams, h HostResult) {
	t := iostreams.NewTable("IN EVERY REQUEST", ">SERVERS", ">TOOLS", ">BYTES", ">TOKENS")
	for _, row := range []struct {
		name string
		Load
	}{{"before", h.Before}, {"after", h.After}} {
		if n := len(row.Unmeasured); n > 0 && n == row.Servers {
			t.Row(row.name, row.Servers, "?", "?", "?")
			continue
		}
		t.Row(row.name, row.Servers, row.Tools, number(row.Bytes), number(row.Tokens))
	}
	t.Write(s)
	if len(h.Before.Unmeasured) > 0 {
		fmt.Fprintf(s.Out, "  not counted, as what they list is not known: %s\n", iostreams.Clean(strings.Join(h.Before.Unmeasured, ", ")))
	}
	switch surface.Loading(h.Loading) {
	case surface.Deferred:
		fmt.Fprintf(s.Out, "  %s holds its tools back itself in its current mode: before, only their names are in a request.\n", h.Title)
	case surface.ServerLines:
		fmt.Fprintf(s.Out, "  %s holds its tools back itself with the model in use: before, a request has one line for each server.\n", h.Title)
	}
	if !h.Pays && h.measured {
		fmt.Fprintln(s.Out, s.Yellow("  This will not pay here: a request does not get smaller."))
	}
}

// front are the servers of a host that go behind the gateway.
func (w *wrapper) front(host string) []string {
	for _, j := range w.jobs {
		if j.host.Name() == host {
			return j.front()
		}
	}
	return nil
}

// show prints what would be started, so that an approval covers exactly that.
func (w *wrapper) show() {
	s := w.f.IO
	fmt.Fprintln(s.Err, "To list their tools now, and whenever a session calls for them, ctx would start:")
	for _, j := range w.jobs {
		for _, srv := range j.servers {
			if srv.Verdict != Front {
				continue
			}
			by := srv.Approval
			switch by {
			case "":
				by = s.Yellow("needs your approval")
			case approvedBefore:
				by = w.approvedBy(srv.Server)
			default:
				by = "approved by " + by
			}
			fmt.Fprintf(s.Err, "  %s, %s scope (%s), %s\n      %s\n", srv.Name, srv.Scope, j.host.Title(), by, cmdutil.Start(srv.Server))
			for _, line := range cmdutil.Details(srv.Server) {
				fmt.Fprintf(s.Err, "      %s\n", line)
			}
		}
	}
}

// approvedBy says who approved a server that is on record: the user, or the
// place in the user's own configuration that declares it.
func (w *wrapper) approvedBy(s surface.Server) string {
	id, fp := trust.ServerID(s, w.workspace), s.Fingerprint()
	for _, e := range w.trust.Entries() {
		if e.ID == id && e.Fingerprint == fp && e.By != approvedByUser {
			return "approved by " + iostreams.Clean(e.By)
		}
	}
	return "approved by you before"
}

// number groups the digits of n by three.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func unapproved(r Result) int {
	n := 0
	for _, h := range r.Hosts {
		for _, srv := range h.Servers {
			if srv.Reason == notApproved {
				n++
			}
		}
	}
	return n
}

// unasked says why the user was not asked.
func (w *wrapper) unasked() string {
	switch {
	case w.dryRun:
		return ", as a dry run does not ask"
	case !w.f.IO.Interactive:
		return ", as there is no terminal to ask at"
	}
	return ""
}

func were(n int) string {
	if n == 1 {
		return "1 server was"
	}
	return fmt.Sprintf("%d servers were", n)
}

package surface

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/prune"
)

// Explained is what ctx surface explain --json prints.
type Explained struct {
	Command   string          `json:"command"`
	Workspace string          `json:"workspace"`
	Tokenizer string          `json:"tokenizer"`
	Hosts     []HostExplained `json:"hosts"`
	Unseen    []string        `json:"unseen"`
}

// HostExplained is the record as one host has it.
type HostExplained struct {
	Host string `json:"host"`
	inventory.Record
	NeededBy []string `json:"needed_by"`
	Overlaps []string `json:"overlaps"` // say that they do the same; nothing is decided by it

	Sessions []inventory.SessionUse `json:"sessions"` // that used it, the last first

	// Prune is what ctx prune decided about it, nil where it has nothing on record.
	Prune *prune.Decision `json:"prune,omitempty"`
}

func newExplain(f *cmdutil.Factory) *cobra.Command {
	var o survey.Options
	cmd := &cobra.Command{
		Use:     "explain ID",
		Short:   "Say why one capability is there, what it costs and what it may do",
		Example: "  ctx surface explain mcp_tool:github:create_issue",
		Args:    cmdutil.Args(1, 1),

		ValidArgsFunction: survey.CompleteIDs(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := survey.Take(cmd.Context(), f, o)
			if err != nil {
				return err
			}
			defer s.Close()
			e := Explained{Command: "explain", Workspace: s.Workspace, Tokenizer: s.Tokenizer, Hosts: []HostExplained{}, Unseen: []string{}}
			var ids []string
			for _, h := range s.Hosts {
				for _, r := range h.Inventory.Records {
					ids = append(ids, r.ID)
				}
				decided := s.Pruned.Of(h.Name())
				ids = append(ids, decided.IDs()...)
				d := decided.Find(args[0])
				r := h.Inventory.Find(args[0])
				if r == nil && d != nil {
					r = recorded(*d)
				}
				if r != nil {
					x := explain(h.Name(), h.Inventory, *r)
					x.Prune = d
					e.Hosts = append(e.Hosts, x)
					e.Unseen = append(e.Unseen, h.Inventory.Unseen...)
				}
			}
			if len(e.Hosts) == 0 {
				return cmdutil.Fail(survey.Near(args[0], ids), "unknown id %q", args[0])
			}
			return f.Print(noun, e, e.print)
		},
	}
	o.Flags(cmd, f)
	return cmd
}

func explain(host string, inv inventory.Inventory, r inventory.Record) HostExplained {
	e := HostExplained{Host: host, Record: r, NeededBy: []string{}, Overlaps: []string{}, Sessions: r.PerSession()}
	g := inv.Graph()
	for _, n := range g.Needs {
		if n.ID == r.ID {
			e.NeededBy = append(e.NeededBy, n.From)
		}
	}
	for _, c := range g.Clusters {
		if slices.Contains(c.IDs, r.ID) {
			e.Overlaps = append(e.Overlaps, slices.DeleteFunc(slices.Clone(c.IDs), func(id string) bool { return id == r.ID })...)
		}
	}
	return e
}

func (e Explained) print(s *iostreams.Streams) {
	for _, h := range e.Hosts {
		line := func(what, format string, args ...any) {
			fmt.Fprintf(s.Out, "  %-10s %s\n", what, iostreams.Clean(fmt.Sprintf(format, args...)))
		}
		fmt.Fprintf(s.Out, "%s (%s)\n", s.Bold(iostreams.Clean(h.ID)), h.Host)
		line("from", "%s:%d", h.Place.File, h.Place.Line)
		line("standing", "%s", strings.TrimSpace(string(h.Standing)+"  "+h.Why))
		if h.Prune != nil {
			what, text := verdict(*h.Prune)
			line(what, "%s", text)
		}
		resident, deferred, demand := cells(h.Record)
		line("tokens", "%v resident, %v deferred, %v on demand (%s); %d bytes in every request", resident, deferred, demand, e.Tokenizer, h.Cost.Bytes)
		if h.Unmeasured != "" {
			line("unmeasured", "%s", h.Unmeasured)
		}
		if h.Unsent > 0 {
			line("unsent", "%d bytes of its definition (output schema, annotations) reach no model", h.Unsent)
		}
		if h.Authority != nil {
			line("authority", "%s (confidence %.2f)", h.Authority.Tier, h.Authority.Confidence)
			for _, c := range h.Authority.Evidence {
				line("", "%s: %q says %s (%.2f)", c.Source, c.Words, c.Tier, c.Confidence)
			}
		} else if h.Prose() {
			line("authority", "n/a: it is text")
		}
		line("used", "%s", used(h.Record))
		const most = 5
		for i, u := range h.Sessions {
			if i == most {
				line("", "and in %d more sessions: --json lists them all", len(h.Sessions)-most)
				break
			}
			line("", "%s from %s to %s in session %s", count(u.Calls, "time"), u.First.Local().Format("2006-01-02 15:04"), u.Last.Local().Format("15:04"), u.Session)
		}
		line("level", "%s", h.Level)
		if h.Family != "" {
			line("family", "%s", h.Family)
		}
		for _, l := range h.Leaks {
			look := ""
			if !l.Firm() {
				look = ", worth a look"
			}
			line("leakage", "%s: %s (%s; %.2f%s)", l.Kind, l.What, where(l), l.Confidence, look)
		}
		for _, n := range h.Requires {
			state := "there"
			if n.Broken != "" {
				state = n.Broken
			}
			line("needs", "%s (line %d): %s", n.Text, n.Place.Line, state)
		}
		for _, id := range h.NeededBy {
			line("needed by", "%s", id)
		}
		for _, id := range h.Overlaps {
			line("overlaps", "%s, by the words of their names: no proof, and nothing is decided by it", id)
		}
	}
	for _, u := range e.Unseen {
		fmt.Fprintf(s.Out, "  %s\n", s.Dim("not seen: "+iostreams.Clean(u)))
	}
}

func used(r inventory.Record) string {
	u := r.Use
	switch {
	case r.Standing == inventory.NotLoaded:
		return "not by this host"
	case !u.Measured:
		return "unmeasured: nothing could see it, which is not the same as unused"
	case u.Calls == 0:
		return "never, in " + count(u.Of, "session")
	}
	text := fmt.Sprintf("%s in %d of %s, last %s", count(u.Calls, "time"), u.Sessions, count(u.Of, "session"), u.Last.Local().Format("2006-01-02 15:04"))
	if u.Failed > 0 {
		text += fmt.Sprintf(", %d failed", u.Failed)
	}
	return text
}

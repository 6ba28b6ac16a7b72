package prune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// Result is what ctx prune --json prints.
type Result struct {
	Workspace   string `json:"workspace"`
	Tokenizer   string `json:"tokenizer"`
	Applied     bool   `json:"applied"`
	Changed     bool   `json:"changed"` // something is otherwise than before
	Interactive bool   `json:"interactive"`
	Receipt     string `json:"receipt,omitempty"` // its file, once applied
	Hosts       []Host `json:"hosts"`
}

// Host is what goes and what stays of one host.
type Host struct {
	Host      string              `json:"host"`
	Title     string              `json:"title"`
	Tokens    prune.Tokens        `json:"tokens_per_request"`
	Deferred  prune.Tokens        `json:"deferred_tokens"` // loaded by the host's own search
	Bytes     prune.Tokens        `json:"bytes_per_request"`
	Groups    []Group             `json:"groups"`
	Decisions []prune.Decision    `json:"decisions"`
	Files     []wiring.FileChange `json:"files"`
	Diff      string              `json:"diff"`
	Notes     []string            `json:"notes"`
	Refused   string              `json:"refused,omitempty"` // why it cannot be applied
	Hint      string              `json:"hint,omitempty"`
	Unseen    []string            `json:"unseen"`
	Warnings  []string            `json:"warnings"`

	before *prune.HostReceipt
	all    map[string]prune.Candidate
}

// Group is the things of one kind.
type Group struct {
	Kind    surface.Kind `json:"kind"`
	Count   int          `json:"count"`
	Pruned  int          `json:"pruned"`
	Gateway int          `json:"at_gateway"` // of those, what the gateway holds back
	Tokens  int          `json:"tokens"`     // in every request, of what goes
}

func (j *job) report() Host {
	tokens := func(before, after int) prune.Tokens {
		return prune.Tokens{Before: before, After: after, Saved: before - after}
	}
	inv := j.host.Inventory
	h := Host{
		Host: j.host.Name(), Title: j.host.Title(), before: j.before, all: map[string]prune.Candidate{},
		Tokens:   tokens(j.total.Resident, j.after.Resident),
		Deferred: tokens(j.total.Deferred, j.after.Deferred),
		Bytes:    tokens(j.total.Bytes, j.after.Bytes),
		Groups:   []Group{}, Decisions: j.decisions, Files: []wiring.FileChange{},
		Notes: append([]string{}, j.notes...), Unseen: inv.Unseen, Warnings: inv.Warnings,
	}
	if h.Decisions == nil {
		h.Decisions = []prune.Decision{}
	}
	for _, c := range j.all {
		h.all[c.ID] = c
	}
	for _, kind := range prune.Kinds {
		g := Group{Kind: kind}
		for _, d := range j.decisions {
			if d.Kind != kind {
				continue
			}
			g.Count++
			if !d.Keep {
				g.Pruned++
				g.Tokens += d.Tokens
			}
			if d.Where == prune.AtGateway {
				g.Gateway++
			}
		}
		if g.Count > 0 {
			h.Groups = append(h.Groups, g)
		}
	}
	if j.refused != nil {
		h.Refused = j.refused.Error()
		if hinted, ok := j.refused.(interface{ Hint() string }); ok {
			h.Hint = hinted.Hint()
		}
		return h
	}
	h.Files, h.Diff = append(h.Files, j.change.Files()...), j.change.Diff()
	h.Notes = append(h.Notes, j.change.Notes()...)
	return h
}

func (r Result) print(s *iostreams.Streams) {
	goes := 0
	for _, h := range r.Hosts {
		fmt.Fprintf(s.Out, "%s in %s, in tokens (%s)\n", s.Bold(h.Title), r.Workspace, r.Tokenizer)
		for _, g := range h.Groups {
			h.printGroup(s, g)
			goes += g.Pruned
		}
		h.printSum(s, r.Applied)
		fmt.Fprintln(s.Out)
	}
	switch {
	case r.Applied && r.Changed && r.Receipt == "":
		fmt.Fprintln(s.Out, "Done; nothing is pruned any more.")
	case r.Applied && r.Changed:
		fmt.Fprintf(s.Out, "Done; on record in %s. ctx prune --undo puts it all back; a conversation that runs already keeps what it has.\n", r.Receipt)
	case r.Applied:
		fmt.Fprintln(s.Out, "Nothing had to be changed.")
	case goes > 0:
		fmt.Fprintln(s.Out, "Nothing was changed. Apply with: ctx prune --apply (keep something: --keep ID)")
	}
}

func (h Host) printGroup(s *iostreams.Streams, g Group) {
	fmt.Fprintf(s.Out, "  %s: %d of %d go\n", s.Bold(title(g.Kind)), g.Pruned, g.Count)
	t := iostreams.NewTable(">RESIDENT", ">DEFERRED", "LEVEL", "AUTHORITY", ">USED", "BY", "ID", "WHY")
	shown, more := 0, 0
	for _, d := range h.Decisions {
		if d.Kind != g.Kind || d.Keep {
			continue
		}
		if shown++; shown > most {
			more++
			continue
		}
		deferred := ""
		if c, ok := h.all[d.ID]; ok {
			deferred = fmt.Sprint(c.Cost.Deferred)
		}
		t.Row(d.Tokens, deferred, d.Level, d.Authority, used(d), d.By, d.ID, h.why(d))
	}
	if shown > 0 {
		t.Write(s)
	}
	if more > 0 {
		fmt.Fprintf(s.Out, "    %s\n", s.Dim(fmt.Sprintf("and %d more: --json lists them all", more)))
	}
	h.printStays(s, g.Kind)
}

// printStays names what stays although the rule, or the user, might have it go.
func (h Host) printStays(s *iostreams.Streams, kind surface.Kind) {
	for _, d := range prune.Notable(h.Decisions) {
		if d.Kind == kind && d.Keep {
			fmt.Fprintf(s.Out, "    %s %s: %s\n", s.Green("stays"), iostreams.Clean(d.ID), iostreams.Clean("by "+d.By+", "+d.Why))
		}
	}
}

func (h Host) why(d prune.Decision) string {
	why := d.Why
	if d.Where == prune.AtGateway {
		why += "; behind the gateway"
	}
	if old := h.before.Find(d.ID); old != nil && !old.Keep {
		why = "pruned already; " + why
	}
	return why
}

func (h Host) printSum(s *iostreams.Streams, applied bool) {
	verb := "would be"
	if applied {
		verb = "are now"
	}
	fmt.Fprintf(s.Out, "  in every request: %d before, %d after; %d %s saved", h.Tokens.Before, h.Tokens.After, h.Tokens.Saved, verb)
	if h.Deferred.Saved != 0 {
		fmt.Fprintf(s.Out, ", and %d that the host's own search loads", h.Deferred.Saved)
	}
	fmt.Fprintln(s.Out)
	if slices.ContainsFunc(h.Groups, func(g Group) bool { return g.Gateway > 0 }) {
		fmt.Fprintln(s.Out, "  behind ctx-gateway a tool costs no more than its share of the index: pruning it keeps the model from finding and calling it")
	}
	if slices.ContainsFunc(h.Decisions, func(d prune.Decision) bool { return d.Invocations == nil }) {
		fmt.Fprintln(s.Out, "  unmeasured is not unused: what nothing could see used goes for what it can do, never for want of use")
	}
	for _, n := range h.Notes {
		fmt.Fprintf(s.Out, "  %s: %s\n", s.Yellow("note"), iostreams.Clean(n))
	}
	if h.Refused != "" {
		fmt.Fprintf(s.Out, "  %s: %s\n  hint: %s\n", s.Red("cannot be applied"), iostreams.Clean(h.Refused), iostreams.Clean(h.Hint))
	}
	if h.Diff != "" {
		fmt.Fprintf(s.Out, "\n%s\n", iostreams.CleanLines(strings.TrimRight(h.Diff, "\n")))
	}
	for _, w := range h.Warnings {
		fmt.Fprintf(s.Out, "  %s: %s\n", s.Yellow("not read"), iostreams.Clean(w))
	}
	for _, u := range h.Unseen {
		fmt.Fprintf(s.Out, "  %s\n", s.Dim("not seen: "+iostreams.Clean(u)))
	}
}

// used is how often a thing was used, "?" where nothing could see it.
func used(d prune.Decision) string {
	if d.Invocations == nil {
		return "?"
	}
	return fmt.Sprint(*d.Invocations)
}

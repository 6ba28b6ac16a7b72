package surface

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/selection"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Compilation is what ctx surface compile --json prints.
type Compilation struct {
	Command   string          `json:"command"`
	Workspace string          `json:"workspace"`
	Tokenizer string          `json:"tokenizer"`
	Host      string          `json:"host"`
	Title     string          `json:"title"`
	Profile   string          `json:"profile"`
	Agent     string          `json:"agent,omitempty"`
	Task      *selection.Task `json:"task,omitempty"`

	Selected []string              `json:"selected"` // ids
	Excluded []selection.Exclusion `json:"excluded"`
	Servers  []string              `json:"servers_kept"`
	Dropped  []string              `json:"servers_dropped"`
	Deny     map[string][]string   `json:"denied_tools"` // of kept servers
	// Off are ids of prose that the files switch off; Told are of prose that is
	// left out and that no file of the host's can switch off, which saves nothing.
	Off  []string `json:"switched_off"`
	Told []string `json:"still_told"`
	// Beside are servers that the host loads all the same.
	Beside []string `json:"still_loaded"`

	Tools        int               `json:"tools"`
	SchemaTokens int               `json:"schema_tokens"`
	Checks       []selection.Check `json:"checks"`
	Tokens       Saving            `json:"tokens"`

	Files    []string `json:"files"`
	Changed  []string `json:"changed"` // that are not there as they should be; with applied: were not
	Stale    []string `json:"stale"`   // that an earlier compilation left; likewise
	Applied  bool     `json:"applied"`
	Launch   []string `json:"launch"` // starts the host with these files
	Notes    []string `json:"notes"`
	Unseen   []string `json:"unseen"`
	Warnings []string `json:"warnings"`

	Check bool `json:"-"` // whether the files are as they should be is asked
	probe *survey.Probed
}

// failure is why nothing is written, or why the files are not as they should be.
func (o *Compilation) failure() error {
	n, hint := 0, ""
	for _, c := range o.Checks {
		for _, f := range c.Failures {
			if n++; n == 1 {
				hint = f.Hint
			}
		}
	}
	switch {
	case o.Task != nil && !o.Task.Fits:
		return cmdutil.Fail(o.Task.Hint, "%s", o.Task.Why)
	case n > 0:
		return cmdutil.Fail(hint, "%s; nothing was written", count(n, "check")+" failed")
	case o.Check && len(o.Changed)+len(o.Stale) > 0:
		stale := slices.Concat(o.Changed, o.Stale)
		return cmdutil.Fail("the same command with --apply in place of --check", "not as profile %s compiles to: %s", o.Profile, strings.Join(stale, ", "))
	}
	return nil
}

func (o *Compilation) print(s *iostreams.Streams) {
	what := "profile " + iostreams.Clean(o.Profile)
	if o.Agent != "" {
		what += ", agent " + iostreams.Clean(o.Agent)
	}
	fmt.Fprintf(s.Out, "%s in %s under %s\n", s.Bold(o.Title), o.Workspace, what)
	o.probe.Print(s)
	o.printTask(s)
	t := iostreams.NewTable("", "ID", "WHY")
	for _, id := range o.Selected {
		t.Row("keep", id, "")
	}
	for _, x := range o.Excluded {
		t.Row("leave out", x.ID, iostreams.Clean(x.Reason))
	}
	t.Write(s)
	for _, id := range o.Told {
		fmt.Fprintf(s.Out, "  %s no file of the host's switches %s off: its model is told of it all the same, and nothing is saved\n", s.Yellow("still told:"), iostreams.Clean(id))
	}
	for _, name := range o.Beside {
		fmt.Fprintf(s.Out, "  %s no file of ours keeps the host from loading the server %s\n", s.Yellow("still loaded:"), iostreams.Clean(name))
	}
	for _, w := range o.Notes {
		fmt.Fprintf(s.Out, "  %s %s\n", s.Yellow("note:"), iostreams.Clean(w))
	}
	for _, c := range o.Checks {
		if len(c.Failures) == 0 {
			fmt.Fprintf(s.Out, "  check %s: holds\n", c.Name)
		}
		for _, f := range c.Failures {
			fmt.Fprintf(s.Out, "  %s %s\n      hint: %s\n", s.Red("check "+c.Name+" fails:"), iostreams.Clean(f.Text), iostreams.Clean(f.Hint))
		}
	}
	o.printTokens(s)
	blind(s, inventory.Inventory{Unseen: o.Unseen, Warnings: o.Warnings})
	o.printFiles(s)
}

func (o *Compilation) printTask(s *iostreams.Streams) {
	if o.Task == nil {
		return
	}
	for _, c := range o.Task.Families {
		fmt.Fprintf(s.Out, "  the task takes %s for %s: %s, %d schema tokens\n", c.Family, strings.Join(c.Words, ", "), count(c.Tools, "tool"), c.Tokens)
	}
	if len(o.Task.Uncovered) > 0 {
		fmt.Fprintf(s.Out, "  no tool speaks of: %s\n", iostreams.Clean(strings.Join(o.Task.Uncovered, ", ")))
	}
}

func (o *Compilation) printTokens(s *iostreams.Streams) {
	t := iostreams.NewTable("TOKENS IN EVERY REQUEST ("+o.Tokenizer+")", ">TOKENS", ">SAVED")
	t.Row("the host loads everything itself", o.Tokens.Before, "")
	t.Row("with these files", o.Tokens.Config, o.Tokens.SavedConfig)
	t.Row("with ctx-gateway under the profile", o.Tokens.Gateway, o.Tokens.SavedGateway)
	t.Write(s)
	if len(o.Tokens.Unmeasured) > 0 {
		fmt.Fprintf(s.Out, "  not counted, for they were never listed: %s (--probe-mcp asks them)\n", iostreams.Clean(strings.Join(o.Tokens.Unmeasured, ", ")))
	}
}

func (o *Compilation) printFiles(s *iostreams.Streams) {
	switch {
	case o.failure() != nil && !o.Check:
		return
	case o.Applied && len(o.Changed)+len(o.Stale) == 0, o.Check && o.failure() == nil:
		fmt.Fprintf(s.Out, "The files are as they should be: %s\n", strings.Join(o.Files, ", "))
	case o.Applied:
		fmt.Fprintf(s.Out, "wrote: %s\n", strings.Join(o.Changed, ", "))
		if len(o.Stale) > 0 {
			fmt.Fprintf(s.Out, "removed: %s\n", strings.Join(o.Stale, ", "))
		}
	case !o.Check:
		fmt.Fprintf(s.Out, "Nothing was written; --apply writes: %s\n", strings.Join(o.Files, ", "))
	}
	if len(o.Launch) > 0 && !o.Check {
		fmt.Fprintf(s.Out, "Start the host with: %s\n", cmdutil.Start(surface.Server{Transport: surface.Stdio, Command: o.Launch[0], Args: o.Launch[1:]}))
	}
}

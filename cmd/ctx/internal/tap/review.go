package tap

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Command is one thing that a tap would run, and what the user has said of it.
type Command struct {
	tap.Command
	Status trust.Status `json:"status"`
}

// waits reports whether the user has yet to decide.
func (c Command) waits() bool { return c.Status == trust.Unknown || c.Status == trust.Changed }

// survey reads a tap and what it, its plugins among it, would run.
func (s *shop) survey(t tap.Tap) (*tap.Catalog, []Command) {
	catalog := tap.Read(t, s.providers)
	plugins, problems := plugindir.OfTap(s.f.Layout(), t)
	catalog.Problems = append(catalog.Problems, problems...)
	commands := []Command{}
	for _, c := range append(slices.Clip(catalog.Capabilities), plugindir.Capabilities(plugins)...) {
		list, err := c.Commands()
		if err != nil {
			fmt.Fprintf(s.f.IO.Err, "warning: %s: %s\n", c.Pinned(), iostreams.Clean(err.Error()))
		}
		for _, cmd := range list {
			commands = append(commands, Command{cmd, s.trust.CheckID(cmd.ID, cmd.Declaration)})
		}
	}
	return catalog, commands
}

// review shows what nobody has decided about yet and takes the user's word, once
// for all of it. What is not approved is put on record as waiting.
func (s *shop) review(ctx context.Context, commands []Command, yes bool) (approved int, err error) {
	open := 0
	for _, c := range commands {
		if c.waits() {
			open++
		}
	}
	if open == 0 {
		return 0, nil
	}
	s.show(commands)
	if !yes && !s.f.IO.Interactive {
		return 0, nil
	}
	if !yes {
		yes, err = s.f.IO.Confirm(ctx, fmt.Sprintf("Approve %s? (no: the capabilities behind stay unready)", count(open, "command")))
		if err != nil || !yes {
			return 0, err
		}
	}
	list := map[string][]trust.Approval{}
	for i, c := range commands {
		if c.waits() {
			d := c.Declaration
			list[c.ID] = append(list[c.ID], trust.Approval{Fingerprint: d.Fingerprint(), By: "user", At: time.Now().UTC(), Server: d})
			commands[i].Status = trust.Approved
			approved++
		}
	}
	return approved, s.trust.ApproveAll(list)
}

// show prints every command that waits, with all that an approval covers.
func (s *shop) show(commands []Command) {
	io := s.f.IO
	fmt.Fprintln(io.Err, "To enable its capabilities, each when it is asked for, ctx would run:")
	for _, c := range commands {
		if !c.waits() {
			continue
		}
		kind := ""
		if c.Script {
			kind = ", an installer"
		}
		mark := io.Yellow("new")
		if c.Status == trust.Changed {
			mark = io.Yellow("changed since you approved it")
		}
		fmt.Fprintf(io.Err, "  %s%s, %s\n      %s\n", iostreams.Clean(c.Capability), kind, mark, cmdutil.Start(c.Declaration))
		for _, line := range s.details(c) {
			fmt.Fprintf(io.Err, "      %s\n", line)
		}
	}
}

// details are what the command line does not say; of a changed one, what is
// another than before. Nothing is hidden: a tap is no place for secrets.
func (s *shop) details(c Command) []string {
	var lines []string
	if c.Status == trust.Changed {
		for _, l := range s.trust.Diff(c.ID, c.Declaration) {
			lines = append(lines, iostreams.Clean(l))
		}
		return lines
	}
	d := c.Declaration
	if d.Cwd != "" {
		lines = append(lines, "in "+iostreams.Clean(d.Cwd))
	}
	for _, k := range slices.Sorted(maps.Keys(d.Env)) {
		if c.Script {
			lines = append(lines, k+" "+d.Env[k])
			continue
		}
		lines = append(lines, iostreams.Clean("env "+k+"="+d.Env[k]))
	}
	for _, k := range slices.Sorted(maps.Keys(d.Headers)) {
		lines = append(lines, iostreams.Clean("header "+k+": "+d.Headers[k]))
	}
	return lines
}

// note puts on record what waits still, so that ctx trust shows it.
func (s *shop) note(commands []Command) error {
	list := map[string]surface.Server{}
	for _, c := range commands {
		if c.waits() {
			list[c.ID] = c.Declaration
		}
	}
	if err := s.trust.NoteAll(list); err != nil {
		return fmt.Errorf("put on record what waits for approval: %w", err)
	}
	return nil
}

// waiting says what is left to approve, and how.
func waiting(s *iostreams.Streams, name string, commands []Command) {
	n := 0
	for _, c := range commands {
		if c.waits() {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(s.Out, "  not approved yet: %s; the capabilities behind are unready until you do: ctx tap update %s\n", count(n, "command"), name)
	}
}

package profile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/surface"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/selection"
	coresurface "github.com/ctx-sidecar/ctx/core/surface"
)

// rounds is how often a profile is measured for --live-timings; the middle one
// is told.
const rounds = 5

// benchCommand is by what a document tells that a bench wrote it.
const benchCommand = "bench"

// Bench is what ctx profile bench --json prints.
type Bench struct {
	Command   string      `json:"command"`
	Workspace string      `json:"workspace"`
	Tokenizer string      `json:"tokenizer"`
	Hosts     []BenchHost `json:"hosts"`
	file      string
}

// BenchHost is what the profiles make of one host's surface.
type BenchHost struct {
	Host    string `json:"host"`
	Title   string `json:"title"`
	Servers int    `json:"servers"` // that the user has not switched off; likewise the tools
	Tools   int    `json:"tools"`
	// Before is what is in every request where the host loads every server itself, in tokens.
	Before     int        `json:"before"`
	Unmeasured []string   `json:"unmeasured"` // servers that were never listed, which nobody can count
	Profiles   []BenchRow `json:"profiles"`
}

// BenchRow is one profile on one host. Tokens are those in every request.
type BenchRow struct {
	Name         string `json:"name"`
	Servers      int    `json:"servers_kept"`
	Tools        int    `json:"tools_kept"`
	SchemaTokens int    `json:"schema_tokens"` // of the tools that are kept
	// Config is with the files of "ctx surface compile", null where ctx-gateway
	// stands before the host's servers; Gateway with the gateway under the profile.
	Config  *int    `json:"config"`
	Gateway int     `json:"gateway"`
	Millis  float64 `json:"millis,omitempty"` // to decide and to price, the median; with --live-timings
	Problem string  `json:"problem,omitempty"`
}

type benchOptions struct {
	survey.Options
	profile string
	all     bool
	output  string
	timings bool
}

func newBench(f *cmdutil.Factory) *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure what each profile leaves of what the hosts load here",
		Long: `Measure what each profile leaves of what the hosts load in this workspace: how
many servers and tools it keeps, and how many tokens are then in every request,
by compiled files ("ctx surface compile") and by the gateway. Nothing is written
but the file of --output. A server that was never listed cannot be counted:
--probe-mcp asks the servers first.`,
		Example: `  ctx profile bench
  ctx profile bench --profile read-only --host claude --tokenizer cl100k
  ctx profile bench --all --live-timings --output profiles.json`,
		Args: cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), f) },
	}
	o.Flags(cmd, f)
	fl := cmd.Flags()
	fl.StringVar(&o.profile, "profile", "", "measure this profile alone")
	fl.BoolVar(&o.all, "all", false, "measure every profile (what is done where none is named)")
	fl.StringVarP(&o.output, "output", "o", "", "write the JSON to this file, too")
	fl.BoolVar(&o.timings, "live-timings", false, "tell how long deciding and pricing takes on this machine")
	// Only flags that do not exist fail here.
	_ = cmd.RegisterFlagCompletionFunc("profile", cmdutil.CompleteProfiles(f))
	_ = cmd.MarkFlagFilename("output", "json")
	cmd.MarkFlagsMutuallyExclusive("profile", "all")
	return cmd
}

func (o *benchOptions) run(ctx context.Context, f *cmdutil.Factory) error {
	settings := f.Config().Surface
	names := profile.Names(settings)
	if o.profile != "" {
		if _, err := cmdutil.Profile(settings, o.profile); err != nil {
			return err
		}
		names = []string{o.profile}
	}
	if o.output != "" {
		if !filepath.IsAbs(o.output) {
			o.output = filepath.Join(f.Dir, o.output)
		}
		if err := ours(o.output); err != nil {
			return err
		}
	}
	s, err := survey.Take(ctx, f, o.Options)
	if err != nil {
		return err
	}
	defer s.Close()
	b := Bench{Command: benchCommand, Workspace: s.Workspace, Tokenizer: s.Tokenizer, Hosts: []BenchHost{}, file: o.output}
	for i := range s.Hosts {
		host, err := o.host(ctx, f, s, &s.Hosts[i], names)
		if err != nil {
			return err
		}
		b.Hosts = append(b.Hosts, host)
	}
	if o.output != "" {
		if err := b.write(f); err != nil {
			return err
		}
	}
	return f.Print(noun, b, b.print)
}

// host measures profiles on one host. One that cannot be followed keeps nothing
// and says why.
func (o *benchOptions) host(ctx context.Context, f *cmdutil.Factory, s *survey.Set, h *survey.Host, names []string) (BenchHost, error) {
	out := BenchHost{Host: h.Name(), Title: h.Title(), Unmeasured: []string{}, Profiles: []BenchRow{}}
	for _, r := range h.Inventory.Records {
		switch {
		case !selection.Counts(r):
		case r.Kind == coresurface.KindServer:
			out.Servers++
		case r.Kind == coresurface.KindTool:
			out.Tools++
		}
	}
	for _, name := range names {
		f.IO.Step("measuring %s on %s ...", name, h.Title())
		p, err := profile.Find(s.Config.Surface, name)
		if err != nil {
			return out, err
		}
		var m surface.Measured
		var took []time.Duration
		for range o.times() {
			start := time.Now()
			if m, err = surface.Measure(ctx, f, s, h, &p); err != nil {
				return out, fmt.Errorf("measure profile %s on %s: %w", name, h.Title(), err)
			}
			took = append(took, time.Since(start))
		}
		row := BenchRow{Name: name, Servers: m.Servers, Tools: m.Tools, SchemaTokens: m.SchemaTokens, Gateway: m.Tokens.Gateway, Problem: p.Broken()}
		if m.Compiled {
			row.Config = &m.Tokens.Config
		}
		if o.timings {
			slices.Sort(took)
			row.Millis = float64(took[len(took)/2].Microseconds()) / 1000
		}
		out.Before, out.Unmeasured = m.Tokens.Before, m.Tokens.Unmeasured
		out.Profiles = append(out.Profiles, row)
	}
	f.IO.Step("")
	return out, nil
}

func (o *benchOptions) times() int {
	if o.timings {
		return rounds
	}
	return 1
}

// ours refuses a file that is there, says something, and was written by no bench.
func ours(path string) error {
	raw, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return cmdutil.Fail("name another file with --output", "write the measurements: %w", err)
	}
	var head struct{ Schema, Command string }
	if len(raw) > 0 && (json.Unmarshal(raw, &head) != nil || head.Schema != "ctx."+noun+"/v1" || head.Command != benchCommand) {
		return cmdutil.Fail("remove it, or name another file with --output", "%s is there and is no measurement of ours: it is left as it is", path)
	}
	return nil
}

// write writes what --json prints.
func (b Bench) write(f *cmdutil.Factory) error {
	var out bytes.Buffer
	io, printer := *f.IO, *f
	io.Out, printer.IO, printer.JSON = &out, &io, true
	if err := printer.Print(noun, b, nil); err != nil {
		return err
	}
	if err := file.Write(b.file, out.Bytes(), 0o600); err != nil {
		return cmdutil.Fail("name another file with --output", "write the measurements: %w", err)
	}
	return nil
}

func (b Bench) print(s *iostreams.Streams) {
	for _, h := range b.Hosts {
		fmt.Fprintf(s.Out, "%s: servers %d, tools %d, tokens in every request %d (%s)\n", s.Bold(iostreams.Clean(h.Title)), h.Servers, h.Tools, h.Before, b.Tokenizer)
		heads := []string{"PROFILE", ">SERVERS", ">TOOLS", ">SCHEMA", ">COMPILED", ">GATEWAY", ">SAVED"}
		if slices.ContainsFunc(h.Profiles, func(r BenchRow) bool { return r.Millis > 0 }) {
			heads = append(heads, ">MS")
		}
		t := iostreams.NewTable(heads...)
		for _, r := range h.Profiles {
			config, least := "-", r.Gateway
			if r.Config != nil {
				config, least = fmt.Sprint(*r.Config), min(least, *r.Config)
			}
			cells := []any{r.Name, r.Servers, r.Tools, r.SchemaTokens, config, r.Gateway, share(h.Before-least, h.Before)}
			if len(heads) > len(cells) {
				cells = append(cells, fmt.Sprintf("%.1f", r.Millis))
			}
			t.Row(cells...)
		}
		t.Write(s)
		for _, r := range h.Profiles {
			if r.Problem != "" {
				fmt.Fprintf(s.Err, "warning: %s\n", iostreams.Clean(r.Problem))
			}
		}
		if len(h.Unmeasured) > 0 {
			fmt.Fprintf(s.Out, "  %s never listed, so not counted (--probe-mcp asks them): %s\n", s.Yellow("note:"), iostreams.Clean(strings.Join(h.Unmeasured, ", ")))
		}
	}
	if b.file != "" {
		fmt.Fprintf(s.Out, "Written: %s\n", iostreams.Clean(b.file))
	}
}

// share is a part of a whole in percent, "-" of nothing.
func share(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(whole))
}

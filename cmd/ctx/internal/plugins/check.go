package plugins

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Checked is what ctx plugins check --json prints.
type Checked struct {
	Path   string  `json:"path"`
	Name   string  `json:"name"`
	OK     bool    `json:"ok"`
	Checks []Tried `json:"checks"`
}

// Tried is one thing that was asked of the adapter.
type Tried struct {
	Name    string `json:"name"`
	Problem string `json:"problem,omitempty"` // "" when it went well
}

// checkTime bounds everything that is asked of the adapter.
const checkTime = 30 * time.Second

func newCheck(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "check PATH",
		Short: "Try an adapter without trusting it for good",
		Long: `Try an adapter: start it once, in a home of its own with nothing in it, and ask it
what ctx asks of every adapter. Package plugins/plugintest checks more, from a Go
test. The adapter is run, so check only one that you would run yourself.`,
		Example: "  ctx plugins check ./ctx-host-acme",
		Args:    cmdutil.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
				return cmdutil.NotThere("give its path; those of installed adapters: ctx plugins list", "%s is no executable file", path)
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), checkTime)
			defer cancel()
			c, err := check(ctx, path)
			if err != nil {
				return err
			}
			if err := f.Print("plugins-check", c, c.print); err != nil || c.OK {
				return err
			}
			return cmdutil.Fail("plugins/plugintest says more, from a Go test", "%s does not keep the contract", path)
		},
	}
}

// trial is an adapter under test.
type trial struct {
	ctx     context.Context
	adapter *plugins.Client
	about   plugins.Description
	machine plugins.Machine
	dir     string // the workspace
	tried   []Tried
}

func check(ctx context.Context, path string) (Checked, error) {
	dir, err := os.MkdirTemp("", "ctx-check-")
	if err != nil {
		return Checked{}, err
	}
	defer os.RemoveAll(dir)
	t := &trial{ctx: ctx, dir: filepath.Join(dir, "workspace"), machine: plugins.Machine{Home: filepath.Join(dir, "home")}}
	t.machine.Env = []string{"HOME=" + t.machine.Home, "PATH="}
	for _, d := range []string{t.dir, t.machine.Home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return Checked{}, err
		}
	}
	c := Checked{Path: path}
	t.adapter, err = plugins.OpenPath(ctx, path, plugins.Options{Env: t.machine.Env})
	t.note("starts", err)
	if err == nil {
		defer t.adapter.Close()
		t.about, err = t.adapter.Describe(ctx)
		t.note("describes itself", err)
		t.events()
		t.sources()
		t.wrap()
		t.note("leaves the home as it is", t.untouched())
	}
	c.Name, c.Checks, c.OK = t.about.Name, t.tried, true
	for _, x := range c.Checks {
		c.OK = c.OK && x.Problem == ""
	}
	return c, nil
}

func (t *trial) note(what string, err error) {
	x := Tried{Name: what}
	if err != nil {
		x.Problem = err.Error()
	}
	t.tried = append(t.tried, x)
}

// events decodes every sample and encodes two answers to each.
func (t *trial) events() {
	for _, spec := range t.about.Events {
		t.note("takes the event "+spec.Name, t.event(spec))
	}
}

func (t *trial) event(spec plugins.EventSpec) error {
	if len(spec.Sample) == 0 {
		return fmt.Errorf("it has no recorded sample")
	}
	payload := spec.In(t.dir)
	ev, err := t.adapter.Decode(t.ctx, plugins.RawEvent{Name: spec.Name, Payload: payload, Dir: t.dir, Machine: t.machine})
	if err != nil {
		return err
	}
	if ev.Kind != event.Other && ev.Session == "" {
		return fmt.Errorf("its own sample has no session")
	}
	for _, reply := range []event.Reply{{}, {Context: "a fact"}} {
		out, err := t.adapter.Encode(t.ctx, ev, reply)
		if err != nil {
			return err
		}
		if len(out) > 0 && !json.Valid(out) {
			return fmt.Errorf("its answer is not one JSON document: %.100q", out)
		}
	}
	if _, err := t.adapter.Decode(t.ctx, plugins.RawEvent{Name: spec.Name, Payload: []byte("no event"), Dir: t.dir, Machine: t.machine}); err == nil {
		return fmt.Errorf("it takes bytes that are no event for one")
	}
	return nil
}

func (t *trial) sources() {
	d, err := t.adapter.Detect(t.ctx, t.machine)
	if err == nil && d.Installed {
		err = fmt.Errorf("it finds its host in a home that is empty")
	}
	t.note("detects its host", err)
	s, err := t.adapter.Sources(t.ctx, plugins.SourcesRequest{Machine: t.machine, Workspace: t.dir})
	if err == nil && len(s.Servers) > 0 {
		err = fmt.Errorf("it reads %d servers where there are none", len(s.Servers))
	}
	t.note("reads what its host loads", err)
}

// wrap plans the same wrap twice.
func (t *trial) wrap() {
	req := plugins.WrapRequest{
		Machine: t.machine, Workspace: t.dir, Scope: surface.ScopeProject, Gateway: true,
		Hook: "/usr/local/bin/ctx-hook", GatewayBin: "/usr/local/bin/ctx-gateway",
	}
	first, err := t.adapter.PlanWrap(t.ctx, req)
	if err == nil {
		var second plugins.WrapPlan
		second, err = t.adapter.PlanWrap(t.ctx, req)
		if err == nil && !reflect.DeepEqual(first, second) {
			err = fmt.Errorf("the same request is answered in two ways")
		}
	}
	for _, e := range first.Edits {
		if err == nil && !filepath.IsAbs(e.Path) {
			err = fmt.Errorf("the edit of %s needs an absolute path", e.Path)
		}
	}
	t.note("plans a wrap", err)
}

// untouched reports a file that the adapter wrote.
func (t *trial) untouched() error {
	for _, dir := range []string{t.machine.Home, t.dir} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			return fmt.Errorf("it wrote %s", filepath.Join(dir, entries[0].Name()))
		}
	}
	return nil
}

func (c Checked) print(s *iostreams.Streams) {
	for _, x := range c.Checks {
		if x.Problem == "" {
			fmt.Fprintf(s.Out, "  %s    %s\n", s.Green("ok"), iostreams.Clean(x.Name))
		} else {
			fmt.Fprintf(s.Out, "  %s  %s: %s\n", s.Red("fail"), iostreams.Clean(x.Name), iostreams.Clean(x.Problem))
		}
	}
}

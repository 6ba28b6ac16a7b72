package gateway

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// under makes a session work under a built-in profile.
func under(t *testing.T, name string) func(*Options, *Rules, *fakeBackends) {
	t.Helper()
	p, err := profile.Find(config.Surface{}, name)
	if err != nil {
		t.Fatal(err)
	}
	return func(_ *Options, r *Rules, _ *fakeBackends) {
		r.Gate = gate.New(surface.Sources{Servers: r.Servers}).Under(&p)
	}
}

// Fault 16 of the predecessor: the profile ended where the gateway began.
func TestAProfileHoldsForEveryToolBehindTheGateway(t *testing.T) {
	t.Parallel()
	for name, adjust := range map[string]func(*Options, *Rules, *fakeBackends){
		"kernel":     func(o *Options, _ *Rules, _ *fakeBackends) {},
		"narrow":     func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.Mode = "narrow" },
		"reveal":     func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.Mode = "reveal" },
		"everything": func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.NarrowAbove = 99 },
		"legacy":     func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Discovery.Legacy = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers := map[string][]string{"fs": {readText, writeFile}, "memory": {readGraph, deleteAll}, "pay": {`{"name":"list_invoices","description":"List invoices","inputSchema":{"type":"object"}}`}}
			b := serve(t, servers, adjust, under(t, "read-only"))
			said := string(b.initialize(`{}`)) + string(b.must("tools/list", ""))
			for _, query := range []string{"write a file", "write_file", "delete_all", "list invoices"} {
				r := b.call(toolSearch, `{"query":"`+query+`","limit":20}`)
				said += r.text() + string(encode(r))
			}
			if name == "narrow" || name == "reveal" {
				said += b.call(surfaceTool, `{"action":"index"}`).text()
				said += strings.ReplaceAll(b.call(surfaceTool, `{"action":"reveal","family":"memory"}`).text(), "read_graph", "")
				said += string(b.must("tools/list", ""))
			}
			for _, word := range []string{"write_file", "delete_all", "Delete everything", "overwrite", "list_invoices"} {
				if strings.Contains(said, word) {
					t.Errorf("%q is shown", word)
				}
			}
			if strings.Contains(said, `"pay`) || strings.Contains(said, "\npay") {
				t.Error("a server of which nothing is kept has a name")
			}
			for _, id := range []string{"fs:write_file", "mcp__memory__delete_all", "list_invoices"} {
				r := b.call(callToolWrite, `{"tool":"`+id+`"}`)
				if !r.IsError || !strings.Contains(r.text(), "is left out") || !strings.Contains(r.text(), "profile read-only") || !strings.Contains(r.text(), "ctx wrap setup --gateway --profile") {
					t.Errorf("%s: %s", id, r.text())
				}
			}
			if r := b.call(describeTool, `{"tools":["fs:write_file"]}`); !strings.Contains(r.text(), `"unknown":["fs:write_file"]`) || !strings.Contains(r.text(), "profile read-only") || strings.Contains(r.text(), "overwrite") {
				t.Errorf("described: %s", r.text())
			}
			if r := b.call(callTool, `{"tool":"fs:read_text_file"}`); r.IsError {
				t.Errorf("what the profile keeps does not run: %s", r.text())
			}
			for _, call := range b.backends.seen() {
				if strings.Contains(call, "write_file") || strings.Contains(call, "delete_all") || strings.HasPrefix(call, "pay ") {
					t.Errorf("run: %s", call)
				}
			}
		})
	}
}

func TestAToolThatTheUserDeniesIsNotSaidToBeLeftOutByTheProfile(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers, under(t, "read-only"))
	b.initialize(`{}`)
	p := b.policy.Rules(context.Background()).Gate.Profile()
	b.policy.deny("fs", "write_file")
	rules := *b.policy.Rules(context.Background())
	rules.Gate = rules.Gate.Under(p)
	b.policy.set(&rules)
	if r := b.call(callToolWrite, `{"tool":"fs:write_file"}`); !r.IsError || strings.Contains(r.text(), "left out") {
		t.Errorf("%s", r.text())
	}
}

// A tool may come to do more while it is behind the gateway.
func TestAProfileHoldsForWhatAToolBecomes(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"fs": {readText}}, under(t, "read-only"))
	b.initialize(`{}`)
	if r := b.call(callTool, `{"tool":"fs:read_text_file"}`); r.IsError {
		t.Fatal(r.text())
	}
	b.backends.set(list("fs", strings.Replace(readText, "Read the complete contents", "Delete the complete contents", 1)))
	if r := b.call(callToolWrite, `{"tool":"fs:read_text_file"}`); !r.IsError || !strings.Contains(r.text(), "is left out") {
		t.Errorf("%s", r.text())
	}
}

func TestTheProfileOfTheWrapIsInForceAndFollowed(t *testing.T) {
	t.Parallel()
	s := declared("fs", "a")
	w := wrap(t, s)
	w.approve(s)
	settings := filepath.Join(w.Workspace, "ctx.toml")
	w.Settings = func() (config.Surface, []string) {
		c, _ := config.Load(w.Layout, w.Workspace, nil)
		return c.Surface, config.Files(w.Layout, w.Workspace)
	}
	tool := listing.Tool{Server: "fs", Name: "write_file", Raw: []byte(writeFile)}
	shows := func() bool { return w.Rules(context.Background()).Gate.Shows(tool) }
	if !shows() {
		t.Error("without a profile a tool is left out")
	}
	under := func(name string) {
		t.Helper()
		rec, _, err := w.Wraps.Record(w.Workspace)
		if err != nil {
			t.Fatal(err)
		}
		rec.Hosts[0].Profile = name
		if err := w.Wraps.PutHosts(rec.Workspace, rec.Hosts...); err != nil {
			t.Fatal(err)
		}
	}
	under("read-only")
	if shows() {
		t.Error("the profile of the wrap is not in force")
	}
	under("full")
	if !shows() {
		t.Error("another wrap is not followed")
	}
	if err := os.WriteFile(settings, []byte("surface.default_profile = \"read-only\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if shows() {
		t.Error("the workspace's default does not narrow")
	}
	if err := os.WriteFile(settings, []byte("[surface]\ndefault_profile = \"read-onyl\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := w.Rules(context.Background())
	if shows() || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], `there is no profile "read-onyl"`) {
		t.Errorf("one that is not there: %q", r.Warnings)
	}
	if w.Wraps.Profile(w.Workspace, "testhost") != "full" || w.Wraps.Profile(w.Workspace, "other") != "" {
		t.Error("the record is read wrongly")
	}
}

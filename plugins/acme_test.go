package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// acme copies the example adapter out of the repository and returns the go command
// in its folder, with nothing but the module cache to build from.
func acme(t *testing.T) (goCommand func(args ...string)) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("testdata/ctx-host-acme")); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), string(sums), 0o644)
	goCommand = func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		switch {
		case err == nil:
		case bytes.Contains(out, []byte("module lookup disabled by GOPROXY=off")):
			t.Skipf("the module cache lacks what the example needs: %s", out)
		default:
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	goCommand("mod", "edit", "-replace", "github.com/ctx-sidecar/ctx="+root)
	return goCommand
}

// TestAnAdapterFromElsewhere drives the example as a user would meet it: built
// outside this repository, dropped into a folder, refused, trusted, used.
func TestAnAdapterFromElsewhere(t *testing.T) {
	t.Parallel()
	goCommand := acme(t)
	l, env := home(t)
	plugin := filepath.Join(l.Data, "plugins", "ctx-host-acme")
	goCommand("build", "-o", plugin, ".")

	var untrusted *UntrustedError
	if _, err := OpenHost(t.Context(), l, env, "acme"); !errors.As(err, &untrusted) {
		t.Fatalf("before it is trusted: %v", err)
	}
	f := untrusted.Found
	if err := trust.Open(l.Trust()).PinPlugin(f.Name, f.Path, f.SHA256); err != nil {
		t.Fatal(err)
	}
	c, err := OpenHostWith(t.Context(), l, "acme", Options{Env: env, StartTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)

	m := Machine{Home: l.Home, Env: env}
	config := write(t, filepath.Join(l.Home, ".acme", "config.json"), `{"servers": {"files": {"run": ["npx", "files"]}}}`, 0o644)
	if d, err := c.Detect(t.Context(), m); err != nil || !d.Installed || d.Config != filepath.Dir(config) {
		t.Errorf("Detect = %+v, %v", d, err)
	}
	ev, err := c.Decode(t.Context(), RawEvent{Name: "start", Payload: []byte(`{"on": "start", "chat": "c", "folder": "/w"}`), Machine: m})
	if err != nil || ev.Kind != event.SessionStart || ev.Session != "c" || ev.Dir != "/w" {
		t.Errorf("Decode = %+v, %v", ev, err)
	}
	out, err := c.Encode(t.Context(), ev, event.Reply{Context: "hello"})
	if err != nil || string(out) != `{"tell":"hello"}` {
		t.Errorf("Encode = %s, %v", out, err)
	}
	src, err := c.Sources(t.Context(), SourcesRequest{Machine: m, Workspace: "/w"})
	if err != nil || len(src.Servers) != 1 || src.Servers[0].Command != "npx" || src.Servers[0].ApprovedBy.File != config {
		t.Errorf("Sources = %+v, %v", src, err)
	}
	plan, err := c.PlanWrap(t.Context(), WrapRequest{Machine: m, Workspace: "/w", Gateway: true, Front: []string{"files"}, Hook: "/h", GatewayBin: "/g"})
	if err != nil || len(plan.Edits) != 1 || plan.Edits[0].Path != config || len(plan.Edits[0].Ops) != 5 {
		t.Errorf("PlanWrap = %+v, %v", plan, err)
	}
	compiled, err := c.Compile(t.Context(), CompileRequest{Machine: m, Servers: src.Servers, Dir: "/w/.ctx-surface"})
	if err != nil || len(compiled.Files) != 1 || !json.Valid(compiled.Files[0].Content) {
		t.Errorf("Compile = %+v, %v", compiled, err)
	}
	_, err = c.Decode(t.Context(), RawEvent{Name: "start", Payload: []byte(`{"on": `)})
	if err == nil || !strings.Contains(err.Error(), "adapter acme: decode start: acme event: unexpected end") {
		t.Errorf("an event cut short: %v", err)
	}

	// Its own tests are those of the kit, run from its own module.
	goCommand("test", "-count=1", ".")
}

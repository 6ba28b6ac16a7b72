package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

var update = flag.Bool("update", false, "rewrite the want files in testdata")

// TestSources reads whole homes and workspaces. A fixture's comment may hold
// "env: KEY=VALUE", "dir: FOLDER" (where the session starts) and "fronted: NAME"
// lines; its files lie under home, workspace and managed; want is the outcome.
func TestSources(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/sources/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			fixture, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f := unpack(t, fixture)
			s, err := f.adapter.Sources(t.Context(), f.request)
			if err != nil {
				t.Fatal(err)
			}
			got := f.anonymous(describe(s))
			if *update {
				rewrite(t, file, fixture, got)
				return
			}
			if diff := cmp.Diff(f.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// fixture is a home and a workspace on disk.
type fixture struct {
	root    string
	adapter *adapter
	request plugins.SourcesRequest
	want    string
}

func (f fixture) home() string { return filepath.Join(f.root, "home") }
func (f fixture) ws() string   { return filepath.Join(f.root, "workspace") }

// replace puts the machine's paths into a text.
func (f fixture) replace(s string) string {
	return strings.NewReplacer("{{WS}}", f.ws(), "{{HOME}}", f.home(), "{{ROOT}}", f.root).Replace(s)
}

// anonymous takes the machine's paths out of a text.
func (f fixture) anonymous(s string) string {
	return strings.NewReplacer(f.ws(), "WS", f.home(), "HOME", f.root, "ROOT").Replace(s)
}

func unpack(t testing.TB, a *txtar.Archive) fixture {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{root: root, adapter: &adapter{managed: filepath.Join(root, "managed")}}
	for _, dir := range []string{f.home(), f.ws()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range a.Files {
		if file.Name == "want" {
			f.want = string(file.Data)
			continue
		}
		write(t, filepath.Join(root, file.Name), f.replace(string(file.Data)))
	}
	f.request = plugins.SourcesRequest{
		Machine:   plugins.Machine{Home: f.home()},
		Workspace: f.ws(),
	}
	for line := range strings.Lines(string(a.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "env":
			f.request.Machine.Env = append(f.request.Machine.Env, f.replace(value))
		case "dir":
			f.request.Dir = filepath.Join(root, value)
		case "fronted":
			f.request.Fronted = append(f.request.Fronted, value)
		}
	}
	return f
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rewrite(t *testing.T, file string, a *txtar.Archive, want string) {
	t.Helper()
	kept := a.Files[:0]
	for _, f := range a.Files {
		if f.Name != "want" {
			kept = append(kept, f)
		}
	}
	a.Files = append(kept, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// describe puts Sources into lines that a person can check.
func describe(s surface.Sources) string {
	var b strings.Builder
	for _, srv := range s.Servers {
		fmt.Fprintf(&b, "server %s (%s, %s) %s\n", srv.Name, srv.Scope, srv.Transport, place(&srv.Place))
		detail := func(label, value string) {
			if value != "" {
				fmt.Fprintf(&b, "  %s %s\n", label, value)
			}
		}
		detail("runs", strings.TrimSpace(srv.Command+" "+strings.Join(srv.Args, " ")))
		detail("url", srv.URL)
		for _, m := range []map[string]string{srv.Env, srv.Headers} {
			if len(m) > 0 {
				detail("with", fmt.Sprint(m))
			}
		}
		detail("headers from", srv.HeadersCmd)
		if srv.StartTimeout+srv.CallTimeout > 0 {
			detail("timeouts", fmt.Sprint(srv.StartTimeout, " ", srv.CallTimeout))
		}
		detail("disabled by", place(srv.DisabledBy))
		detail("approved by", place(srv.ApprovedBy))
		detail("direct:", srv.Direct)
		if srv.Own {
			detail("is", "ours")
		}
		if srv.Eager {
			detail("is", "eager")
		}
	}
	for _, r := range s.Rules {
		fmt.Fprintf(&b, "%s %s / %s (%s) %s\n", r.Effect, r.Server, r.Tool, r.Text, place(&r.Place))
	}
	for _, i := range s.Items {
		fmt.Fprintf(&b, "%s %s (%s) resident %d, on demand %d\n", i.Kind, i.Name, i.Provider, i.Resident, i.OnDemand)
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "warning %s\n", w)
	}
	for _, u := range s.Unseen[2:] { // the first two are always there
		fmt.Fprintf(&b, "unseen %s\n", u)
	}
	fmt.Fprintf(&b, "loading %s\n", s.Loading)
	return b.String()
}

func place(p *surface.Place) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// archive is a fixture of NAME, CONTENT pairs.
func archive(pairs ...string) *txtar.Archive {
	a := new(txtar.Archive)
	for i := 0; i < len(pairs); i += 2 {
		a.Files = append(a.Files, txtar.File{Name: pairs[i], Data: []byte(pairs[i+1])})
	}
	return a
}

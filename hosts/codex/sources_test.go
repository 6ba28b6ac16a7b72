package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

var update = flag.Bool("update", false, "write what came out into the fixtures")

// Each fixture is a whole home and workspace, what is asked for (in args, one
// word a line: dir=, fronted=), and what must come out (want.json). $DIR stands
// for the folder that it was unpacked to.
func TestSourcesOfWholeHomes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/sources/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			f := unpack(t, file)
			got, err := f.adapter().Sources(context.Background(), plugins.SourcesRequest{
				Machine:   f.machine(),
				Workspace: filepath.Join(f.dir, "ws"),
				Dir:       f.dirArg("dir"),
				Fronted:   f.args["fronted"],
			})
			if err != nil {
				t.Fatal(err)
			}
			f.compare(t, "want.json", struct {
				Servers  []surface.Server `json:"servers"`
				Items    []surface.Item   `json:"items,omitempty"`
				Loading  surface.Loading  `json:"loading"`
				Warnings []string         `json:"warnings,omitempty"`
			}{got.Servers, got.Items, got.Loading, got.Warnings})
		})
	}
}

// fixture is an unpacked txtar archive.
type fixture struct {
	file string
	dir  string
	args map[string][]string
	data *txtar.Archive
}

func unpack(t *testing.T, file string) *fixture {
	t.Helper()
	data, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{file: file, dir: dir, args: map[string][]string{}, data: data}
	for _, part := range data.Files {
		text := f.inside(string(part.Data))
		if part.Name == "args" {
			for _, word := range strings.Fields(text) {
				key, value, _ := strings.Cut(word, "=")
				f.args[key] = append(f.args[key], value)
			}
			continue
		}
		if part.Name == "want.json" {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(part.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "ws"), 0o755); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) inside(text string) string {
	return strings.NewReplacer("$DIR", f.dir, "\\r", "\r", "\\ufeff", "\ufeff").Replace(text)
}

func (f *fixture) adapter() adapter { return adapter{system: filepath.Join(f.dir, "etc")} }

func (f *fixture) machine() plugins.Machine {
	return plugins.Machine{Home: filepath.Join(f.dir, "home"), Env: f.args["env"]}
}

func (f *fixture) dirArg(key string) string {
	if v := f.args[key]; len(v) > 0 {
		return filepath.Join(f.dir, v[0])
	}
	return ""
}

func (f *fixture) compare(t *testing.T, part string, got any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(got); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(b.String(), f.dir, "$DIR")
	for i, p := range f.data.Files {
		if p.Name != part {
			continue
		}
		if *update {
			f.data.Files[i].Data = []byte(text)
			if err := os.WriteFile(f.file, txtar.Format(f.data), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		if diff := cmp.Diff(string(p.Data), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", part, diff)
		}
		return
	}
	t.Fatalf("%s has no %s", f.file, part)
}

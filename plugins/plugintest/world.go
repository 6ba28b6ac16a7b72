package plugintest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/plugins"
)

// world is one machine: a home and a workspace in it.
type world struct {
	name      string
	root      string
	machine   plugins.Machine
	workspace string
}

// worlds are the fixtures and a machine with nothing on it, each made anew.
func (k *kit) worlds() []world {
	out := []world{k.world("nothing", nil)}
	for _, name := range slices.Sorted(maps.Keys(k.config.Fixtures)) {
		out = append(out, k.world(name, k.config.Fixtures[name]))
	}
	return out
}

func (k *kit) world(name string, fixture fs.FS) world {
	k.t.Helper()
	root := paths.Real(k.t.TempDir())
	w := world{name: name, root: root, workspace: filepath.Join(root, "workspace")}
	w.machine = plugins.Machine{
		Home: filepath.Join(root, "home"),
		// A PATH on which no host is, so that none is run.
		Env: []string{"HOME=" + filepath.Join(root, "home"), "PATH=" + filepath.Join(root, "bin")},
	}
	for _, dir := range []string{w.machine.Home, w.workspace} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			k.t.Fatal(err)
		}
	}
	if fixture == nil {
		return w
	}
	err := fs.WalkDir(fixture, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if top, _, _ := strings.Cut(path, "/"); top != "home" && top != "workspace" {
			return fmt.Errorf("%s: a fixture holds the folders home and workspace", path)
		}
		b, err := fs.ReadFile(fixture, path)
		if err != nil {
			return err
		}
		to := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, w.fill(b), 0o644)
	})
	if err != nil {
		k.t.Fatalf("fixture %s: %v", name, err)
	}
	return w
}

// fill puts the workspace where a sample leaves its place, as text within JSON.
func (w world) fill(sample []byte) []byte { return plugins.EventSpec{Sample: sample}.In(w.workspace) }

func (w world) event(spec plugins.EventSpec) plugins.RawEvent {
	return plugins.RawEvent{Name: spec.Name, Payload: w.fill(spec.Sample), Dir: w.workspace, Machine: w.machine}
}

func (w world) sources(fronted ...string) plugins.SourcesRequest {
	return plugins.SourcesRequest{Machine: w.machine, Workspace: w.workspace, Fronted: fronted}
}

// tree is every file, folder and link below the root, each with what it holds.
func (w world) tree() (map[string]string, error) {
	tree := map[string]string{}
	err := filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += fmt.Sprintf(" %x", sha256.Sum256(b))
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " -> " + to
		}
		rel, err := filepath.Rel(w.root, path)
		tree[rel] = what
		return err
	})
	return tree, err
}

// unchanged runs do and reports every file that it changed.
func (k *kit) unchanged(w world, what string, do func()) {
	k.t.Helper()
	before, err := w.tree()
	if err != nil {
		k.t.Fatal(err)
	}
	do()
	k.compare(w, what, before)
}

func (k *kit) compare(w world, what string, before map[string]string) {
	k.t.Helper()
	after, err := w.tree()
	if err != nil {
		k.t.Fatal(err)
	}
	for path, was := range before {
		if is, ok := after[path]; !ok {
			k.fail("%s: %s removes %s", w.name, what, path)
		} else if is != was {
			k.fail("%s: %s changes %s", w.name, what, path)
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			k.fail("%s: %s leaves %s", w.name, what, path)
		}
	}
}

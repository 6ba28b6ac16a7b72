package activate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// installed is a shared folder with the default model in it, its weights by
// link.
func installed(t *testing.T) (share, bundle string) {
	t.Helper()
	share = t.TempDir()
	bundle = filepath.Join(share, "models", embed.DefaultModel)
	if err := os.MkdirAll(bundle, 0o700); err != nil {
		t.Fatal(err)
	}
	from, err := filepath.Abs(defaultBundle)
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Symlink(filepath.Join(from, f.Name()), filepath.Join(bundle, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return share, bundle
}

func TestWhatIsMissingIsSaidAndWordsTakeOver(t *testing.T) {
	t.Parallel()
	broken := func(t *testing.T, content string) string {
		share, bundle := installed(t)
		path := filepath.Join(bundle, ScorerFile)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if content != "" {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return share
	}
	whole, _ := installed(t)
	for name, c := range map[string]struct {
		source Source
		want   string
	}{
		"no model":          {Source{Share: []string{t.TempDir()}}, embed.ErrNoModel.Error()},
		"no such model":     {Source{Share: []string{whole}, Model: "other"}, `"other"`},
		"no library":        {Source{Share: []string{whole}}, embed.ErrNoLibrary.Error()},
		"named library":     {Source{Share: []string{whole}, Library: "/not/there.so"}, "/not/there.so"},
		"no scorer":         {Source{Share: []string{broken(t, "")}}, ScorerFile},
		"damaged scorer":    {Source{Share: []string{broken(t, "{")}}, ScorerFile},
		"foreign scorer":    {Source{Share: []string{broken(t, `{"schema":"ctx.scorer/v9"}`)}}, "ctx.scorer/v9"},
		"no joint network":  {Source{Share: []string{withoutJoint(t)}}, "joint network"},
		"scorer of another": {Source{Share: []string{broken(t, string(otherModels(t)))}}, `"other-model"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, degraded := Load(c.source)
			if err := embed.Supported(); err != nil {
				c.want = err.Error()
			}
			if degraded == nil || !strings.Contains(degraded.Error(), c.want) {
				t.Errorf("said: %v; want %s", degraded, c.want)
			}
			if r.Ranker() != "lexical" {
				t.Errorf("ranker %s", r.Ranker())
			}
			if d := decide(t, r, Request{Prompt: "cancel an order"}); d.Scores[0].Name != "orders" {
				t.Errorf("%+v", d)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// withoutJoint is a shared folder whose model has lost its joint network, which
// its scorer counts on.
func withoutJoint(t *testing.T) string {
	t.Helper()
	share, bundle := installed(t)
	path := filepath.Join(bundle, embed.BundleFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(raw, []byte(`"joint": "joint.onnx"`), []byte(`"joint": ""`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return share
}

// otherModels is the default scorer under another model's name.
func otherModels(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile(defaultBundle + "/" + ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.Replace(string(raw), embed.DefaultModel, "other-model", 1))
}

func TestVectorsThatCannotBeKeptAreAProblemAndNoMore(t *testing.T) {
	t.Parallel()
	s, err := ReadScorer(defaultBundle + "/" + ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := New(s, hashing{dims: 384}, filepath.Join(file, "cache"))
	if err == nil {
		t.Error("a cache below a file is no error")
	}
	if d := decide(t, r, Request{Prompt: "cancel an order"}); len(d.Scores) == 0 || r.Problem() == nil {
		t.Errorf("%d scores, problem %v", len(d.Scores), r.Problem())
	}
}

func TestAnInstalledModelIsUsedAndItsVectorsAreKept(t *testing.T) {
	lib := os.Getenv(embed.LibraryVariable)
	if lib == "" {
		t.Skip(embed.LibraryVariable + " names no ONNX Runtime library")
	}
	share, _ := installed(t)
	cache := t.TempDir()
	source := Source{Env: []string{embed.LibraryVariable + "=" + lib}, Share: []string{share}, CacheDir: cache}
	var first Decision
	for round := range 2 {
		r, degraded := Load(source)
		if errors.Is(degraded, embed.ErrNoRuntime) {
			t.Skip(degraded)
		}
		if degraded != nil || r.Ranker() != embed.DefaultModel {
			t.Fatalf("ranker %s: %v", r.Ranker(), degraded)
		}
		d := decide(t, r, Request{Prompt: "the customer wants order 4711 gone"})
		if round == 0 {
			first = d
		} else if d.None != first.None {
			t.Errorf("with kept vectors none has %v, without %v", d.None, first.None)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(cache, "*.vec")); len(found) != 1 {
		t.Errorf("kept %q", found)
	}
}

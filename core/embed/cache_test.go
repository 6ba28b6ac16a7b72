package embed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ctx-sidecar/ctx/core/file"
)

// counting is a model of two dimensions that remembers what it was asked.
type counting struct {
	mu    sync.Mutex
	asked []string
}

func (c *counting) Embed(_ context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out [][]float32
	for _, t := range texts {
		c.asked = append(c.asked, t)
		out = append(out, []float32{float32(len(t)), 1})
	}
	return out, nil
}

func (*counting) Fits(v []float32) bool { return len(v) == 2 }

func embedAll(t *testing.T, c *Cache, texts ...string) [][]float32 {
	t.Helper()
	v, err := c.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVectorsSurviveTheProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := &counting{}
	c, err := OpenCache(dir, "m1", first)
	if err != nil {
		t.Fatal(err)
	}
	want := embedAll(t, c, "a", "bb")
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	second := &counting{}
	c, err = OpenCache(dir, "m1", second)
	if err != nil {
		t.Fatal(err)
	}
	got := embedAll(t, c, "bb", "a", "ccc")
	if !slices.Equal(second.asked, []string{"ccc"}) {
		t.Errorf("the model was asked for %q again", second.asked)
	}
	if !slices.Equal(got[0], want[1]) || !slices.Equal(got[1], want[0]) || got[2][0] != 3 {
		t.Errorf("got %v, want %v turned round and a third", got, want)
	}
	if _, err := OpenCache(dir, "m2", second); err != nil {
		t.Fatal(err)
	}
}

func TestVectorsOfAnotherModelAreNotTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, _ := OpenCache(dir, "m1", &counting{})
	embedAll(t, c, "a")
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	other := &counting{}
	c, _ = OpenCache(dir, "m2", other)
	embedAll(t, c, "a")
	if len(other.asked) != 1 {
		t.Error("the second model's vector came from the first one's file")
	}
}

func TestADamagedCacheIsSetAsideAndToldOf(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"cut":      func(b []byte) []byte { return b[:len(b)-5] },
		"flipped":  func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"foreign":  func([]byte) []byte { return []byte("something else") },
		"empty":    func([]byte) []byte { return nil },
		"extended": func(b []byte) []byte { return append(b, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c, _ := OpenCache(dir, "m", &counting{})
			embedAll(t, c, "a", "b")
			if err := c.Save(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "m.vec")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(raw), 0o600); err != nil {
				t.Fatal(err)
			}
			model := &counting{}
			c, err = OpenCache(dir, "m", model)
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v; want the file named", err)
			}
			if _, err := os.Stat(path + ".bad"); err != nil {
				t.Error(err)
			}
			if embedAll(t, c, "a"); len(model.asked) != 1 {
				t.Error("a vector came out of a damaged file")
			}
		})
	}
}

func TestManyAskAtOnce(t *testing.T) {
	t.Parallel()
	c, _ := OpenCache(t.TempDir(), "m", &counting{})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if v, err := c.Embed(t.Context(), []string{"same", strings.Repeat("x", i+1)}); err != nil || v[1][0] != float32(i+1) {
				t.Errorf("%v %v", v, err)
			}
			if err := c.Save(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A cache's file is like every other one: whatever lies in its place is put
// aside, and nobody waits for it.
func TestWhatIsNoCacheHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for what, make := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"hole": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
		"vectors of another model": func(path string) error {
			foreign := &Cache{vectors: map[textHash][]float32{hashText("a"): {1, 2, 3}}}
			return os.WriteFile(path, foreign.encode(), 0o600)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "m.vec")
			if err := make(path); err != nil {
				t.Skip(err)
			}
			model := &counting{}
			c, err := OpenCache(dir, "m", model)
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v; want the file named", err)
			}
			if v := embedAll(t, c, "a"); len(model.asked) != 1 || len(v[0]) != 2 {
				t.Errorf("%v came out of it", v)
			}
			if err := c.Save(); err != nil {
				t.Errorf("nothing can be kept any more: %v", err)
			}
		})
	}
}

func TestWhatAKilledWriterLeftGoesWithTheNextSave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := filepath.Join(dir, ".m.vec.ctx-123")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := OpenCache(dir, "m", &counting{})
	embedAll(t, c, "a")
	if err := errors.Join(err, c.Save()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestABundleStaysInItsFolder(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"name":          `"name": "../../x", "model": "model.onnx"`,
		"model":         `"name": "x", "model": "../model.onnx"`,
		"absolute":      `"name": "x", "model": "/etc/passwd"`,
		"model, a pipe": `"name": "x", "model": "pipe"`,
		"no model":      `"name": "x", "model": ""`,
		"joint":         `"name": "x", "model": "model.onnx", "joint": "../model.onnx"`,
		"joint, a pipe": `"name": "x", "model": "model.onnx", "joint": "pipe"`,
		"joint, gone":   `"name": "x", "model": "model.onnx", "joint": "nothing.onnx"`,
	} {
		dir := filepath.Join(t.TempDir(), "x")
		err := errors.Join(os.Mkdir(dir, 0o700), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
			os.WriteFile(filepath.Join(dir, "model.onnx"), nil, 0o600), os.WriteFile(filepath.Join(dir, "..", "model.onnx"), nil, 0o600),
			os.WriteFile(filepath.Join(dir, BundleFile), []byte(`{"schema": "ctx.model/v1", `+text+`}`), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBundle(dir); err == nil || !strings.Contains(err.Error(), BundleFile) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// failing is a model that gives up after some texts.
type failing struct {
	counting
	after int
}

func (f *failing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(f.asked) >= f.after {
		return nil, errors.New("out of time")
	}
	return f.counting.Embed(ctx, texts)
}

func TestWhatWasMadeBeforeAFailureNeedNotBeMadeAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var texts []string
	for i := range 5 * atOnce {
		texts = append(texts, strings.Repeat("a", i+1))
	}
	for tries := range 5 {
		c, err := OpenCache(dir, "m", &failing{after: 2 * atOnce})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Embed(t.Context(), texts)
		if err := c.Save(); err != nil {
			t.Fatal(err)
		}
		if err == nil {
			if tries != 2 {
				t.Errorf("it took %d tries", tries+1)
			}
			return
		}
	}
	t.Error("it never gets on")
}

func TestAHeldLockHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := OpenCache(dir, "m", &counting{})
	if err != nil {
		t.Fatal(err)
	}
	embedAll(t, c, "a")
	var saving error
	err = file.Locked(filepath.Join(dir, "m.vec"), func() error {
		saved := make(chan error)
		go func() { saved <- c.Save() }()
		embedAll(t, c, "bb") // while it waits
		saving = <-saved
		return nil
	})
	if err != nil || saving == nil || !strings.Contains(saving.Error(), "another process") {
		t.Fatalf("%v; saving: %v", err, saving)
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	later := &counting{}
	if c, err = OpenCache(dir, "m", later); err != nil {
		t.Fatal(err)
	}
	embedAll(t, c, "a", "bb")
	if len(later.asked) > 0 {
		t.Errorf("lost: %q", later.asked)
	}
}

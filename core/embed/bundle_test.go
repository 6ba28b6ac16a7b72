package embed

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// small is a bundle of files that no network is in, with their sums.
func small(t *testing.T) (dir string, said map[string]any) {
	t.Helper()
	dir = t.TempDir()
	files := map[string]any{}
	for _, name := range []string{"model.onnx", "joint.onnx", "words.bin", "tokenizer.json", "scorer.json"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		sum, err := hashFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = sum
	}
	return dir, map[string]any{"schema": bundleSchema, "name": "small", "joint": "joint.onnx", "files": files}
}

func readSaid(t *testing.T, dir string, said map[string]any) (Bundle, error) {
	t.Helper()
	raw, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, BundleFile), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return FindBundle(dir, nil)
}

func TestABundleThatIsNotWholeIsRefusedWithAHint(t *testing.T) {
	t.Parallel()
	remove := func(name string) func(string, map[string]any) {
		return func(dir string, _ map[string]any) { _ = os.Remove(filepath.Join(dir, name)) }
	}
	cases := map[string]func(dir string, said map[string]any){
		"a pipe": func(dir string, _ map[string]any) {
			remove("words.bin")(dir, nil)
			_ = syscall.Mkfifo(filepath.Join(dir, "words.bin"), 0o600)
		},
		"a folder": func(dir string, _ map[string]any) {
			remove("words.bin")(dir, nil)
			_ = os.Mkdir(filepath.Join(dir, "words.bin"), 0o700)
		},
		"a file elsewhere":                        func(_ string, said map[string]any) { said["files"].(map[string]any)["../x"] = "0" },
		"an absolute file":                        func(_ string, said map[string]any) { said["files"].(map[string]any)["/etc/hostname"] = "0" },
		"another schema":                          func(_ string, said map[string]any) { said["schema"] = "ctx.model/v9" },
		"a name that climbs":                      func(_ string, said map[string]any) { said["name"] = "../up" },
		"pooling by guess":                        func(_ string, said map[string]any) { said["pooling"] = "max" },
		"an end that is longer than what is read": func(_ string, said map[string]any) { said["joint_tail"] = 43 },
	}
	for name, most := range map[string]int{"joint_request": mostOfRequest, "joint_card": mostOfCandidate, "joint_trigger": mostOfCandidate} {
		cases["no "+name] = func(_ string, said map[string]any) { said[name] = 0 }
		cases["more "+name+" than there is room for"] = func(_ string, said map[string]any) { said[name] = most + 1 }
	}
	for _, name := range []string{"model.onnx", "joint.onnx", "words.bin", "tokenizer.json", "scorer.json"} {
		cases["without "+name] = remove(name)
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, said := small(t)
			spoil(dir, said)
			_, err := readSaid(t, dir, said)
			var broken *BundleError
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), dir) || Hint(err) == "" {
				t.Errorf("got %v, hint %q", err, Hint(err))
			}
		})
	}
}

// Vectors and choices of one way of reading are not those of another.
func TestWhatIsReadIsAPartOfAModelsName(t *testing.T) {
	t.Parallel()
	dir, said := small(t)
	names := map[string]string{}
	for what, n := range map[string]int{"": 0, "joint_request": 84, "joint_tail": 42, "joint_card": 11, "joint_trigger": 9} {
		own := maps.Clone(said)
		if what != "" {
			own[what] = n
		}
		b, err := readSaid(t, dir, own)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := names[b.ID()]; ok {
			t.Errorf("with %q and with %q it is %s", what, other, b.ID())
		}
		names[b.ID()] = what
	}
}

func TestEveryFileOfABundleIsVerified(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"model.onnx", "joint.onnx", "words.bin", "tokenizer.json", "scorer.json"} {
		dir, said := small(t)
		b, err := readSaid(t, dir, said)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Verify(nil); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ToUpper(name)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := b.Verify(nil); err == nil || !strings.Contains(err.Error(), name) || Hint(err) == "" {
			t.Errorf("%s was altered: %v", name, err)
		}
	}
}

// Vectors are kept under the ID. A sum is not a part of a path: it is only said.
func TestAnIDIsOfAllThatMakesVectors(t *testing.T) {
	t.Parallel()
	dir, said := small(t)
	id := func(change func(said, files map[string]any)) string {
		own := maps.Clone(said)
		files := maps.Clone(said["files"].(map[string]any))
		own["files"] = files
		change(own, files)
		b, err := readSaid(t, dir, own)
		if err != nil {
			t.Fatal(err)
		}
		return b.ID()
	}
	plain := id(func(_, _ map[string]any) {})
	if got := id(func(_, files map[string]any) { files["scorer.json"] = "1" }); got != plain {
		t.Errorf("another scorer makes %s of %s", got, plain)
	}
	seen := []string{plain}
	for _, change := range []func(said, files map[string]any){
		func(_, files map[string]any) { files["model.onnx"] = "1" },
		func(_, files map[string]any) { files["joint.onnx"] = "1" },
		func(_, files map[string]any) { files["words.bin"] = "/../../../../x" },
		func(_, files map[string]any) { files["tokenizer.json"] = "1" },
		func(said, _ map[string]any) { said["model"] = "joint.onnx" },
		func(said, _ map[string]any) { said["output"] = "pooled" },
		func(said, _ map[string]any) { said["pooling"] = "cls" },
		func(said, _ map[string]any) { said["prefix"] = "query: " },
		func(said, _ map[string]any) { said["max_tokens"] = 7 },
	} {
		got := id(change)
		if slices.Contains(seen, got) || got != filepath.Base(got) {
			t.Errorf("%s after %s", got, seen)
		}
		seen = append(seen, got)
	}
}

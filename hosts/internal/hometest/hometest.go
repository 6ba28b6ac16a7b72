// Package hometest lets the tests of adapters say what comes out of a whole home
// folder. A fixture is a txtar archive: files of a home and of a workspace, the
// part "args" with words of the form key=value, and parts with what is wanted,
// whose names begin with "want". $DIR stands for the folder that a fixture was
// unpacked to, \r for a carriage return and \ufeff for a byte order mark.
package hometest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ctx-sidecar/ctx/plugins"
)

var update = flag.Bool("update", false, "write what came out into the fixtures")

// Fixture is an unpacked fixture.
type Fixture struct {
	Dir  string // where it is unpacked, without symbolic links
	Args map[string][]string

	file string
	data *txtar.Archive
}

// Each runs a subtest for each fixture that the pattern finds.
func Each(t *testing.T, pattern string, check func(*testing.T, *Fixture)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures at %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			check(t, unpack(t, file))
		})
	}
}

func unpack(t *testing.T, file string) *Fixture {
	t.Helper()
	data, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &Fixture{Dir: dir, Args: map[string][]string{}, file: file, data: data}
	in := strings.NewReplacer("$DIR", dir, "\\r", "\r", "\\ufeff", "\ufeff")
	for _, part := range data.Files {
		text := in.Replace(string(part.Data))
		switch {
		case part.Name == "args":
			for _, word := range strings.Fields(text) {
				key, value, _ := strings.Cut(word, "=")
				f.Args[key] = append(f.Args[key], value)
			}
		case !strings.HasPrefix(part.Name, "want"):
			Write(t, filepath.Join(dir, filepath.FromSlash(part.Name)), text)
		}
	}
	for _, name := range []string{f.Home(), f.Workspace()} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// Home is the home folder.
func (f *Fixture) Home() string { return filepath.Join(f.Dir, "home") }

// Workspace is the folder that a wrap belongs to.
func (f *Fixture) Workspace() string { return filepath.Join(f.Dir, "ws") }

// Machine is the machine that a fixture describes, with the words env= of its
// args as environment.
func (f *Fixture) Machine() plugins.Machine {
	return plugins.Machine{Home: f.Home(), Env: f.Args["env"]}
}

// Arg is the first word of a key, "" for none.
func (f *Fixture) Arg(key string) string {
	if words := f.Args[key]; len(words) > 0 {
		return words[0]
	}
	return ""
}

// Compare holds what came out, as indented JSON, to a part of the fixture.
func (f *Fixture) Compare(t *testing.T, part string, got any) {
	t.Helper()
	text := strings.ReplaceAll(string(JSON(t, got)), f.Dir, "$DIR")
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

// JSON is v as indented JSON.
func JSON(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Write writes a file and the folders above it.
func Write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

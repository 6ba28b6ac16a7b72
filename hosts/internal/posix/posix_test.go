package posix

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestQuoteSurvivesTheShell(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"/opt/ctx/bin/ctx-hook", "/a b/c", "it's", "$HOME/`id`/\"x\"", "", "*", "\n", "é"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: the shell made %q of it, %v", word, out, err)
		}
	}
	if got := Quote("/opt/ctx/bin/ctx-hook"); got != "/opt/ctx/bin/ctx-hook" {
		t.Errorf("a plain path became %q", got)
	}
}

func TestLookPathTakesTheFirstProgramInAnAbsoluteFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, f := range []struct {
		name string
		mode os.FileMode
	}{{"a/tool", 0o644}, {"b/tool", 0o755}, {"c/tool", 0o755}} {
		path := filepath.Join(dir, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, f.mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "d", "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	list := func(names ...string) (path string) {
		for _, n := range names {
			path += string(filepath.ListSeparator) + n
		}
		return path
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if got, want := LookPath("tool", list(".", at("d"), at("a"), at("b"), at("c"))), at("b/tool"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := LookPath("tool", list(at("a"), at("gone"))); got != "" {
		t.Errorf("found %q", got)
	}
}

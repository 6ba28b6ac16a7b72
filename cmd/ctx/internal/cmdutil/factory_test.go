package cmdutil

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// What a killed wrap left is put back by whoever holds the lock of the user's own
// records, never from a copy of them.
func TestScratchTakesNoUnfinishedChangeAlong(t *testing.T) {
	home := t.TempDir()
	f := &Factory{Env: []string{"HOME=" + home}}
	wraps := f.Layout().Wraps()
	if err := os.MkdirAll(wraps, 0o700); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(home, "settings.json")
	if err := os.WriteFile(settings, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	// "bWluZQ==" is mine, "aGFsZg==" is half.
	pending := `{"schema":"ctx.wrap.pending/v1","steps":[{"path":"` + settings + `","target":"` + settings +
		`","before":{"bytes":"bWluZQ==","mode":384},"after":{"bytes":"aGFsZg==","mode":384},"journal":"` + filepath.Join(wraps, "files", "x.json") + `"}]}`
	if err := os.WriteFile(filepath.Join(wraps, "pending.json"), []byte(pending), 0o600); err != nil {
		t.Fatal(err)
	}
	scratch, done, err := f.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, l := range []paths.Layout{f.Layout(), scratch.Layout()} {
		if _, err := os.Stat(filepath.Join(l.Wraps(), "pending.json")); err == nil {
			t.Errorf("still pending in %s", l.Wraps())
		}
	}
	if b, err := os.ReadFile(settings); err != nil || string(b) != "mine" {
		t.Errorf("the settings are %q, %v", b, err)
	}
	// Another program begins to write by now.
	if err := os.WriteFile(settings, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := wiring.Open(scratch.Layout().Wraps()).Plan(wiring.Owner{Workspace: home, Host: "acme"}, nil); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(settings); err != nil || string(b) != "half" {
		t.Errorf("a plan on the copy has made the settings %q, %v", b, err)
	}
}

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// buildAcme builds the example adapter outside of the repository, as its author
// would.
func buildAcme(t *testing.T, to string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "plugins/testdata/ctx-host-acme"))); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"mod", "edit", "-replace", "github.com/ctx-sidecar/ctx=" + root},
		{"build", "-mod=mod", "-o", to, "."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, out)
		}
	}
}

// An adapter for a host that does not exist, in a module of its own, is put
// into the plugins folder: that is all it takes.
func TestAdapterOfSomeoneElsesIsDroppedIn(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	plugin := filepath.Join(u.home, ".local/share/ctx/plugins/ctx-host-acme")
	if err := os.MkdirAll(filepath.Dir(plugin), 0o755); err != nil {
		t.Fatal(err)
	}
	buildAcme(t, plugin)
	dir := u.workspace("w", nil)
	config := u.write(".acme/config.json", "{\n\t\"scale\": 1.0e3,\r\n\t\"servers\": {\"a\": {\"run\": [\""+stub+"\", \"--mark\", \""+dir+"/MARK-a\"]}}\n}\n", u.home)
	before := u.read(config)

	r := u.tryCtx(dir, "wrap", "setup", "--gateway", "--host", "acme", "--yes")
	if r.code != 3 || !strings.Contains(r.err, "ctx plugins trust acme") {
		t.Fatalf("an adapter that nobody trusts: exit %d: %s", r.code, r.err)
	}
	u.ctx(dir, "plugins", "check", plugin)
	u.ctx(dir, "plugins", "trust", "acme")
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "acme", "--yes")
	if u.read(config) == before {
		t.Fatal("wrap changed nothing")
	}
	hook := exec.Command(filepath.Join(prefix, "bin/ctx-hook"), "acme", "start")
	hook.Dir, hook.Env = dir, u.environ()
	hook.Stdin = strings.NewReader(`{"on":"start","chat":"c1","folder":"` + dir + `"}`)
	if out, err := hook.Output(); err != nil || !strings.Contains(string(out), `"tell"`) || !strings.Contains(string(out), "ctx") {
		t.Errorf("the hook answers %q, %v", out, err)
	}
	if out := u.ctx(dir, "tools", "call", "a:read_note", "--args", `{"name":"welcome"}`); !strings.Contains(out, "Hello") {
		t.Errorf("the call answers %q", out)
	}
	u.ctx(dir, "doctor")
	u.ctx(dir, "unwrap")
	if after := u.read(config); after != before {
		t.Errorf("the config after unwrap:\n%s\nbefore:\n%s", after, before)
	}

	// Other bytes under the same name are another adapter.
	f, err := os.OpenFile(plugin, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if r := u.tryCtx(dir, "wrap", "setup", "--host", "acme"); r.code != 3 || !strings.Contains(r.err, "changed") {
		t.Errorf("a changed adapter: exit %d: %s", r.code, r.err)
	}
}

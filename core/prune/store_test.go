package prune

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func folder(t *testing.T) (paths.Layout, string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(base, "ws")
	if err := os.MkdirAll(ws, 0o755); err != nil {
		t.Fatal(err)
	}
	return paths.Layout{Home: base, State: filepath.Join(base, "state")}, ws
}

func wrapped(t *testing.T, l paths.Layout, ws string) {
	t.Helper()
	if err := os.MkdirAll(l.Wraps(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.WrapRecord(ws), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func receipt() Receipt {
	return Receipt{Hosts: []HostReceipt{{Host: "fake", Decisions: []Decision{
		{ID: "mcp_tool:a:b", Kind: surface.KindTool, Provider: "a", Name: "b", By: ByRule, Where: AtGateway},
		{ID: "mcp_server:user:c", Kind: surface.KindServer, Provider: "user", Name: "c", By: ByUser, Where: AtGateway},
		{ID: "mcp_tool:d:e", Kind: surface.KindTool, Provider: "d", Name: "e", By: ByUser, Keep: true},
	}}}}
}

func TestAReceiptIsPrivateAndReadBack(t *testing.T) {
	t.Parallel()
	l, ws := folder(t)
	wrapped(t, l, ws)
	path, err := Save(l, ws, receipt())
	if err != nil || path != filepath.Join(ws, ".ctx-surface", "prune.json") {
		t.Fatalf("%s, %v", path, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	got, at, err := Load(l, ws)
	want := receipt()
	want.Schema, want.Workspace = Schema, ws
	if diff := cmp.Diff(want, got); diff != "" || err != nil || at != path {
		t.Errorf("%v, %s\n%s", err, at, diff)
	}
	if _, err := Save(l, ws, Receipt{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty receipt stays: %v", err)
	}
}

func TestAReceiptFollowsTheWorkspaceIntoItsWrap(t *testing.T) {
	t.Parallel()
	l, ws := folder(t)
	early, err := Save(l, ws, receipt())
	if err != nil || !strings.HasPrefix(early, l.State) {
		t.Fatalf("%s, %v: nothing of ours belongs into a workspace that is not wrapped", early, err)
	}
	if all, err := Workspaces(l); err != nil || len(all) != 1 || all[0] != ws {
		t.Errorf("%q, %v", all, err)
	}
	wrapped(t, l, ws)
	if r, _, err := Load(l, ws); err != nil || len(r.Pruned("fake")) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := Follow(l, ws); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(filepath.Join(ws, ".ctx-surface")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(early); err == nil {
		t.Error("there are two receipts")
	}
}

func TestHostsThatArePrunedAtOnceAreAllOnRecord(t *testing.T) {
	t.Parallel()
	l, ws := folder(t)
	var want []string
	var all errgroup.Group
	for i := range 16 {
		h := receipt().Hosts[0]
		h.Host = fmt.Sprintf("host%02d", i)
		want = append(want, h.Host)
		all.Go(func() error {
			_, err := Update(l, ws, func(r *Receipt) { r.Hosts = append(r.Hosts, h) })
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	var got []string
	r, _, err := Load(l, ws)
	for _, h := range r.Hosts {
		got = append(got, h.Host)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestAReceiptThatCannotBeReadIsNotWrittenOver(t *testing.T) {
	t.Parallel()
	l, ws := folder(t)
	path, err := Save(l, ws, receipt())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Update(l, ws, func(r *Receipt) { t.Error("it was changed") }); err == nil || !strings.Contains(err.Error(), "prune.json.bad") {
		t.Errorf("%v", err)
	}
}

func TestAFileThatIsNoReceiptIsKeptAsideAndNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"torn":    {"{\n\"schema\": \"ctx.prune/v1\",\n\"hosts\": [{]\n", "prune.json:3:"},
		"foreign": {`{"schema":"ctx.prune/v9"}`, "ctx.prune/v9"},
		"control": {`{"schema":"ctx.prune/v1","hosts":[{"host":"x","decisions":[{"id":"a\u001b[2J","by":"rule"}]}]}`, "control character"},
		"nobody":  {`{"schema":"ctx.prune/v1","hosts":[{"host":"x","decisions":[{"id":"a","by":"me"}]}]}`, "by whom"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(Path(dir), []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "prune.json.bad") {
				t.Errorf("%v", err)
			}
			if b, err := os.ReadFile(Path(dir) + ".bad"); err != nil || string(b) != c.content {
				t.Errorf("%q, %v", b, err)
			}
			if _, err := Read(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the second time: %v", err)
			}
		})
	}
}

func TestAReceiptThatTheRepositoryBringsIsNotRead(t *testing.T) {
	t.Parallel()
	l, ws := folder(t)
	wrapped(t, l, ws)
	dir := filepath.Join(ws, ".ctx-surface")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(Path(dir), []byte(`{"schema":"ctx.prune/v1","hosts":[{"host":"fake","decisions":[{"id":"a","by":"rule"}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", ".ctx-surface/prune.json"}} {
		if out, err := exec.Command("git", append([]string{"-C", ws}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git: %v: %s", err, out)
		}
	}
	if r, _, err := Load(l, ws); err != nil || len(r.Hosts) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestOnlyWhatIsBehindTheGatewayIsHiddenThere(t *testing.T) {
	t.Parallel()
	r := receipt()
	own := []surface.Rule{{Effect: surface.EffectAllow, Server: "a", Tool: "b"}}
	s := r.Apply(surface.Sources{Host: "fake", Rules: own, Files: []string{"x"}}, []string{"a", "c", "d"}, "/p")
	var got []string
	for _, rule := range s.Rules[1:] {
		got = append(got, string(rule.Effect)+" "+rule.Server+" "+rule.Tool)
	}
	if diff := cmp.Diff([]string{"deny a b", "deny c *"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"x", "/p"}, s.Files); diff != "" {
		t.Errorf("a change of the receipt must be seen:\n%s", diff)
	}
	if got := r.Apply(surface.Sources{Host: "fake"}, []string{"c"}, "/p"); len(got.Rules) != 1 {
		t.Errorf("what the host loads itself is its own files' to decide: %+v", got.Rules)
	}
	if got := r.Apply(surface.Sources{Host: "other"}, []string{"a"}, "/p"); len(got.Rules) != 0 {
		t.Errorf("another host's: %+v", got.Rules)
	}
}

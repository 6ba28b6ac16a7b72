package prune_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// everywhere is a user who has pruned in several workspaces.
type everywhere struct {
	*testing.T
	home   string
	layout paths.Layout
}

func newEverywhere(t *testing.T) everywhere {
	home := t.TempDir()
	t.Chdir(t.TempDir())
	return everywhere{t, home, paths.FromEnv([]string{"HOME=" + home})}
}

// pruned is a workspace, behind those before it by name, in which a tool of each
// host is pruned: in a file of the host's, which is returned, too.
func (u everywhere) pruned(hosts ...string) (ws, settings string) {
	u.Helper()
	ws = paths.Real(u.TempDir())
	settings = filepath.Join(ws, "settings.json")
	var r prune.Receipt
	for _, host := range hosts {
		r.Hosts = append(r.Hosts, prune.HostReceipt{Host: host, Decisions: []prune.Decision{
			{ID: "mcp_tool:db:drop", Kind: surface.KindTool, Provider: "db", Name: "drop", By: prune.ByUser, Where: prune.AtHost},
		}})
		change, err := wiring.Open(u.layout.Wraps()).Plan(wiring.Owner{Workspace: ws, Host: host, For: wiring.Prune}, []wiring.Edit{{
			Path: settings, Format: wiring.JSON,
			Ops: []wiring.Op{{Kind: wiring.Append, Path: []string{"denied"}, Value: []byte(`"` + host + `"`)}},
		}})
		u.must(err)
		u.must(change.Apply())
	}
	_, err := prune.Save(u.layout, ws, r)
	u.must(err)
	return ws, settings
}

func (u everywhere) must(err error) {
	u.Helper()
	if err != nil {
		u.Fatal(err)
	}
}

func (u everywhere) undo(code int, args ...string) string {
	u.Helper()
	s, _, out, failure := iostreams.Test()
	got := root.Main(append([]string{"prune", "--undo"}, args...), []string{"HOME=" + u.home, "PATH=" + os.Getenv("PATH")}, s)
	said := out.String() + failure.String()
	if got != code {
		u.Fatalf("ctx prune --undo %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, said)
	}
	return said
}

// left fails unless so many things are pruned in a workspace.
func (u everywhere) left(ws string, want int) {
	u.Helper()
	r, _, err := prune.Load(u.layout, ws)
	if err != nil || len(r.Hosts) != want {
		u.Errorf("%s: %d hosts are pruned, want %d: %v", ws, len(r.Hosts), want, err)
	}
}

func TestAHostIsGivenBackWhatWasPrunedInEveryWorkspaceThatHasIt(t *testing.T) {
	u := newEverywhere(t)
	one, _ := u.pruned("codex")
	two, _ := u.pruned("claude")
	three, _ := u.pruned("claude", "codex")
	for _, args := range [][]string{{"--dry-run"}, nil} {
		said := u.undo(0, append(args, "--all", "--host", "codex", "--host", "antigravity")...)
		if !strings.Contains(said, one) || strings.Contains(said, two) || !strings.Contains(said, three) || strings.Contains(said, "claude in") {
			t.Errorf("%q:\n%s", args, said)
		}
	}
	u.left(one, 0)
	u.left(two, 1)
	u.left(three, 1)
	if said := u.undo(1, "--all", "--host", "codex"); !strings.Contains(said, "nothing of codex is pruned in any workspace") {
		t.Error(said)
	}
}

func TestAWorkspaceThatCannotBeUndoneKeepsNothingFromTheOthers(t *testing.T) {
	u := newEverywhere(t)
	one, _ := u.pruned("codex")
	two, settings := u.pruned("codex")
	three, _ := u.pruned("codex")
	u.must(os.Remove(settings))
	u.must(os.Mkdir(settings, 0o700))
	said := u.undo(1, "--all")
	for _, want := range []string{"codex in " + one, "codex in " + three, "error: " + two + ": "} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	u.left(one, 0)
	u.left(two, 1)
	u.left(three, 0)
}

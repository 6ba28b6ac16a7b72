package unwrap_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/state"
)

// pruned makes a workspace of two wrapped hosts in one of which a tool is pruned,
// and returns its receipt.
func (s site) pruned() string {
	s.Helper()
	s.wrap(entry("claude", "git"))
	s.wrap(entry("codex", "git"))
	path, err := prune.Save(s.layout, s.ws, prune.Receipt{Hosts: []prune.HostReceipt{{Host: "codex", Decisions: []prune.Decision{
		{ID: "mcp_tool:git:push", Kind: "mcp_tool", Provider: "git", Name: "push", By: prune.ByUser, Where: prune.AtGateway},
	}}}})
	s.must(err)
	return path
}

// goes fails unless the tool is still pruned.
func (s site) goes() {
	s.Helper()
	r, _, err := prune.Load(s.layout, s.ws)
	if err != nil || len(r.Pruned("codex")) != 1 {
		s.Errorf("what was pruned is forgotten: %+v, %v", r, err)
	}
}

func TestAHostThatIsNamedTwiceIsOneHost(t *testing.T) {
	s := newSite(t)
	s.pruned()
	listed := filepath.Join(state.CompiledDir(s.ws), "probe-cache.json")
	s.must(os.WriteFile(listed, []byte("{}"), 0o600))
	s.ctx("unwrap", "--host", "claude", "--host", "claude")
	if _, err := os.Stat(listed); err != nil {
		t.Errorf("codex is still wired, and its folder was emptied: %v", err)
	}
	if rec, _, err := s.store.Record(s.ws); err != nil || len(rec.Hosts) != 1 || rec.Hosts[0].Host != "codex" {
		t.Errorf("%+v, %v", rec, err)
	}
	s.goes()
}

func TestWhatIsPrunedOutlivesTheWrap(t *testing.T) {
	s := newSite(t)
	s.pruned()
	s.ctx("unwrap")
	s.goes()
	if _, err := os.Stat(state.CompiledDir(s.ws)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder in the workspace: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(s.layout.State, "workspaces", "*", "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "prune.json" {
		t.Errorf("%q, %v", left, err)
	}
}

func TestNothingIsUnwrappedWhoseReceiptCannotBeKept(t *testing.T) {
	s := newSite(t)
	receipt := s.pruned()
	// Nothing can be written where it is to lie afterwards.
	s.must(os.WriteFile(filepath.Join(s.layout.State, "workspaces"), nil, 0o600))
	s.fails("unwrap")
	if _, err := os.Stat(receipt); err != nil {
		t.Errorf("what was decided is gone: %v", err)
	}
	if rec, _, err := s.store.Record(s.ws); err != nil || len(rec.Hosts) != 2 {
		t.Errorf("%+v, %v", rec, err)
	}
	s.goes()
	s.must(os.Remove(filepath.Join(s.layout.State, "workspaces")))
	s.ctx("unwrap")
	s.goes()
}

func TestAReceiptIsThereWheneverTheUnwrappingIsKilled(t *testing.T) {
	s := newSite(t)
	s.pruned()
	killed := errors.New("killed")
	err := prune.Across(s.layout, s.ws, func() error {
		s.goes()
		s.must(s.store.DropHost(s.ws, "claude"))
		s.goes()
		s.must(s.store.DropHost(s.ws, "codex"))
		s.goes()
		return killed
	})
	if !errors.Is(err, killed) {
		t.Error(err)
	}
	s.goes()
}

package unwrap_test

import (
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

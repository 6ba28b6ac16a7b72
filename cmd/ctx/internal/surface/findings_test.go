package surface

import (
	"testing"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestWhatIsPowerfulAndUnusedHasAWayOut(t *testing.T) {
	inv := inventory.Inventory{Records: []inventory.Record{{
		ID: "mcp_tool:forge:merge", Kind: surface.KindTool, Standing: inventory.Loaded,
		Authority: &authority.Judgement{Tier: authority.RemoteWrite}, Use: inventory.Use{Measured: true, Of: 3},
	}}}
	found := find(inv, 8000)
	if len(found) != 1 || found[0].Kind != "high_authority_unused" || found[0].Text != "remote-write, and no call in 3 sessions" ||
		found[0].Hint != "ctx prune takes out what nobody uses" {
		t.Errorf("%+v", found)
	}
}

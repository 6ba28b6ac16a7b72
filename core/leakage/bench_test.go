package leakage_test

import (
	"fmt"
	"testing"

	"github.com/ctx-sidecar/ctx/core/leakage"
)

func BenchmarkTool(b *testing.B) {
	s := &leakage.Surroundings{Workspace: leakage.Workspace{Languages: []string{"Go"}}}
	for i := range 50 {
		v := leakage.Server{Name: fmt.Sprintf("server%d", i)}
		for k := range 200 {
			v.Tools = append(v.Tools, fmt.Sprintf("do_thing_%d_%d", i, k))
		}
		s.Servers = append(s.Servers, v)
	}
	tool := []byte(`{"name":"create_page","description":"Create a new page in a workspace. The page is put under a parent and may hold any number of blocks. If a page with the same title exists, the call fails. Returns the page with its id, its address and the time of its creation, and a list of warnings for blocks that could not be read.","inputSchema":{"type":"object","properties":{"parent":{"type":"string","description":"Id of the parent page"},"title":{"type":"string","description":"Title of the page"},"blocks":{"type":"array","items":{"type":"object","properties":{"kind":{"type":"string","enum":["text","list","image"]},"text":{"type":"string","description":"What the block says"}}}},"icon":{"type":"string","description":"Emoji"}},"required":["parent","title"]},"annotations":{"readOnlyHint":false}}`)
	for b.Loop() {
		s.Tool("wiki", tool, leakage.Unmeasured)
	}
}

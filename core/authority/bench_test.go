package authority_test

import (
	"testing"

	"github.com/ctx-sidecar/ctx/core/authority"
)

func BenchmarkJudge(b *testing.B) {
	tool := []byte(`{"name":"create_page","description":"Create a new page in a workspace. The page is put under a parent and may hold any number of blocks. If a page with the same title exists, the call fails. Returns the page with its id, its address and the time of its creation, and a list of warnings for blocks that could not be read.","inputSchema":{"type":"object","properties":{"parent":{"type":"string","description":"Id of the parent page"},"title":{"type":"string","description":"Title of the page"},"blocks":{"type":"array","items":{"type":"object","properties":{"kind":{"type":"string","enum":["text","list","image"]},"text":{"type":"string","description":"What the block says"}}}},"icon":{"type":"string","description":"Emoji"}},"required":["parent","title"]},"annotations":{"readOnlyHint":false}}`)
	authority.JudgeRaw("warm", tool)
	for b.Loop() {
		authority.JudgeRaw("wiki", tool)
	}
}

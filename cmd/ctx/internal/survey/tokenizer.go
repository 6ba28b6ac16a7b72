package survey

import (
	"strings"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Tokenizers are the ways to count tokens.
var Tokenizers = []string{"bytes4", "cl100k", "o200k"}

// counter counts as a tokenizer does; nil for bytes4, which needs no text.
func counter(name string) (surface.Counter, error) {
	var c *codec.Codec
	switch name {
	case "bytes4", "":
		return nil, nil
	case "cl100k":
		c = codec.NewCl100kBase()
	case "o200k":
		c = codec.NewO200kBase()
	default:
		return nil, cmdutil.BadUsage("tokenizers: "+strings.Join(Tokenizers, ", "), "unknown tokenizer %q", name)
	}
	return func(text string) int {
		if text == "" {
			return 0
		}
		n, err := c.Count(text)
		if err != nil {
			// Only a pattern that does not match does this, and there is one for
			// every character.
			panic("survey: " + name + ": " + err.Error())
		}
		return n
	}, nil
}

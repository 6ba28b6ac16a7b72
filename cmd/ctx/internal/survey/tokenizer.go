package survey

import (
	"fmt"
	"strings"

	"github.com/tiktoken-go/tokenizer"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Tokenizers are the ways to count tokens.
var Tokenizers = []string{"bytes4", "cl100k", "o200k"}

// counter counts as a tokenizer does; nil for bytes4, which needs no text.
func counter(name string) (surface.Counter, error) {
	encodings := map[string]tokenizer.Encoding{"cl100k": tokenizer.Cl100kBase, "o200k": tokenizer.O200kBase}
	if name == "bytes4" || name == "" {
		return nil, nil
	}
	encoding, ok := encodings[name]
	if !ok {
		return nil, cmdutil.BadUsage("tokenizers: "+strings.Join(Tokenizers, ", "), "unknown tokenizer %q", name)
	}
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		return nil, fmt.Errorf("tokenizer %s: %w", name, err)
	}
	return func(text string) int {
		if text == "" {
			return 0
		}
		n, err := codec.Count(text)
		if err != nil {
			// Only a pattern that does not match does this, and there is one for
			// every character.
			panic("survey: " + name + ": " + err.Error())
		}
		return n
	}, nil
}

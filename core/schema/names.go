// Package schema mends what a host cannot digest in tools that are listed under
// their own names: names too long or oddly spelled, schemas that a model's API
// refuses. Definitions that are only described stay as their server sent them.
package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// Separator stands between server and tool in a listed name.
const Separator = "__"

// MaxName is what hosts leave for a listed name of the 64 characters that a
// model's API allows: the longest prefix that one puts before the gateway's tools
// has 21.
const MaxName = 64 - 21

// Names gives each tool a name of at most max bytes in [A-Za-z0-9_-] that no
// other one has: "server__tool" wherever that will do, else with six hex digits
// of its id at the end. A tool's name does not depend on the order of the list,
// and is the same in every run with the same tools.
func Names(tools []listing.Tool, max int) []string {
	names := make([]string, len(tools))
	taken := map[string]int{}
	for i, t := range tools {
		names[i] = clean(t.Server) + Separator + clean(t.Name)
		taken[names[i]]++
	}
	for i, t := range tools {
		if len(names[i]) > max || taken[names[i]] > 1 {
			tail := "_" + digest(t.ID())
			names[i] = names[i][:min(len(names[i]), max-len(tail))] + tail
		}
	}
	return names
}

// clean puts an underscore for every character that not all hosts accept.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}

func digest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:3])
}

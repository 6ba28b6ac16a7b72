package gate

import (
	"hash/maphash"
	"sync"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// verdicts remembers what a profile says of each definition: all tools of all
// servers are gone through whenever one of them lists anew.
type verdicts struct {
	seed maphash.Seed
	mu   sync.Mutex
	by   map[uint64]string // by the hash of a definition, under a seed that nobody knows
}

func (v *verdicts) of(t listing.Tool, judge func() string) string {
	var h maphash.Hash
	h.SetSeed(v.seed)
	h.WriteString(t.Server)
	h.WriteByte(0)
	h.WriteString(t.Name)
	h.WriteByte(0)
	if t.Writes {
		h.WriteByte(1)
	}
	h.Write(t.Raw)
	key := h.Sum64()
	v.mu.Lock()
	reason, ok := v.by[key]
	v.mu.Unlock()
	if ok {
		return reason
	}
	reason = judge()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.by[key] = reason
	return reason
}

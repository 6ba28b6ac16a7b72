package baseline

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// BenchmarkUnchanged is what a session pays at its start for a server of 300
// tools that has not changed: the file is read, the listing is hashed.
func BenchmarkUnchanged(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "baselines")
	var l listing.Listing
	for i := range 300 {
		l.Tools = append(l.Tools, []byte(fmt.Sprintf(`{"name":"tool_%d","description":%q}`, i, strings.Repeat("Reads a thing. ", 130))))
	}
	s := Open(dir, "/ws", nil)
	s.Observe(desk, l)
	if err := s.Flush(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, held := Open(dir, "/ws", nil).Screen(desk, l); held != nil {
			b.Fatal("it has not changed")
		}
	}
}

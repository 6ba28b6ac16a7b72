package capability

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/tap"
)

// What stands in the way of a tap that people use, with everything approved and
// no variable set.
func TestRealTapIsReadyButForWhatItLacks(t *testing.T) {
	t.Parallel()
	data := os.Getenv("CTX_DATA")
	if data == "" {
		data = filepath.Join("..", "..", "..", "shared", "data")
	}
	root := filepath.Join(data, "taps", "octomind-tap")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no tap to read: %v (set CTX_DATA)", err)
	}
	for name, test := range map[string]struct {
		domain string
		lifted bool // the domains of the capabilities
		want   map[string]int
	}{
		"no domain":    {"", false, map[string]int{"ready": 10, "domain": 39, "no-tools": 5, "unstartable": 4, "variable": 14}},
		"developer":    {"developer", false, map[string]int{"ready": 18, "domain": 23, "no-tools": 5, "unstartable": 4, "variable": 17, "installer": 5}},
		"every domain": {"", true, map[string]int{"ready": 30, "no-tools": 8, "unstartable": 4, "variable": 24, "installer": 6}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, _ := tap.LoadDir(root)
			for i := range list {
				list[i].Tap = "muvon/tap"
				if test.lifted {
					list[i].Domains = nil
				}
			}
			w := newWorld(t, list...)
			w.opts.Domain = test.domain
			got := map[string]int{}
			for _, e := range w.registry().List() {
				kinds := map[Kind]bool{}
				for _, why := range e.Unready {
					kinds[why.Kind] = true
				}
				if len(kinds) == 0 {
					got["ready"]++
				}
				for kind := range kinds {
					got[string(kind)]++
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

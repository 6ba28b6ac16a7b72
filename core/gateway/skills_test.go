package gateway

import (
	"testing"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
)

// Skills bring in no tools of their own, so that few tools stay listed as they
// are beside them.
func TestFewToolsAreListedAsTheyAreBesideSkills(t *testing.T) {
	t.Parallel()
	few := &catalog{tools: []listing.Tool{{Server: "desk", Name: "read"}}}
	for offer, want := range map[Offer]mode{{}: everything, {Skills: true}: everything, {Bundles: true}: kernelOnly, {Bundles: true, Skills: true}: kernelOnly} {
		if got := chooseMode(config.Default(), few, offer); got != want {
			t.Errorf("%+v: %s", offer, got)
		}
	}
}

func TestASkillsTextHidesNothingFromItsReader(t *testing.T) {
	t.Parallel()
	got := readable("# A\n\tb\u202e c\u200b d\U000e0041\x1b[1m e\r\n می\u200cخواهم 👨\u200d👩\n")
	if want := "# A\n\tb c d[1m e\n می\u200cخواهم 👨\u200d👩\n"; got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
}

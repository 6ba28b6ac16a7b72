package reconcile

import (
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/state"
)

// Fault 10 again: nothing looked at the verdict before it hid.
func TestFault10OnlyPromotedRulesAreEnforced(t *testing.T) {
	t.Parallel()
	sessions := state.Open(t.TempDir())
	s := Of(loads(inventory.HeldBack, house...), config.Gateway{})
	p := Make(Input{Surface: s, Phase: Edit})
	rules := []Rule{
		{Family: "deployment", Phase: Edit, Sessions: 22, Verdict: Promote},
		{Family: "testing", Phase: Explore, Sessions: 22, Verdict: Promote}, // in another phase
		{Family: "collaboration", Phase: Edit, Sessions: 21, Bound: 0.155, Verdict: Hold},
	}
	done, err := Enforce(p, rules, sessions, "a")
	if err != nil || families(done.Hides) != "deployment" || len(done.Refused) != 3 {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, k := range done.Refused {
		if !strings.HasPrefix(k.Why, "not promoted: ") {
			t.Errorf("%s: %s", k.Family, k.Why)
		}
	}
	got, err := sessions.Load("a")
	if err != nil || !slices.Equal(got.Hidden, []string{"deployment"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEnforceShowsWhatIsWantedAndTakesBackWhatIsHidden(t *testing.T) {
	t.Parallel()
	sessions := state.Open(t.TempDir())
	_, err := sessions.Update("a", func(s *state.Session) {
		s.Hidden, s.Revealed = []string{"deployment", "database"}, []string{"pytest:run_tests", "fs:read_file"}
	})
	if err != nil {
		t.Fatal(err)
	}
	s := Of(loads(inventory.HeldBack, house...), config.Gateway{})
	p := Make(Input{Surface: s, Intent: Intent("roll out the deployment"), Phase: Explore})
	if _, err := Enforce(p, []Rule{{Family: "testing", Phase: Explore, Verdict: Promote}}, sessions, "a"); err != nil {
		t.Fatal(err)
	}
	got, err := sessions.Load("a")
	if err != nil || !slices.Equal(got.Hidden, []string{"database", "testing"}) ||
		!slices.Equal(got.Revealed, []string{"fs:read_file", "argo:deploy_release", "argo:rollback_release"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatTheHostLoadsItselfCannotBeHidden(t *testing.T) {
	t.Parallel()
	sessions := state.Open(t.TempDir())
	s := Of(loads(inventory.Loaded, house...), config.Gateway{})
	p := Make(Input{Surface: s, Intent: Intent("deploy"), Phase: Explore})
	done, err := Enforce(p, []Rule{{Family: "testing", Phase: Explore, Verdict: Promote}}, sessions, "a")
	if err != nil || len(done.Hides)+len(done.Reveals) != 0 || len(done.Refused) != 1 || !strings.Contains(done.Refused[0].Why, "the host loads it itself") {
		t.Errorf("%+v, %v", done, err)
	}
	if got, err := sessions.Load("a"); err != nil || !got.Started.IsZero() {
		t.Errorf("the session was written: %+v, %v", got, err)
	}
}

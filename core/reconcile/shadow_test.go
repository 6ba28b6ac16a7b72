package reconcile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/usage"
)

func shadowed(t *testing.T, dir string) *Shadow {
	t.Helper()
	s := NewShadow(ShadowOptions{
		Host: "fake", Ledger: OpenLedger(dir),
		Surface: func(context.Context) (Surface, error) {
			return Of(loads(inventory.HeldBack, house...), config.Gateway{}), nil
		},
	})
	t.Cleanup(s.Close)
	return s
}

func (s *Shadow) calls(session string, ids ...string) {
	for _, c := range called(ids...) {
		c.Session, c.At = session, time.Now().UTC()
		s.Call(c)
	}
}

// written is the ledger, "op family phase" in the order of its lines.
func written(t *testing.T, dir string) []string {
	t.Helper()
	entries, problems := OpenLedger(dir).Read()
	if problems != nil {
		t.Fatal(problems)
	}
	var all []string
	for _, e := range entries {
		if e.Enforced || e.Host != "fake" || e.At.IsZero() || e.Op != End && e.Generation == 0 {
			t.Errorf("%+v", e)
		}
		all = append(all, strings.TrimSpace(fmt.Sprint(e.Op, " ", e.Family, " ", e.Phase)))
	}
	return all
}

func TestTheShadowPlansAlongAndHidesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := shadowed(t, dir)
	s.Prompt("a", "look at the code")
	s.calls("a", "fs:read_file", "fs:read_file", "fs:read_file")
	s.Prompt("a", "now deploy the secret project")
	s.calls("a", "fs:write_file", "fs:read_file", "argo:deploy_release")
	s.Close()
	want := []string{
		"hide deployment explore", "hide testing explore",
		"reveal deployment explore",
		"hide source-control edit", "hide testing edit", "hide collaboration edit",
		"hide database deliver", "hide testing deliver", // files are in use
		"end",
	}
	if got := written(t, dir); !slices.Equal(got, want) {
		t.Errorf("the ledger is %q,\nwant %q", got, want)
	}
	if b, err := os.ReadFile(OpenLedger(dir).Path()); err != nil || strings.Contains(string(b), "secret") || strings.Contains(string(b), "code") {
		t.Errorf("what the user said is in the ledger: %s, %v", b, err)
	}
	rules := Judge(Evidence{Entries: must(OpenLedger(dir).Read()), Now: time.Now()})
	if r := Find(rules, "deployment", Explore); r == nil || r.Sessions != 1 || r.Misses != 0 {
		t.Errorf("%+v", r)
	}
}

func must(entries []Entry, _ []usage.Problem) []Entry { return entries }

func TestASessionThatUsesNothingLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := shadowed(t, dir)
	s.Prompt("a", "deploy it")
	s.End("a")
	s.End("never seen")
	s.calls(state.ScratchPrefix+"1", "fs:read_file")
	s.calls("", "fs:read_file")
	s.Close()
	if got := written(t, dir); len(got) != 0 {
		t.Errorf("the ledger is %q", got)
	}
}

// Calls come together: what was called after the one that a plan was made by came
// after the plan.
func TestCallsThatFollowAtOnceAreSeenAsLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := shadowed(t, dir)
	calls := called("fs:read_file", "pytest:run_tests")
	for i := range calls {
		calls[i].At = time.Now().UTC().Add(-time.Hour + time.Duration(i))
		s.Call(calls[i])
	}
	s.Close()
	entries := must(OpenLedger(dir).Read())
	rules := Judge(Evidence{Entries: entries, Calls: calls, Now: time.Now()})
	if r := Find(rules, "testing", Explore); r == nil || r.Misses != 1 {
		t.Errorf("%+v of %+v", r, entries)
	}
}

func TestWhatASessionUsedBeforeThisGatewayIsInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := shadowed(t, dir)
	s.opts.Past = func(string) []usage.Call { return called("argo:deploy_release", "fs:read_file") }
	s.calls("s", slices.Repeat([]string{"fs:read_file"}, recent)...)
	s.Close()
	if got := written(t, dir); !slices.Contains(got, "hide testing explore") || slices.Contains(got, "hide deployment explore") {
		t.Errorf("the ledger is %q", got)
	}
}

func TestACallAfterTheEndIsFollowedByAnotherEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := shadowed(t, dir)
	s.calls("s", "fs:read_file")
	s.End("s")
	s.End("s")
	s.calls("s", "fs:read_file")
	s.Close()
	if got := written(t, dir); !slices.Equal(got, []string{"hide deployment explore", "hide testing explore", "end", "end"}) {
		t.Errorf("the ledger is %q", got)
	}
}

func TestASessionThatIsTakenUpAgainIsNotNotedTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 3 {
		s := shadowed(t, dir)
		s.calls("a", "fs:read_file")
		s.End("a")
		s.Close()
	}
	want := []string{"hide deployment explore", "hide testing explore", "end", "end", "end"}
	if got := written(t, dir); !slices.Equal(got, want) {
		t.Errorf("the ledger is %q", got)
	}
}

func TestShadowWithoutASurfaceOrAFolderHarmsNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := NewShadow(ShadowOptions{Ledger: OpenLedger(dir), Surface: func(context.Context) (Surface, error) { return Surface{}, errors.New("not now") }})
	s.calls("a", "fs:read_file")
	s.Close()
	s.Close()
	s.calls("a", "fs:read_file")
	s.Prompt("a", "x")
	if got := written(t, dir); len(got) != 0 {
		t.Errorf("the ledger is %q", got)
	}
	gone := shadowed(t, dir+"/gone")
	gone.calls("a", "fs:read_file")
	gone.Close()
	if _, err := os.Stat(dir + "/gone"); err == nil {
		t.Error("the folder is back")
	}
	var none *Shadow
	none.calls("a", "fs:read_file")
	none.Prompt("a", "x")
	none.End("a")
	none.Close()
}

func TestNobodyWaitsForTheShadow(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	s := NewShadow(ShadowOptions{Ledger: OpenLedger(t.TempDir()), Surface: func(context.Context) (Surface, error) {
		<-block
		return Surface{}, nil
	}})
	for range 10 * mostWaiting {
		s.calls("a", "fs:read_file")
	}
	close(block)
	s.Close()
}

func TestFiftyGatewaysAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			s := shadowed(t, dir)
			s.calls(fmt.Sprint("s", i), "fs:read_file", "fs:write_file")
			s.Close()
		})
	}
	wg.Wait()
	rules := Judge(Evidence{Entries: must(OpenLedger(dir).Read()), Now: time.Now()})
	for _, r := range rules {
		if r.Sessions != 50 || r.Verdict != Promote {
			t.Errorf("%+v", r)
		}
	}
	if len(rules) != 6 {
		t.Errorf("%d rules", len(rules))
	}
}

func TestAManyCallsSessionKeepsWhatItUsed(t *testing.T) {
	t.Parallel()
	var f followed
	first := usage.Call{Server: "argo", Tool: "deploy_release"}
	f.take(shadowEvent{call: &first})
	for range 3 * mostCalls {
		f.take(shadowEvent{call: &usage.Call{Server: "fs", Tool: "read_file"}})
	}
	if f.calls[0] != first || len(f.calls) > mostCalls {
		t.Errorf("%d calls, the first %+v", len(f.calls), f.calls[0])
	}
}

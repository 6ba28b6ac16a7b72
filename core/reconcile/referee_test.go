package reconcile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/usage"
)

var day0 = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// story builds evidence, an hour a session.
type story struct {
	Evidence
	n int
}

func (s *story) session() (id string, at time.Time) {
	s.n++
	at = day0.Add(time.Duration(s.n) * time.Hour)
	s.Now = at.Add(30 * time.Minute)
	return fmt.Sprintf("s%03d", s.n), at
}

func (s *story) hide(id string, at time.Time) {
	s.Entries = append(s.Entries, Entry{
		At: at, Session: id, Generation: 1, Op: Hide, Family: "deployment", Phase: Explore, Tokens: 700,
		Servers: []string{"argo"}, Tools: []string{"argo:deploy_release", "argo:tell"},
	})
}

func (s *story) end(id string, at time.Time) {
	s.Entries = append(s.Entries, Entry{At: at, Session: id, Op: End})
}

func (s *story) call(id, server, tool string, at time.Time) {
	s.Calls = append(s.Calls, usage.Call{Session: id, Server: server, Tool: tool, At: at})
}

// clean adds sessions that never used what was hidden; missed those that did.
func (s *story) clean(n int) {
	for range n {
		id, at := s.session()
		s.hide(id, at)
		s.call(id, "fs", "read_file", at.Add(time.Minute))
		s.end(id, at.Add(10*time.Minute))
	}
}

func (s *story) missed(n int) {
	for range n {
		id, at := s.session()
		s.hide(id, at)
		s.call(id, "argo", "deploy_release", at.Add(5*time.Minute))
		s.end(id, at.Add(10*time.Minute))
	}
}

// rule is the one rule of the story.
func (s *story) rule(t *testing.T) Rule {
	t.Helper()
	rules := Judge(s.Evidence)
	if len(rules) != 1 {
		t.Fatalf("%d rules: %+v", len(rules), rules)
	}
	return rules[0]
}

func (s *story) want(t *testing.T, v Verdict, sessions, misses int) {
	t.Helper()
	if r := s.rule(t); r.Verdict != v || r.Sessions != sessions || r.Misses != misses {
		t.Errorf("%s after %d sessions with %d misses (%+v), want %s after %d with %d", r.Verdict, r.Sessions, r.Misses, r, v, sessions, misses)
	}
}

// Fault 10: not paired, not ordered by time, inflated by repetition, promoted by
// one clean event.
func TestFault10OneCleanSessionPromotesNothing(t *testing.T) {
	t.Parallel()
	var s story
	for n := 1; n <= 21; n++ {
		s.clean(1)
		s.want(t, Hold, n, 0)
	}
	s.clean(1)
	s.want(t, Promote, 22, 0)
}

func TestFault10RepeatedRunsInOneSessionCountOnce(t *testing.T) {
	t.Parallel()
	var s story
	id, at := s.session()
	for i := range 100 {
		s.hide(id, at.Add(time.Duration(i)*time.Second))
	}
	s.end(id, at.Add(time.Hour))
	s.want(t, Hold, 1, 0)
}

func TestFault10UseInAnotherSessionOrBeforeIsNoMiss(t *testing.T) {
	t.Parallel()
	var s story
	s.clean(22)
	for i := range 22 {
		id := fmt.Sprintf("s%03d", i+1)
		s.call(id, "argo", "deploy_release", day0) // before anything was hidden
	}
	s.call("another", "argo", "deploy_release", s.Now)
	s.want(t, Promote, 22, 0)
}

func TestFault10UseAfterwardsInTheSameSessionIsAMiss(t *testing.T) {
	t.Parallel()
	var s story
	s.clean(10)
	s.missed(1)
	s.want(t, Hold, 11, 1)
}

func TestMissDemotesAtOnceAndTheRuleStartsAnew(t *testing.T) {
	t.Parallel()
	var s story
	s.clean(200)
	s.want(t, Promote, 200, 0)
	s.missed(1) // one in 201 is far below the bound
	s.want(t, Hold, 1, 1)
	if r := s.rule(t); r.Demoted.IsZero() {
		t.Errorf("it does not say when: %+v", r)
	}
	s.clean(32)
	s.want(t, Hold, 33, 1)
	s.clean(1)
	s.want(t, Promote, 34, 1)
	s.missed(1)
	s.want(t, Hold, 1, 1)
}

func TestMissInASessionThatIsNotOverDemotesAtOnce(t *testing.T) {
	t.Parallel()
	var s story
	s.clean(30)
	id, at := s.session()
	s.hide(id, at)
	s.call(id, "argo", "tell", at.Add(time.Second)) // of the family by its description alone
	s.want(t, Hold, 1, 1)
}

func TestSessionThatIsNotOverIsNotClean(t *testing.T) {
	t.Parallel()
	var s story
	s.clean(21)
	id, at := s.session()
	s.hide(id, at)
	s.call(id, "fs", "read_file", at.Add(time.Minute))
	s.want(t, Hold, 21, 0)
	if r := s.rule(t); r.Unfinished != 1 {
		t.Errorf("%+v", r)
	}
	s.Now = at.Add(time.Minute + Idle - time.Second)
	s.want(t, Hold, 21, 0)
	s.Now = at.Add(time.Minute + Idle)
	s.want(t, Promote, 22, 0)

	// It is taken up again after all.
	s.call(id, "fs", "read_file", s.Now)
	s.want(t, Hold, 21, 0)
	s.call(id, "argo", "deploy_release", s.Now.Add(time.Minute))
	s.want(t, Hold, 22, 1)
}

func TestSessionThatIsResumedAfterItsEndIsNotOver(t *testing.T) {
	t.Parallel()
	var s story
	s.clean(22)
	s.want(t, Promote, 22, 0)
	s.call("s022", "fs", "read_file", s.Now)
	s.want(t, Hold, 21, 0)
}

func TestHideWithNothingAfterItProvesNothing(t *testing.T) {
	t.Parallel()
	var s story
	for range 30 { // by hand, in sessions that were left
		id, at := s.session()
		s.call(id, "fs", "read_file", at.Add(-time.Minute))
		s.hide(id, at)
	}
	s.Now = s.Now.Add(10 * Idle)
	if s.want(t, NoData, 0, 0); s.rule(t).Unseen != 30 {
		t.Errorf("%+v", s.rule(t))
	}
}

func TestEndThatTheHostNotedCountsToTheSecond(t *testing.T) {
	t.Parallel()
	var s story
	id, at := s.session()
	s.hide(id, at.Add(700*time.Millisecond))
	s.call(id, "fs", "read_file", at.Add(800*time.Millisecond))
	s.Ended = func(of string) (time.Time, bool) { return at, of == id }
	s.want(t, Hold, 1, 0)
}

func TestSessionWhoseCallsWereDroppedIsNotClean(t *testing.T) {
	t.Parallel()
	var s story
	s.clean(22)
	s.Since = day0.Add(3*time.Hour + time.Second)
	s.want(t, Hold, 19, 0)
	if r := s.rule(t); r.Unseen != 3 {
		t.Errorf("%+v", r)
	}
}

func TestTrialsOfTheWiringAreNoSessions(t *testing.T) {
	t.Parallel()
	var s story
	s.hide(state.ScratchPrefix+"x", day0)
	if rules := Judge(s.Evidence); len(rules) != 0 {
		t.Errorf("%+v", rules)
	}
}

func TestWhatCannotBeToldIsTakenForAMiss(t *testing.T) {
	t.Parallel()
	e := Entry{At: day0, Session: "s", Op: Hide, Family: "deployment", Phase: Explore, Servers: []string{"argo"}} // too many tools to note
	for _, c := range []struct {
		server, tool string
		miss         bool
	}{
		{"argo", "tell", true},              // of the server, and nothing is known of it
		{"argo", "deploy", true},            // by its name
		{"argo", "commit_branch", false},    // of another family, by its name
		{"new", "rollout_release", true},    // of a server that came later
		{"fs", "read_file", false},          // of another server
		{"nothing", "does_whatever", false}, // likewise
	} {
		ev := Evidence{Entries: []Entry{e}, Calls: []usage.Call{{Session: "s", Server: c.server, Tool: c.tool, At: day0.Add(1)}}}
		if r := Judge(ev)[0]; (r.Misses == 1) != c.miss {
			t.Errorf("%s:%s: %+v", c.server, c.tool, r)
		}
	}
}

// The judgement must not depend on the order in which things were written down,
// nor on what other sessions did.
func TestJudgingIsPairedAndOrderedByTime(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var s story
		want := 0
		missed := make(map[string]bool)
		for range 5 + r.IntN(40) {
			id, at := s.session()
			hidden := at.Add(time.Duration(r.IntN(60)) * time.Second)
			for range 1 + r.IntN(3) {
				s.hide(id, hidden.Add(time.Duration(r.IntN(600))*time.Second))
			}
			s.hide(id, hidden)
			for range r.IntN(4) {
				used := at.Add(time.Duration(r.IntN(120)) * time.Second)
				s.call(id, "argo", "deploy_release", used)
				missed[id] = missed[id] || !used.Before(hidden)
			}
			s.call(id, "fs", "read_file", at)
			s.end(id, at.Add(20*time.Minute))
			if missed[id] {
				want++
			}
		}
		before := Judge(s.Evidence)
		r.Shuffle(len(s.Entries), func(i, j int) { s.Entries[i], s.Entries[j] = s.Entries[j], s.Entries[i] })
		r.Shuffle(len(s.Calls), func(i, j int) { s.Calls[i], s.Calls[j] = s.Calls[j], s.Calls[i] })
		s.Entries = append(s.Entries, slices.Clone(s.Entries)...)
		if diff := cmp.Diff(before, Judge(s.Evidence)); diff != "" {
			t.Fatalf("round %d: another verdict in another order:\n%s", round, diff)
		}
		if rule := before[0]; rule.Demoted.IsZero() && (rule.Sessions != s.n || rule.Misses != want) {
			t.Fatalf("round %d: %+v, want %d misses in %d sessions", round, rule, want, s.n)
		}
	}
}

package reconcile

import (
	"cmp"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// What a rule needs to be promoted.
const (
	LeastSessions = 20   // distinct ones
	MostBound     = 0.15 // see [Upper]; without a miss it takes 22 sessions
)

// Idle is after how long a session counts as over of which no end was noted.
const Idle = 12 * time.Hour

// Verdict is the referee's word on a rule.
type Verdict string

const (
	Promote Verdict = "promote"
	Hold    Verdict = "hold"
	NoData  Verdict = "no data"
)

// Rule is "hide this family in this phase", with how it did.
type Rule struct {
	Family   surface.Family `json:"family"`
	Phase    Phase          `json:"phase"`
	Tokens   int            `json:"tokens"`   // of the family, when it was proposed last
	Sessions int            `json:"sessions"` // judged, since the rule was demoted last
	Misses   int            `json:"misses"`   // sessions that used the family afterwards
	Bound    float64        `json:"bound"`    // see [Upper]
	Verdict  Verdict        `json:"verdict"`

	Demoted    time.Time `json:"demoted,omitzero"` // by the miss that Sessions begins with
	Unfinished int       `json:"unfinished"`       // sessions that are not judged yet
	Unseen     int       `json:"unseen"`           // sessions whose calls are on record no more, or that end where they were hidden
}

// Evidence is what there is to judge by.
type Evidence struct {
	Entries []Entry
	Calls   []usage.Call
	// Since is when the calls on record begin, where older ones were dropped.
	Since time.Time
	// Ended is when a session ended, false where no end was noted.
	Ended func(session string) (time.Time, bool)
	Now   time.Time
}

type ruleKey struct {
	family surface.Family
	phase  Phase
}

// Judge scores every rule that was ever proposed: by what the very session in
// which it was proposed used afterwards, and once per session. Rules are in the
// order of their families' names and of [Phases].
func Judge(ev Evidence) []Rule {
	rules := make(map[ruleKey]*Rule)
	trials := make(map[ruleKey][]trial)
	for id, s := range ev.sessions() {
		for k := range s.hides {
			if rules[k] == nil {
				rules[k] = &Rule{Family: k.family, Phase: k.phase}
			}
			r := rules[k]
			switch t, outcome := ev.outcome(id, s, k); outcome {
			case judged:
				trials[k] = append(trials[k], t)
			case unfinished:
				r.Unfinished++
			case unseen:
				r.Unseen++
			}
		}
	}
	for _, e := range ev.Entries {
		if r := rules[ruleKey{e.Family, e.Phase}]; e.Op == Hide && r != nil {
			r.Tokens = e.Tokens
		}
	}
	all := make([]Rule, 0, len(rules))
	for k, r := range rules {
		r.score(trials[k])
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(slices.Index(Phases, a.Phase), slices.Index(Phases, b.Phase)))
	})
	return all
}

// trial is how a rule did in one session.
type trial struct {
	session string
	at      time.Time // of the miss, else of the session's end
	miss    bool
}

// score goes through the trials in the order of time. A rule that was promoted
// and then missed starts anew with that miss.
func (r *Rule) score(trials []trial) {
	slices.SortFunc(trials, func(a, b trial) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.session, b.session))
	})
	promoted := false
	for _, t := range trials {
		if t.miss && promoted {
			r.Sessions, r.Misses, r.Demoted = 0, 0, t.at
		}
		r.Sessions++
		if t.miss {
			r.Misses++
		}
		promoted = r.Sessions >= LeastSessions && Upper(r.Misses, r.Sessions) <= MostBound
	}
	r.Bound = Upper(r.Misses, r.Sessions)
	switch {
	case r.Sessions == 0:
		r.Verdict = NoData
	case promoted:
		r.Verdict = Promote
	default:
		r.Verdict = Hold
	}
}

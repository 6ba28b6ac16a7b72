package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/tap"
)

var desks = tap.Of([]tap.Capability{
	{Tap: "acme/tools", Name: "diary", Title: "The diary", Description: "Notes of the day.", Triggers: []string{"write a note into my diary", "read yesterday's diary note"}},
	{Tap: "acme/tools", Name: "garden", Title: "The garden", Description: "Beds and plants.", Triggers: []string{"water the tomatoes", "plan which beds to plant"}},
})

func diaryRequest() activate.Request {
	return activate.Request{Prompt: "write a note into my diary about the meeting", Candidates: Candidates(desks, nil)}
}

func lexical(t *testing.T) *activate.Router {
	t.Helper()
	r, err := activate.New(activate.Lexical(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newEngine(open func(func(*activate.Router)) (*activate.Router, error)) *Engine {
	return NewEngine(open, func() *tap.Catalog { return desks }, func() []string { return nil }, hclog.NewNullLogger())
}

// best is the capability that fits best.
func best(t *testing.T, d activate.Decision, err error) string {
	t.Helper()
	if err != nil || len(d.Scores) == 0 {
		t.Fatalf("%v, %+v", err, d)
	}
	return d.Scores[0].Name
}

func TestUntilTheModelIsThereWordsDecide(t *testing.T) {
	t.Parallel()
	r := lexical(t)
	finish := make(chan struct{})
	e := newEngine(func(func(*activate.Router)) (*activate.Router, error) { <-finish; return r, nil })
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	d, degraded, err := e.Decide(ended, diaryRequest())
	if !errors.Is(degraded, ErrLate) || best(t, d, err) != "diary" {
		t.Errorf("before: %v, %+v", degraded, d)
	}
	if err := e.Degraded(ended); err != nil {
		t.Errorf("nothing is known yet, and it says %v", err)
	}
	close(finish)
	d, degraded, err = e.Decide(t.Context(), diaryRequest())
	if degraded != nil || best(t, d, err) != "diary" {
		t.Errorf("afterwards: %v, %+v", degraded, d)
	}
}

func TestAPromptGetsTheModelThatIsReadyInTime(t *testing.T) {
	t.Parallel()
	r := lexical(t)
	waits := make(chan struct{})
	e := newEngine(func(func(*activate.Router)) (*activate.Router, error) { <-waits; return r, nil })
	time.AfterFunc(20*time.Millisecond, func() { close(waits) })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, degraded, err := e.Decide(ctx, diaryRequest()); degraded != nil || err != nil {
		t.Errorf("%v, %v", degraded, err)
	}
}

func TestWhyThereIsNoModelIsSaidWithEveryDecision(t *testing.T) {
	t.Parallel()
	why := errors.New("nothing is installed")
	r := lexical(t)
	opened := 0
	e := newEngine(func(func(*activate.Router)) (*activate.Router, error) { opened++; return r, why })
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			d, degraded, err := e.Decide(t.Context(), diaryRequest())
			if degraded != why || err != nil || d.Ranker != "lexical" {
				t.Errorf("%v, %v, %s", degraded, err, d.Ranker)
			}
			if got := e.Degraded(t.Context()); got != why {
				t.Errorf("said %v", got)
			}
		})
	}
	all.Wait()
	if opened != 1 || e.Model() != nil {
		t.Errorf("opened %d times, model %v", opened, e.Model())
	}
}

// stuck is a model that knows its texts and is too slow for any other.
type stuck struct{ ctx context.Context }

func (stuck) ID() string { return "stuck" }

func (s stuck) Encode(context.Context, []string) ([]embed.Encoding, error) {
	<-s.ctx.Done()
	return nil, s.ctx.Err()
}

func TestAModelThatIsTooSlowCostsTheModelAlone(t *testing.T) {
	t.Parallel()
	scorer, err := activate.ReadScorer("../../models/" + embed.DefaultModel + "/" + activate.ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := activate.New(scorer, stuck{t.Context()}, "")
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(nil)
	e.start = func() {}
	e.router = r
	close(e.ready)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	d, degraded, err := e.Decide(ctx, diaryRequest())
	if !errors.Is(degraded, ErrLate) || d.Ranker != "lexical" || best(t, d, err) != "diary" {
		t.Errorf("%v, %+v", degraded, d)
	}
}

func TestWhatIsMadeMeanwhileIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	r := lexical(t)
	var meanwhile bool
	e := newEngine(func(do func(*activate.Router)) (*activate.Router, error) { do(r); meanwhile = true; return r, nil })
	d, _, err := e.Decide(t.Context(), diaryRequest())
	if !meanwhile || best(t, d, err) != "diary" {
		t.Errorf("%v, %+v", meanwhile, d)
	}
}

// early is taps whose model comes when it is told to.
type early struct{ *Engine }

func (early) Any() bool             { return true }
func (early) Begin()                {}
func (early) Catalog() *tap.Catalog { return desks }

func TestAPromptThatCameTooEarlyIsSpokenOfUntilTheNext(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	r := lexical(t)
	finish := make(chan struct{})
	l := New(Options{
		Taps: early{newEngine(func(func(*activate.Router)) (*activate.Router, error) { <-finish; return r, nil })},
		Log:  hclog.New(&hclog.LoggerOptions{Output: &log}),
	})
	said := func() string { return fmt.Sprint(l.Degraded(t.Context())) }
	l.noteLate(ErrLate)
	if !strings.Contains(said(), ErrLate.Error()) {
		t.Errorf("says %s", said())
	}
	close(finish)
	l.noteLate(nil)
	if err := l.Degraded(t.Context()); err != nil {
		t.Errorf("says %v", err)
	}
	if !strings.Contains(log.String(), "routed by words alone") {
		t.Errorf("log: %s", log.String())
	}
}

// silent is a model that answers nothing.
type silent struct{}

func (silent) ID() string { return "silent" }

func (silent) Encode(context.Context, []string) ([]embed.Encoding, error) {
	return nil, errors.New("its graph is another")
}

func TestAModelThatFailsCostsTheModelAlone(t *testing.T) {
	t.Parallel()
	scorer, err := activate.ReadScorer("../../models/" + embed.DefaultModel + "/" + activate.ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := activate.New(scorer, silent{}, "")
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(func(func(*activate.Router)) (*activate.Router, error) { return r, nil })
	d, degraded, err := e.Decide(t.Context(), diaryRequest())
	if !errors.Is(degraded, ErrFailed) || !strings.Contains(degraded.Error(), "its graph is another") || d.Ranker != "lexical" || best(t, d, err) != "diary" {
		t.Errorf("%v, %+v", degraded, d)
	}
}

// Of one name in two taps the first one's is meant, be the other a fork of it or
// what the user's own is put in place of.
func TestWhatAnEarlierTapHasTakesNothingFromIt(t *testing.T) {
	t.Parallel()
	list := slices.Clone(desks.Capabilities)
	for _, c := range desks.Capabilities {
		c.Tap = "fork/tools"
		list = append(list, c)
	}
	both := tap.Of(list)
	r := lexical(t)
	for _, prompt := range []string{diaryRequest().Prompt, "write a note into my diary"} {
		var got [2]activate.Decision
		for i, c := range []*tap.Catalog{desks, both} {
			var err error
			if got[i], err = r.Decide(t.Context(), activate.Request{Prompt: prompt, Candidates: Candidates(c, nil)}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(got[0], got[1], cmpopts.IgnoreUnexported(activate.Decision{})); diff != "" {
			t.Errorf("%q (-alone +beside a fork):\n%s", prompt, diff)
		}
	}
	coming := candidates(both, nil, func(name string) bool { return name == "fork/diary" })
	if len(coming) != 3 || coming[1].Name != "fork/diary" || !coming[1].Active {
		t.Errorf("what the session has: %+v", coming)
	}
	own := slices.DeleteFunc(coming, func(c activate.Candidate) bool { return c.Tap != "acme/tools" })
	if activate.Fingerprint(own) != activate.Fingerprint(Candidates(desks, nil)) {
		t.Errorf("the tap's own are %+v", own)
	}
}

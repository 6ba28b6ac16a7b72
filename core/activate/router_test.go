package activate

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// shop is a small tap that no scorer was trained on, and one capability without
// triggers.
var shop = readShop()

func readShop() []Candidate {
	raw, err := os.ReadFile("testdata/shop.jsonl")
	if err != nil {
		panic(err)
	}
	var out []Candidate
	for line := range strings.Lines(string(raw)) {
		var c struct {
			Capability, Description string
			Triggers, Domains       []string
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			panic(err)
		}
		if c.Capability != "" {
			out = append(out, Candidate{Name: c.Capability, Description: c.Description, Triggers: c.Triggers, Domains: c.Domains})
		}
	}
	return append(out, Candidate{Name: "unused"})
}

func lexicalRouter(t *testing.T) *Router {
	t.Helper()
	r, err := New(Lexical(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func decide(t *testing.T, r *Router, q Request) Decision {
	t.Helper()
	if q.Candidates == nil {
		q.Candidates = shop
	}
	if q.MinChars == 0 {
		q.MinChars = 8
	}
	d, err := r.Decide(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// with is shop with one candidate changed.
func with(name string, change func(*Candidate)) []Candidate {
	c := slices.Clone(shop)
	for i := range c {
		if c[i].Name == name {
			change(&c[i])
		}
	}
	return c
}

func TestWhatATriggerSaysComesFirst(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	for _, c := range shop[:4] {
		for _, trigger := range c.Triggers {
			d := decide(t, r, Request{Prompt: "please " + trigger, Domain: "logistics"})
			if d.Scores[0].Name != c.Name {
				t.Errorf("%q leads to %s", trigger, d.Scores[0].Name)
			}
		}
	}
}

func TestAWinnerThatMayNotBeActivatedSilencesTheRest(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	always := 0.0
	for gate, candidates := range map[Gate][]Candidate{
		Active:      with("orders", func(c *Candidate) { c.Active = true }),
		Static:      with("orders", func(c *Candidate) { c.Static = true }),
		Unready:     with("orders", func(c *Candidate) { c.Unready = true }),
		OutOfDomain: with("orders", func(c *Candidate) { c.Domains = []string{"sales"} }),
	} {
		d := decide(t, r, Request{
			Prompt: "cancel an order by its number, please cancel the order", Domain: "support", Candidates: candidates,
			ActivateAt: &always, SuggestAt: &always,
		})
		if d.Outcome != Silence || d.Scores[0].Gate != gate || !strings.Contains(d.Reason, string(gate)) {
			t.Errorf("%s: %s, winner %q, suggested %q, because %s", gate, d.Outcome, d.Winner, d.Suggested, d.Reason)
		}
	}
}

func TestActiveAndStaticOnesDoNotChangeTheScores(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	plain := decide(t, r, Request{Prompt: "print a parcel label for me"})
	d := decide(t, r, Request{Prompt: "print a parcel label for me", Candidates: with("labels", func(c *Candidate) { c.Active = true })})
	for i := range plain.Scores {
		if plain.Scores[i].Probability != d.Scores[i].Probability {
			t.Errorf("%s has %v, %v beside an active one", plain.Scores[i].Name, plain.Scores[i].Probability, d.Scores[i].Probability)
		}
	}
}

func TestThreeOutcomes(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	low, high := 0.0, 1.0
	prompt := "print a parcel label for me"
	if d := decide(t, r, Request{Prompt: prompt, ActivateAt: &low}); d.Outcome != Activate || d.Winner != "labels" || len(d.Suggested) > 2 || slices.Contains(d.Suggested, "labels") || slices.Contains(d.Suggested, "stock") {
		t.Errorf("activate: %+v", d)
	}
	if d := decide(t, r, Request{Prompt: prompt, ActivateAt: &low, NoSuggest: true}); d.Outcome != Activate || d.Suggested != nil {
		t.Errorf("activate, suggestions off: %+v", d)
	}
	d := decide(t, r, Request{Prompt: prompt, ActivateAt: &high, SuggestAt: &low})
	if d.Outcome != Suggest || d.Winner != "" || d.Suggested[0] != "labels" || len(d.Suggested) > 3 {
		t.Errorf("suggest: %+v", d)
	}
	if slices.Contains(d.Suggested, "stock") {
		t.Error("one that the domain excludes was suggested")
	}
	if d := decide(t, r, Request{Prompt: prompt, ActivateAt: &high, SuggestAt: &low, NoSuggest: true}); d.Outcome != Silence {
		t.Errorf("suggestions off: %+v", d)
	}
	if d := decide(t, r, Request{Prompt: prompt, ActivateAt: &high, SuggestAt: &high}); d.Outcome != Silence {
		t.Errorf("silence: %+v", d)
	}
}

func TestTooLittleOfTheUsersOwnIsSilence(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	always := 0.0
	for _, prompt := range []string{"", "   ", "ok", "a b c d e f g", "```\ncancel an order\n```", "<log>cancel an order</log>"} {
		d := decide(t, r, Request{Prompt: prompt, ActivateAt: &always})
		if d.Outcome != Silence || !strings.Contains(d.Reason, "characters") {
			t.Errorf("%q: %s because %s", prompt, d.Outcome, d.Reason)
		}
	}
	if d := decide(t, r, Request{Prompt: "cancel an order", Candidates: []Candidate{{Name: "unused"}}}); d.Outcome != Silence {
		t.Errorf("without candidates: %+v", d)
	}
}

func TestOneCandidateIsEnough(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	always := 0.0
	d := decide(t, r, Request{Prompt: "cancel an order", Candidates: shop[:1], ActivateAt: &always})
	if d.Winner != "orders" || d.None+d.Scores[0].Probability < 0.999 {
		t.Errorf("%+v", d)
	}
}

func TestDecisionsAreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	want := decide(t, lexicalRouter(t), Request{Prompt: "move the stock of labels for this order to another warehouse"})
	for range 20 {
		got := decide(t, lexicalRouter(t), Request{Prompt: "move the stock of labels for this order to another warehouse"})
		for i := range want.Scores {
			if got.Scores[i].Probability != want.Scores[i].Probability {
				t.Fatalf("%s has %v, then %v", got.Scores[i].Name, want.Scores[i].Probability, got.Scores[i].Probability)
			}
		}
	}
}

func TestManySessionsAskOneRouter(t *testing.T) {
	t.Parallel()
	r := lexicalRouter(t)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			c := shop
			if i%2 == 0 {
				c = shop[:3]
			}
			d, err := r.Decide(context.Background(), Request{Prompt: "cancel an order", Candidates: c})
			if err != nil || d.Scores[0].Name != "orders" {
				t.Errorf("%v %v", d.Scores, err)
			}
		})
	}
	wg.Wait()
}

// hashing is a model whose vectors follow from the words of a text.
type hashing struct{ dims int }

func (hashing) ID() string { return "hashing" }

func (h hashing) Encode(_ context.Context, texts []string) ([]embed.Encoding, error) {
	var out []embed.Encoding
	for _, text := range texts {
		e := embed.Encoding{Vector: make([]float32, h.dims)}
		for _, w := range strings.Fields(text) {
			token := make([]float32, h.dims)
			f := fnv.New32()
			fmt.Fprint(f, w)
			token[int(f.Sum32())%h.dims] = 1
			e.Tokens = append(e.Tokens, token)
			e.Vector[int(f.Sum32())%h.dims] = 1
		}
		norm := float32(0)
		for _, x := range e.Vector {
			norm += x * x
		}
		for i := range e.Vector {
			e.Vector[i] /= float32(math.Sqrt(float64(max(norm, 1))))
		}
		out = append(out, e)
	}
	return out, nil
}

func TestAModelOfAnotherSizeIsAnError(t *testing.T) {
	t.Parallel()
	s, err := ReadScorer("../../models/" + embed.DefaultModel + "/" + ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, hashing{dims: 12}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Decide(t.Context(), Request{Prompt: "cancel an order", Candidates: shop}); err == nil || !strings.Contains(err.Error(), "384") {
		t.Errorf("got %v", err)
	}
}

func TestEveryFeatureOfAModelIsFinite(t *testing.T) {
	t.Parallel()
	s, err := ReadScorer("../../models/" + embed.DefaultModel + "/" + ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, hashing{dims: 384}, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"cancel an order", "!!!!!!!!!!", "取消我的订单请尽快处理好吗", strings.Repeat("cancel ", 500)} {
		d := decide(t, r, Request{Prompt: prompt})
		sum := d.None
		for _, s := range d.Scores {
			sum += s.Probability
			for name, x := range s.Features {
				if math.IsNaN(x) || math.Abs(x) > 1.001 {
					t.Errorf("%.20q: %s of %s is %v", prompt, name, s.Name, x)
				}
			}
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("%.20q: the probabilities sum to %v", prompt, sum)
		}
	}
}

package activate

import (
	"math"
	"slices"
	"testing"
)

// twoTaps are shop's capabilities as those of two taps.
func twoTaps() (all, first, second []Candidate) {
	for i, c := range shop {
		c.Tap = "acme/one"
		if i >= 2 {
			c.Tap = "acme/two"
		}
		all = append(all, c)
		if i >= 2 {
			second = append(second, c)
		} else {
			first = append(first, c)
		}
	}
	return all, first, second
}

func TestTheTapOfTheOneThatFitsBestDecides(t *testing.T) {
	t.Parallel()
	all, first, second := twoTaps()
	r := lexicalRouter(t)
	prompt := Request{Prompt: "cancel an order by its number, please cancel the order", Domain: "logistics", Candidates: all}
	plain := decide(t, r, prompt)
	if plain.Scores[0].Name != "orders" || plain.Calibrated != "" {
		t.Fatalf("%+v", plain)
	}
	strict := Calibration{Scale: 1, Thresholds: Thresholds{1, 1, 1}}
	r.Calibrate(map[string]Calibration{Fingerprint(first): strict})
	d := decide(t, r, prompt)
	if d.Outcome != Silence || d.Calibrated != "acme/one" || d.Thresholds != strict.Thresholds {
		t.Errorf("its own tap's: %s by %q, %+v", d.Outcome, d.Calibrated, d.Thresholds)
	}
	r.Calibrate(map[string]Calibration{Fingerprint(second): strict})
	if d := decide(t, r, prompt); d.Outcome != plain.Outcome || d.Calibrated != "" || d.Thresholds != plain.Thresholds {
		t.Errorf("the other tap's: %s by %q, %+v", d.Outcome, d.Calibrated, d.Thresholds)
	}
	always := 0.0
	r.Calibrate(map[string]Calibration{Fingerprint(first): strict})
	prompt.ActivateAt = &always
	if d := decide(t, r, prompt); d.Outcome != Activate {
		t.Errorf("a setting of the user's goes before it: %s", d.Outcome)
	}
}

func TestACalibrationChangesTheOddsOfItsTapAlone(t *testing.T) {
	t.Parallel()
	all, first, _ := twoTaps()
	r := lexicalRouter(t)
	prompt := Request{Prompt: "print a label for the order and move the stock", Domain: "logistics", Candidates: all}
	odds := func(d Decision) map[string]float64 {
		sum, out := d.None, map[string]float64{}
		for _, s := range d.Scores {
			sum += s.Probability
			out[s.Name] = math.Log(s.Probability / d.None)
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("the probabilities sum to %v", sum)
		}
		return out
	}
	before := odds(decide(t, r, prompt))
	r.Calibrate(map[string]Calibration{Fingerprint(first): {Scale: 0.5, Bias: 1}})
	for name, got := range odds(decide(t, r, prompt)) {
		want := before[name]
		if slices.ContainsFunc(first, func(c Candidate) bool { return c.Name == name }) {
			want = 0.5*want + 1
		}
		if !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
}

func TestEveryEditOfATapEndsItsCalibration(t *testing.T) {
	t.Parallel()
	_, first, _ := twoTaps()
	was := Fingerprint(first)
	shuffled := slices.Clone(first)
	slices.Reverse(shuffled)
	shuffled[0].Name = "acme/" + shuffled[0].Name // as one that another tap hides is known
	shuffled[0].Active, shuffled[0].Unready = true, true
	if Fingerprint(append(shuffled, Candidate{Name: "without triggers"})) != was {
		t.Error("order, organisation, state and what no prompt leads to count")
	}
	for name, change := range map[string]func(*Candidate){
		"title":       func(c *Candidate) { c.Title += "!" },
		"description": func(c *Candidate) { c.Description += "!" },
		"triggers":    func(c *Candidate) { c.Triggers = append(slices.Clone(c.Triggers), "another") },
		"domains":     func(c *Candidate) { c.Domains = []string{"elsewhere"} },
		"name":        func(c *Candidate) { c.Name += "-2" },
	} {
		edited := slices.Clone(first)
		change(&edited[0])
		if Fingerprint(edited) == was {
			t.Errorf("an edit of the %s is not seen", name)
		}
	}
	if Fingerprint(first[:1]) == was {
		t.Error("one that is gone is not missed")
	}
}

func TestWithIsWhatTheRouterWouldHaveDecided(t *testing.T) {
	t.Parallel()
	_, first, _ := twoTaps()
	r := lexicalRouter(t)
	c := Calibration{Scale: 0.7, Bias: -4, Thresholds: Thresholds{0.9, 0.2, 0.1}}
	prompts := []string{"cancel an order", "thanks, that is all", "is stock low anywhere, what would you say"}
	for _, x := range first { // a trigger is sure under any calibration
		prompts = append(prompts, x.Triggers[0])
	}
	for _, prompt := range prompts {
		q := Request{Prompt: prompt, Candidates: first, Domain: "logistics"}
		r.Calibrate(nil)
		got := decide(t, r, q).With(c)
		r.Calibrate(map[string]Calibration{Fingerprint(first): c})
		want := decide(t, r, q)
		if got.Outcome != want.Outcome || got.Winner != want.Winner || !slices.Equal(got.Suggested, want.Suggested) || got.Thresholds != want.Thresholds {
			t.Errorf("%q: %s %s %v, want %s %s %v", prompt, got.Outcome, got.Winner, got.Suggested, want.Outcome, want.Winner, want.Suggested)
		}
	}
}

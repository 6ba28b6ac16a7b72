package activate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// reading is a model of noise whose joint network says what a test wants.
type reading struct {
	read []embed.Candidate // of the last call
	say  func(i int, c embed.Candidate) float64
	none float64
	more int // scores beyond those asked for
}

func (*reading) ID() string    { return "reading" }
func (*reading) Chooses() bool { return true }

func (*reading) Encode(_ context.Context, texts []string) ([]embed.Encoding, error) {
	out := make([]embed.Encoding, len(texts))
	for i, text := range texts {
		h := fnv.New64a()
		h.Write([]byte(text))
		draw := rand.New(rand.NewPCG(h.Sum64(), 1))
		v := make([]float32, 384)
		for j := range v {
			v[j] = float32(draw.NormFloat64() / math.Sqrt(384))
		}
		out[i] = embed.Encoding{Vector: v, Tokens: [][]float32{v}}
	}
	return out, nil
}

func (m *reading) Choose(_ context.Context, _ string, candidates []embed.Candidate) ([]float64, float64, error) {
	m.read = candidates
	each := make([]float64, len(candidates)+m.more)
	for i, c := range candidates {
		each[i] = m.say(i, c)
	}
	return each, m.none, nil
}

func jointRouter(t *testing.T, m *reading, w *jointWeights) *Router {
	t.Helper()
	s, err := ReadScorer(defaultBundle + "/" + ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	s.Joint = w
	r, err := New(s, m, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatIsReadJointlyDecides(t *testing.T) {
	t.Parallel()
	prompt := "print a parcel label for me"
	plain := decide(t, jointRouter(t, &reading{}, nil), Request{Prompt: prompt})
	second := plain.Scores[1].Name
	var card string
	for _, c := range shop {
		if c.Name == second {
			card = c.Description
		}
	}
	m := &reading{none: -30, say: func(_ int, c embed.Candidate) float64 {
		if c.Card == card {
			return 30
		}
		return -30
	}}
	w := &jointWeights{Candidates: 3, Weight: 1, Beyond: 0.5}
	d := decide(t, jointRouter(t, m, w), Request{Prompt: prompt})
	if d.Scores[0].Name != second || d.Scores[0].Probability < 0.9 {
		t.Errorf("%s leads with %.3f; the joint reading says %s", d.Scores[0].Name, d.Scores[0].Probability, second)
	}
	if len(m.read) != 3 {
		t.Errorf("%d candidates were read, want the three that lead", len(m.read))
	}
	for _, c := range m.read {
		if c.Card == "" || c.Trigger == "" {
			t.Errorf("read without its texts: %+v", c)
		}
	}
	m.none, m.say = 30, func(int, embed.Candidate) float64 { return -30 }
	if d := decide(t, jointRouter(t, m, w), Request{Prompt: prompt}); d.Outcome != Silence || d.None < 0.9 {
		t.Errorf("the joint reading says none, and it is %s with none at %.3f", d.Outcome, d.None)
	}
	w.Weight = 0
	same := decide(t, jointRouter(t, m, w), Request{Prompt: prompt})
	for i, s := range same.Scores {
		if !(math.Abs(s.Probability-plain.Scores[i].Probability) <= 1e-6) {
			t.Errorf("without weight %s changes from %v to %v", s.Name, plain.Scores[i].Probability, s.Probability)
		}
	}
}

func TestAPromptIsNotRoutedByAReadingThatIsBroken(t *testing.T) {
	t.Parallel()
	m := &reading{more: 1, say: func(int, embed.Candidate) float64 { return 0 }}
	r := jointRouter(t, m, &jointWeights{Candidates: 3, Weight: 1})
	if _, err := r.Decide(t.Context(), Request{Prompt: "print a parcel label", Candidates: shop}); err == nil || !strings.Contains(err.Error(), "4 scores for 3") {
		t.Errorf("got %v", err)
	}
}

func TestFewerCandidatesThanAreRead(t *testing.T) {
	t.Parallel()
	m := &reading{say: func(int, embed.Candidate) float64 { return 5 }}
	d := decide(t, jointRouter(t, m, &jointWeights{Candidates: 3, Weight: 1}), Request{Prompt: "print a parcel label", Candidates: shop[:1]})
	if len(m.read) != 1 || len(d.Scores) != 1 || math.IsNaN(d.Scores[0].Probability) {
		t.Errorf("read %d, scores %+v", len(m.read), d.Scores)
	}
}

func TestMixingKeepsProbabilities(t *testing.T) {
	t.Parallel()
	each, none := jointWeights{Weight: 0.7, Beyond: 1}.mix(Joint{Read: []int{2, 0}, Each: []float64{4, -900}, None: 1}, []float64{0, 1, 0}, 0)
	sum := none
	for _, p := range each {
		if p < 0 || math.IsNaN(p) {
			t.Fatalf("%v is no probability", p)
		}
		sum += p
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		t.Errorf("they sum to %v", sum)
	}
}

func TestJointWeightsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{`{"candidates": 0, "weight": 1}`, `{"candidates": 99, "weight": 1}`, `{"candidates": 3, "weight": -1}`, `{"candidates": 3, "weight": 1, "beyond": -1}`, `{"candidates": 3, "weight": 1, "clear": -1}`, `{"candidates": 3, "weight": 1, "faint": -1}`} {
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(lexicalScorer, &doc); err != nil {
			t.Fatal(err)
		}
		// Without a model even a sound one is none.
		for _, joint := range []string{bad, `{"candidates": 3, "weight": 1}`} {
			doc["joint"] = json.RawMessage(joint)
			raw, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parseScorer(raw); err == nil || !strings.Contains(err.Error(), "joint") {
				t.Errorf("%s: got %v", joint, err)
			}
		}
	}
}

func TestWhatIsClearIsNotReadJointly(t *testing.T) {
	t.Parallel()
	m := &reading{say: func(int, embed.Candidate) float64 { return 0 }}
	prompt := Request{Prompt: "print a parcel label for me"}
	plain := decide(t, jointRouter(t, &reading{}, nil), prompt)
	leading := max(plain.None, plain.Scores[0].Probability)
	for clear, read := range map[float64]bool{0: true, leading + 1e-6: true, leading - 1e-6: false} {
		m.read = nil
		d := decide(t, jointRouter(t, m, &jointWeights{Candidates: 3, Weight: 1, Clear: clear}), prompt)
		if (m.read != nil) != read {
			t.Errorf("with %.6f leading and clear from %.6f on: read %v", leading, clear, m.read)
		}
		if !read && d.None != plain.None {
			t.Errorf("not read, and none is %v in place of %v", d.None, plain.None)
		}
	}
}

func TestNothingIsReadWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	m := &reading{say: func(int, embed.Candidate) float64 { return 0 }}
	r := jointRouter(t, m, &jointWeights{Candidates: 3, Weight: 1, Clear: 0.9})
	if o, err := r.Observe(t.Context(), "print a parcel label for me", "", nil); err != nil || o.Joint != nil {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestNumbersThatAreNoneAreAnError(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]float64{"not a number": math.NaN(), "infinite": math.Inf(1)} {
		m := &reading{say: func(int, embed.Candidate) float64 { return bad }}
		r := jointRouter(t, m, &jointWeights{Candidates: 3, Weight: 1})
		if d, err := r.Decide(t.Context(), Request{Prompt: "print a parcel label for me", Candidates: readShop()}); err == nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestScorersThatCannotBe(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(defaultBundle + "/" + ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	nan := base64.StdEncoding.EncodeToString([]byte{0, 0, 0xc0, 0x7f})
	for name, spoil := range map[string]func(doc map[string]any){
		"no thresholds":     func(doc map[string]any) { delete(doc, "calibration") },
		"activating always": func(doc map[string]any) { doc["calibration"].(map[string]any)["activate_at"] = 0 },
		"suggesting always": func(doc map[string]any) { doc["calibration"].(map[string]any)["suggest_at"] = -1 },
		"baseline without":  func(doc map[string]any) { doc["baselines"] = map[string]any{"top3": map[string]any{}} },
		"no number in the basis": func(doc map[string]any) {
			p := doc["projection"].(map[string]any)
			p["basis"] = nan + p["basis"].(string)
		},
		"no number in the mean": func(doc map[string]any) { doc["projection"].(map[string]any)["mean"] = nan },
		"no weights for few":    func(doc map[string]any) { delete(doc, "few") },
		"no projection":         func(doc map[string]any) { delete(doc, "projection") },
	} {
		var doc map[string]any
		if err := json.Unmarshal(whole, &doc); err != nil {
			t.Fatal(err)
		}
		spoil(doc)
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseScorer(raw); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestWhatCannotWinIsNotRead(t *testing.T) {
	t.Parallel()
	m := &reading{say: func(int, embed.Candidate) float64 { return 0 }}
	prompt := Request{Prompt: "print a parcel label for me"}
	plain := decide(t, jointRouter(t, &reading{}, nil), prompt).Scores
	for name, c := range map[string]struct {
		faint float64
		read  int
	}{
		"all are read":      {0, 3},
		"the second, just":  {plain[1].Probability / plain[0].Probability * (1 - 1e-9), 2},
		"the leading alone": {1 + 1e-9, 1},
	} {
		m.read = nil
		decide(t, jointRouter(t, m, &jointWeights{Candidates: 3, Weight: 1, Faint: c.faint}), prompt)
		if len(m.read) != c.read {
			t.Errorf("%s: %d read", name, len(m.read))
		}
	}
}

func TestNoTitleIsReadJointlyBesideADescription(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ title, description, want string }{
		{"Weather", "Tell what the weather will be like.", "Tell what the weather will be like."},
		{"Weather", "", "Weather"},
	} {
		m := &reading{say: func(int, embed.Candidate) float64 { return 0 }}
		candidate := Candidate{Name: "weather", Title: c.title, Description: c.description, Triggers: []string{"will it rain tomorrow"}}
		r := jointRouter(t, m, &jointWeights{Candidates: 1, Weight: 1})
		if _, err := r.Decide(t.Context(), Request{Prompt: "do I need an umbrella today?", Candidates: []Candidate{candidate}}); err != nil {
			t.Fatal(err)
		}
		if len(m.read) != 1 || m.read[0].Card != c.want {
			t.Errorf("%q, %q: read as %+v, want %q", c.title, c.description, m.read, c.want)
		}
	}
}

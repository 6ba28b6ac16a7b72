package activate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// Calibration adjusts a router to the capabilities of one tap: their odds
// against "none" become Scale times as large in logarithm, plus Bias. The zero
// Scale stands for 1.
type Calibration struct {
	Scale float64 `json:"scale"`
	Bias  float64 `json:"bias"`
	Thresholds
}

// Fingerprint identifies what a router reads of a tap's capabilities. Where it
// has changed, a calibration of the tap is out of date. The order does not
// count, nor does by which name, with the organisation or without, they are
// known.
func Fingerprint(candidates []Candidate) string {
	var lines []string
	for _, c := range routable(candidates) {
		lines = append(lines, fmt.Sprintf("%q %q %q %q %q\n", path.Base(c.Name), c.Title, c.Description, c.Triggers, c.Domains))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:16])
}

// Scorer identifies what turns prompts into probabilities: the model and the
// scorer's weights. A calibration is made for one.
func (r *Router) Scorer() string {
	if m := r.Model(); m != nil {
		return ScorerID(m.ID(), r.scorer)
	}
	return ScorerID(r.Ranker(), r.scorer)
}

// ScorerID is what [Router.Scorer] returns for a router of a model and a scorer.
func ScorerID(model string, s *Scorer) string { return model + "-" + s.sum }

// Calibrate sets the calibrations of taps, by [Fingerprint]. Each is used for
// the candidates of a tap with these very texts, as [Candidate.Tap] groups them:
// where a tap is edited its calibration is used no more.
func (r *Router) Calibrate(byFingerprint map[string]Calibration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calibrations, r.field = byFingerprint, nil
}

// tuned is the calibration of a candidate's tap.
type tuned struct {
	tap string
	Calibration
}

// tune gives the candidates of each tap its calibration.
func (f *field) tune(candidates []Candidate, calibrations map[string]Calibration) {
	if len(calibrations) == 0 {
		return
	}
	taps := map[string][]Candidate{}
	for _, c := range candidates {
		taps[c.Tap] = append(taps[c.Tap], c)
	}
	of := map[string]*tuned{}
	for name, list := range taps {
		if c, ok := calibrations[Fingerprint(list)]; ok {
			of[name] = &tuned{name, c}
		}
	}
	if len(of) == 0 {
		return
	}
	f.tuned = map[string]*tuned{}
	for _, c := range candidates {
		if t := of[c.Tap]; t != nil {
			f.tuned[c.Name] = t
		}
	}
}

// leastProbability keeps logarithms finite.
const leastProbability = 1e-12

// adjust applies calibrations to the odds of their candidates: of returns nil
// for one without.
func (d *Decision) adjust(of func(name string) *tuned) {
	odds := make([]float64, len(d.Scores))
	for i, s := range d.Scores {
		odds[i] = math.Log(max(s.Probability, leastProbability) / max(d.None, leastProbability))
		if t := of(s.Name); t != nil {
			if t.Scale != 0 {
				odds[i] *= t.Scale
			}
			odds[i] += t.Bias
		}
	}
	each, none := softmax(odds, 0)
	d.None = none
	for i := range d.Scores {
		d.Scores[i].Probability = each[i]
	}
}

// With is the decision that would have been taken with a calibration of all
// candidates. Suggestions are on.
func (d Decision) With(c Calibration) Decision {
	if len(d.Scores) == 0 {
		return d
	}
	d.Scores = slices.Clone(d.Scores)
	d.adjust(func(string) *tuned { return &tuned{Calibration: c} })
	d.raise()
	d.sort()
	return d.At(c.Thresholds)
}

// At is the decision that would have been taken with other thresholds.
// Suggestions are on.
func (d Decision) At(t Thresholds) Decision {
	d.Thresholds, d.Outcome, d.Winner, d.Suggested = t, Silence, "", nil
	if len(d.Scores) > 0 {
		d.settle(true)
	}
	return d
}

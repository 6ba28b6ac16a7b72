package activate

import (
	"cmp"
	"fmt"
	"slices"
)

// Outcome is what becomes of a prompt.
type Outcome string

const (
	Activate Outcome = "activate" // the winner is enabled, up to two others are named
	Suggest  Outcome = "suggest"  // up to three are named
	Silence  Outcome = "silence"
)

const maxSuggested = 3

// worthNaming is the least share of the first one's probability that another
// has which is named.
const worthNaming = 0.05

// Score is one candidate's part in a decision.
type Score struct {
	Name        string             `json:"name"`
	Probability float64            `json:"probability"`
	Gate        Gate               `json:"gate,omitempty"`
	Features    map[string]float64 `json:"features"`
}

// Decision is what becomes of one prompt, and why.
type Decision struct {
	Outcome    Outcome    `json:"outcome"`
	Winner     string     `json:"winner,omitempty"`    // what to activate
	Suggested  []string   `json:"suggested,omitempty"` // best first; beside a winner those that come near it
	Reason     string     `json:"reason"`
	Ranker     string     `json:"ranker"` // the model's name, or "lexical"
	Prompt     string     `json:"prompt"` // the words that counted
	None       float64    `json:"none"`   // the probability that nothing fits
	Thresholds Thresholds `json:"thresholds"`
	Calibrated string     `json:"calibrated,omitempty"` // the tap whose calibration the thresholds are
	Scores     []Score    `json:"scores"`               // every candidate, best first

	said string // the one that has the prompt among its triggers, "" for none
}

func (d *Decision) sort() {
	slices.SortStableFunc(d.Scores, func(a, b Score) int { return cmp.Compare(b.Probability, a.Probability) })
}

// settle draws the outcome from the scores, best first.
func (d *Decision) settle(suggest bool) {
	best := d.Scores[0]
	if best.Gate != Open {
		d.silence("%s fits best and is %s", best.Name, best.Gate)
		return
	}
	names, mass := d.worthSuggesting()
	if best.Probability >= d.Thresholds.ActivateAt {
		d.Outcome, d.Winner = Activate, best.Name
		d.Reason = fmt.Sprintf("%s has %.2f, at least %.2f", best.Name, best.Probability, d.Thresholds.ActivateAt)
		if suggest && len(names) > 1 {
			d.Suggested = names[1:] // should it be the wrong one, the right one is mostly among these
		}
		return
	}
	switch {
	case !suggest:
		d.silence("%s has %.2f, below %.2f, and suggestions are off", best.Name, best.Probability, d.Thresholds.ActivateAt)
	case mass < d.Thresholds.SuggestAt:
		d.silence("the best have %.2f together, below %.2f; that nothing fits has %.2f", mass, d.Thresholds.SuggestAt, d.None)
	default:
		d.Outcome, d.Suggested = Suggest, names
		d.Reason = fmt.Sprintf("%s has %.2f, below %.2f; the best have %.2f together, at least %.2f",
			best.Name, best.Probability, d.Thresholds.ActivateAt, mass, d.Thresholds.SuggestAt)
	}
}

// worthSuggesting are those that a suggestion would name, and their probability
// together.
func (d Decision) worthSuggesting() (names []string, share float64) {
	for _, s := range d.Scores {
		if s.Gate == Open && len(names) < maxSuggested && s.Probability >= worthNaming*d.Scores[0].Probability {
			names = append(names, s.Name)
			share += s.Probability
		}
	}
	return names, share
}

// Share is the probability, together, of those that a suggestion would name.
func (d Decision) Share() float64 {
	_, share := d.worthSuggesting()
	return share
}

func (d *Decision) silence(format string, args ...any) {
	d.Outcome, d.Reason = Silence, fmt.Sprintf(format, args...)
}

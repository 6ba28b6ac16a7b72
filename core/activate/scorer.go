package activate

import (
	"crypto/sha256"
	_ "embed" // for the scorer that needs no model
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/file"
)

// ScorerFile is the scorer's file in a model's bundle.
const ScorerFile = embed.ScorerFile

// mostRead is how many candidates one joint reading can hold.
const mostRead = 8

const scorerSchema = "ctx.scorer/v1"

// Thresholds are where a decision turns, all of them probabilities.
type Thresholds struct {
	ActivateAt float64 `json:"activate_at"` // of the winner
	SuggestAt  float64 `json:"suggest_at"`  // of those that would be suggested, together
	DiscoverAt float64 `json:"discover_at"` // of each that somebody who asks is told of
}

// Scorer turns features into probabilities. It is linear: a score for every
// candidate and one for "none of them", and the softmax over all. It knows no
// candidate by name.
type Scorer struct {
	Schema      string                `json:"schema"`
	Model       string                `json:"model"` // the bundle's name, "" for the scorer that needs none
	Version     int                   `json:"version"`
	Features    []string              `json:"features"`
	Projection  *projectionFile       `json:"projection,omitempty"`
	Candidate   []float64             `json:"candidate"`     // weights, see relative
	OutOfDomain float64               `json:"out_of_domain"` // added for one that the session's domain excludes
	None        noneWeights           `json:"none"`
	Few         fewWeights            `json:"few"`             // added to the others, the more the fewer candidates there are
	Joint       *jointWeights         `json:"joint,omitempty"` // nil: nothing is read jointly
	Calibration Thresholds            `json:"calibration"`
	Baselines   map[string]Thresholds `json:"baselines,omitempty"` // of rankers that are only compared with

	projection *projection
	names      []string // of None.Wording, sorted
	sum        string   // of the file
}

// fewWeights count 1/sqrt(n) times among n candidates: with few of them there is
// little that a score could be compared with.
type fewWeights struct {
	Candidate   []float64 `json:"candidate"`
	OutOfDomain float64   `json:"out_of_domain"`
	Field       []float64 `json:"field"`
	Bias        float64   `json:"bias"`
}

type noneWeights struct {
	Bias    float64            `json:"bias"`
	Field   []float64          `json:"field"`             // weights, see summary
	Vector  []float64          `json:"vector,omitempty"`  // weights of the prompt's vector
	Wording map[string]float64 `json:"wording,omitempty"` // weights of wording
}

// projectionFile holds numbers as base64 of little-endian float32.
type projectionFile struct {
	Dims  int    `json:"dims"`
	Mean  string `json:"mean"`
	Basis string `json:"basis"`
}

//go:embed lexical.json
var lexicalScorer []byte

// Lexical is the scorer that works without a model.
func Lexical() *Scorer {
	s, err := parseScorer(lexicalScorer)
	if err != nil {
		panic("activate: the built-in scorer: " + err.Error())
	}
	return s
}

// ReadScorer reads a scorer file.
func ReadScorer(path string) (*Scorer, error) {
	raw, err := file.Read(path)
	if err != nil {
		return nil, fmt.Errorf("read scorer: %w", err)
	}
	s, err := parseScorer(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func parseScorer(raw []byte) (*Scorer, error) {
	s := &Scorer{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, err
	}
	if s.Schema != scorerSchema {
		return nil, fmt.Errorf("its schema is %q; this version of ctx reads %q", s.Schema, scorerSchema)
	}
	want := LexicalFeatures
	if s.Model != "" {
		want = slices.Concat(SemanticFeatures, LexicalFeatures)
	}
	n := len(want)
	switch {
	case !slices.Equal(s.Features, want):
		return nil, fmt.Errorf("its features are %q; this version of ctx computes %q", s.Features, want)
	case len(s.Candidate) != relatives*n || len(s.None.Field) != summaries*n || len(s.Few.Candidate) != relatives*n || len(s.Few.Field) != summaries*n:
		return nil, fmt.Errorf("%d, %d, %d and %d weights for %d features",
			len(s.Candidate), len(s.None.Field), len(s.Few.Candidate), len(s.Few.Field), n)
	case (s.Model != "") != (s.Projection != nil):
		return nil, errors.New("a projection belongs to a model, and a model's scorer needs one")
	}
	if j := s.Joint; j != nil && (s.Model == "" || j.Candidates < 1 || j.Candidates > mostRead || j.Weight < 0 || j.Beyond < 0 || j.Clear < 0 || j.Faint < 0) {
		return nil, fmt.Errorf("its joint part is for %d candidates with the weights %g and %g", j.Candidates, j.Weight, j.Beyond)
	}
	for _, t := range append(slices.Collect(maps.Values(s.Baselines)), s.Calibration) {
		// At 0 everything would pass.
		if t.ActivateAt <= 0 || t.SuggestAt <= 0 || t.DiscoverAt < 0 {
			return nil, fmt.Errorf("its thresholds %g, %g and %g are missing, or are no probabilities", t.ActivateAt, t.SuggestAt, t.DiscoverAt)
		}
	}
	if p := s.Projection; p != nil {
		mean, errMean := floats(p.Mean)
		basis, errBasis := floats(p.Basis)
		if err := errors.Join(errMean, errBasis); err != nil {
			return nil, fmt.Errorf("its projection: %w", err)
		}
		if p.Dims < 1 || p.Dims > len(basis) || len(basis) != p.Dims*len(mean) || len(s.None.Vector) != len(mean) {
			return nil, fmt.Errorf("its projection has %d numbers for %d times %d", len(basis), p.Dims, len(mean))
		}
		s.projection = &projection{p.Dims, mean, basis}
	}
	sum := sha256.Sum256(raw)
	s.sum = hex.EncodeToString(sum[:4])
	s.names = slices.Sorted(maps.Keys(s.None.Wording))
	return s, nil
}

func floats(text string) ([]float32, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(raw)/4)
	for i := range out {
		if out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])); out[i]-out[i] != 0 {
			return nil, fmt.Errorf("its number %d is %g", i, out[i])
		}
	}
	return out, nil
}

// probabilities returns one probability per row of features, and that of none.
// outside tells which candidates the session's domain excludes: they are asked
// for less often, and no more is made of it here.
func (s *Scorer) probabilities(rows [][]float64, outside []bool, prompt string, vector []float32) (each []float64, none float64) {
	n := len(s.Features)
	few := 1 / math.Sqrt(float64(len(rows)))
	stats := summarise(rows, outside, n)
	each = make([]float64, len(rows))
	for i, row := range rows {
		if outside[i] {
			each[i] = s.OutOfDomain + few*s.Few.OutOfDomain
		}
		for j, x := range row {
			for k, r := range stats[j].relative(x, outside[i]) {
				each[i] += (s.Candidate[k*n+j] + few*s.Few.Candidate[k*n+j]) * r
			}
		}
	}
	none = s.None.Bias + few*s.Few.Bias
	for j := range stats {
		for k, x := range stats[j].summary() {
			none += (s.None.Field[k*n+j] + few*s.Few.Field[k*n+j]) * x
		}
	}
	for i, x := range vector {
		none += s.None.Vector[i] * float64(x)
	}
	marks := wording(prompt)
	for _, name := range s.names { // sorted: a sum must come out the same every time
		none += s.None.Wording[name] * marks[name]
	}
	return softmax(each, none)
}

func softmax(each []float64, none float64) ([]float64, float64) {
	highest := max(none, slices.Max(append([]float64{none}, each...)))
	none = math.Exp(none - highest)
	sum := none
	for i := range each {
		each[i] = math.Exp(each[i] - highest)
		sum += each[i]
	}
	for i := range each {
		each[i] /= sum
	}
	return each, none / sum
}

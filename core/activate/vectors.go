package activate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// Encoder is a sentence model.
type Encoder interface {
	ID() string
	Encode(ctx context.Context, texts []string) ([]embed.Encoding, error)
}

// maxTokens is how many tokens of a text are compared one by one.
const maxTokens = 64

// encoded is a text as the features need it.
type encoded struct {
	vector []float32 // of length 1
	tokens []float32 // projected, each of length 1, one after the other
}

// packer makes one row of numbers of an encoding, so that a cache can keep it:
// the vector, then the projected tokens.
type packer struct {
	model Encoder
	*projection
}

func (p packer) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	encodings, err := p.model.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	rows := make([][]float32, len(encodings))
	for i, e := range encodings {
		if len(e.Vector) != len(p.mean) {
			return nil, fmt.Errorf("the scorer is made for %d dimensions, the model has %d", len(p.mean), len(e.Vector))
		}
		row := append(make([]float32, 0, len(e.Vector)+len(e.Tokens)*p.dims), e.Vector...)
		for _, token := range e.Tokens[:min(len(e.Tokens), maxTokens)] {
			row = p.project(row, token)
		}
		rows[i] = row
	}
	return rows, nil
}

// Fits implements [embed.Embedder].
func (p packer) Fits(row []float32) bool {
	tokens := len(row) - len(p.mean)
	return tokens >= 0 && tokens%p.dims == 0 && tokens <= maxTokens*p.dims && !slices.ContainsFunc(row, func(x float32) bool { return x-x != 0 })
}

func (p packer) unpack(row []float32) encoded {
	n := len(p.mean)
	return encoded{row[:n:n], row[n:]}
}

// projection takes token vectors to few dimensions, in which they are compared.
type projection struct {
	dims  int
	mean  []float32
	basis []float32 // dims rows of len(mean)
}

func (p *projection) project(out, token []float32) []float32 {
	centred := make([]float32, len(p.mean))
	for i, x := range token {
		centred[i] = x - p.mean[i]
	}
	start := len(out)
	norm := float32(0)
	for d := range p.dims {
		x := dot(centred, p.basis[d*len(centred):])
		out = append(out, x)
		norm += x * x
	}
	scale := 1 / max(float32(math.Sqrt(float64(norm))), 1e-9)
	for i := start; i < len(out); i++ {
		out[i] *= scale
	}
	return out
}

// dot multiplies a with as many numbers of b. Four sums at a time: a single one
// would wait for each addition.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for len(a) >= 4 {
		x, y := (*[4]float32)(a), (*[4]float32)(b)
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return s0 + s1 + s2 + s3
}

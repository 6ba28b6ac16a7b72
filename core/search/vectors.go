package search

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Embedder turns texts into vectors of one size and of length 1, in their order.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// batch is how many texts are embedded at once: what a model makes of every
// token of a text takes 200 KB until the whole batch is done.
const batch = 32

// Vectors are those of a list of texts, row after row in one piece of memory, so
// that a processor reads them as fast as it can. They do not change.
type Vectors struct {
	size int // of a vector
	flat []float32
	rows map[[16]byte]int // by the hash of a text
}

// Embed makes the vectors of texts. Those that known has, which may be nil, are
// taken from there; the others the model is asked for in batches, so many of
// them at a time as there are workers, a single one in the caller's own
// goroutine. progress is told how many texts are done; nil is fine.
func Embed(ctx context.Context, model Embedder, texts []string, known *Vectors, workers int, progress func(done int)) (*Vectors, error) {
	rows, missing := known.find(texts)
	var mu sync.Mutex
	done := len(texts) - len(missing)
	one := func(ctx context.Context, part []int) error {
		some := make([]string, len(part))
		for i, at := range part {
			some[i] = texts[at]
		}
		made, err := model.Embed(ctx, some)
		if err == nil && len(made) != len(some) {
			err = fmt.Errorf("the model has %d vectors for %d texts", len(made), len(some))
		}
		if err != nil {
			return fmt.Errorf("embed tools: %w", err)
		}
		mu.Lock()
		defer mu.Unlock()
		for i, at := range part {
			rows[at] = made[i]
		}
		if done += len(part); progress != nil {
			progress(done)
		}
		return nil
	}
	work, inner := errgroup.WithContext(ctx)
	work.SetLimit(max(workers, 1))
	for part := range slices.Chunk(missing, batch) {
		if workers > 1 {
			work.Go(func() error { return one(inner, part) })
		} else if err := one(ctx, part); err != nil {
			return nil, err
		}
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return newVectors(texts, rows)
}

// Reuse returns the vectors of texts where v, which may be nil, has all of them,
// else nil.
func (v *Vectors) Reuse(texts []string) *Vectors {
	rows, missing := v.find(texts)
	if len(missing) > 0 {
		return nil
	}
	found, err := newVectors(texts, rows)
	if err != nil {
		panic("search: vectors of one model differ in size: " + err.Error())
	}
	return found
}

// find returns the rows of texts, and the positions of those that have none.
func (v *Vectors) find(texts []string) (rows [][]float32, missing []int) {
	rows = make([][]float32, len(texts))
	for i, text := range texts {
		row, known := 0, false
		if v != nil {
			row, known = v.rows[hash(text)]
		}
		if !known {
			missing = append(missing, i)
			continue
		}
		rows[i] = v.flat[row*v.size:][:v.size]
	}
	return rows, missing
}

func newVectors(texts []string, rows [][]float32) (*Vectors, error) {
	v := &Vectors{rows: make(map[[16]byte]int, len(rows))}
	if len(rows) > 0 {
		v.size = len(rows[0])
	}
	v.flat = make([]float32, 0, v.size*len(rows))
	for i, row := range rows {
		if len(row) != v.size || v.size == 0 {
			return nil, fmt.Errorf("the model's vectors have %d numbers and %d", v.size, len(row))
		}
		v.flat = append(v.flat, row...)
		v.rows[hash(texts[i])] = i
	}
	return v, nil
}

func hash(text string) [16]byte {
	sum := sha256.Sum256([]byte(text))
	return [16]byte(sum[:16])
}

// Cosines are those of a vector of length 1 with each row, in their order. The
// error is a vector of another size.
func (v *Vectors) Cosines(vector []float32) ([]float32, error) {
	if len(v.flat) == 0 {
		return nil, nil
	}
	if len(vector) != v.size {
		return nil, fmt.Errorf("the model's vectors have %d numbers and %d", v.size, len(vector))
	}
	cosines := make([]float32, len(v.flat)/v.size)
	for i := range cosines {
		cosines[i] = dot(vector, v.flat[i*v.size:][:v.size])
	}
	return cosines, nil
}

// dot is the inner product of two vectors of one length. Four sums instead of
// one: each addition else waits for the one before.
func dot(v, w []float32) float32 {
	w = w[:len(v)]
	var a, b, c, d float32
	for len(v) >= 4 {
		x, y := (*[4]float32)(v), (*[4]float32)(w)
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		v, w = v[4:], w[4:]
	}
	for i, x := range v {
		a += x * w[i]
	}
	return a + b + c + d
}

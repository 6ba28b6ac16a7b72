package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Model is a loaded sentence model. It is safe for concurrent use.
type Model struct {
	bundle    Bundle
	tokenizer *Tokenizer
	graph     graph
	joint     graph // nil where the bundle has none
}

// graph runs the network. ids, mask and types have rows*width elements; the
// answer has a vector of equal size for each of them.
type graph interface {
	run(ids, mask, types []int64, rows, width int) ([]float32, error)
	close() error
}

// Open loads the model of a bundle with an ONNX Runtime library, which must be
// at least 1.24 and may be closed afterwards. threads is how many a text may
// keep busy. The library is loaded once per process: the first one counts. A
// library that cannot be used is a *LibraryError, a bundle a *BundleError;
// ErrNoRuntime where the program was built without cgo.
func Open(b Bundle, l *Library, threads int) (*Model, error) {
	m := &Model{bundle: b}
	var loading errgroup.Group // both take their time, and a cold hook waits for them
	loading.Go(func() (err error) {
		m.tokenizer, err = LoadTokenizer(b.Dir, b.MaxTokens)
		return Broken(err)
	})
	if b.Joint != "" {
		loading.Go(func() (err error) {
			m.joint, err = openGraph(b, b.Joint, jointOutput, l, threads)
			return err
		})
	}
	var err error
	m.graph, err = openGraph(b, b.Model, b.Output, l, threads)
	other := loading.Wait()
	if err == nil || other != nil && other.Error() != err.Error() { // one library fails both networks alike
		err = errors.Join(err, other)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// ID is the bundle's.
func (m *Model) ID() string { return m.bundle.ID() }

// Name is the bundle's.
func (m *Model) Name() string { return m.bundle.Name }

// Close frees the model's memory. The library stays loaded.
func (m *Model) Close() error {
	var err error
	for _, g := range []graph{m.graph, m.joint} {
		if g != nil {
			err = errors.Join(err, g.close())
		}
	}
	return err
}

// Encoding is what the model makes of one text.
type Encoding struct {
	Vector []float32 // of length 1
	// Tokens are the vectors of the text's own tokens in its context, as the
	// model's last layer gives them.
	Tokens [][]float32
}

// Embed returns one vector of length 1 for each text. A text beyond the model's
// token limit is cut. It stops between two batches when ctx ends.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	encoded, err := m.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	return Vectors(encoded), nil
}

// Vectors are those of whole texts, in their order.
func Vectors(encodings []Encoding) [][]float32 {
	vectors := make([][]float32, len(encodings))
	for i, e := range encodings {
		vectors[i] = e.Vector
	}
	return vectors
}

// Fits reports whether a vector has the model's size, as far as its bundle says.
func (m *Model) Fits(vector []float32) bool {
	return m.bundle.Dimensions == 0 || len(vector) == m.bundle.Dimensions
}

// Encode is Embed with the vectors of the tokens.
func (m *Model) Encode(ctx context.Context, texts []string) ([]Encoding, error) {
	encodings := make([]Encoding, 0, len(texts))
	for len(texts) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		n := min(max(m.bundle.Batch, 1), len(texts))
		e, err := m.batch(texts[:n])
		if err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		encodings = append(encodings, e...)
		texts = texts[n:]
	}
	return encodings, nil
}

func (m *Model) batch(texts []string) ([]Encoding, error) {
	rows := make([][]int32, len(texts))
	width := 0
	for i, text := range texts {
		rows[i] = m.tokenizer.Encode(m.bundle.Prefix + text)
		width = max(width, len(rows[i]))
	}
	ids, mask := make([]int64, len(texts)*width), make([]int64, len(texts)*width)
	for i, row := range rows {
		for j, id := range row {
			ids[i*width+j], mask[i*width+j] = int64(id), 1
		}
	}
	hidden, err := m.graph.run(ids, mask, make([]int64, len(ids)), len(texts), width)
	if err != nil {
		return nil, err
	}
	if len(hidden)%len(ids) != 0 || len(hidden) == 0 {
		return nil, fmt.Errorf("the model answered %d numbers for %d tokens", len(hidden), len(ids))
	}
	size := len(hidden) / len(ids)
	if d := m.bundle.Dimensions; d != 0 && d != size {
		return nil, fmt.Errorf("the model has %d dimensions, its bundle says %d", size, d)
	}
	encodings := make([]Encoding, len(texts))
	for i, row := range rows {
		tokens := slices.Collect(slices.Chunk(hidden[i*width*size:][:len(row)*size], size))
		pooled := tokens
		if m.bundle.Pooling == "cls" {
			pooled = tokens[:1]
		}
		encodings[i] = Encoding{pool(pooled, size), tokens[1 : len(tokens)-1]}
	}
	return encodings, nil
}

// pool is the mean of the vectors, scaled to length 1.
func pool(tokens [][]float32, size int) []float32 {
	sum := make([]float64, size)
	for _, token := range tokens {
		for i, x := range token {
			sum[i] += float64(x)
		}
	}
	norm := 0.0
	for _, x := range sum {
		norm += x * x
	}
	norm = math.Sqrt(norm)
	v := make([]float32, size)
	if norm == 0 {
		return v
	}
	for i, x := range sum {
		v[i] = float32(x / norm)
	}
	return v
}

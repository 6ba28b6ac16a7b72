package embed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ctx-sidecar/ctx/core/file"
)

// maxKept bounds a file of [Kept]: so many vectors of 384 numbers are 25 MB.
const maxKept = 16_000

// Kept keeps the vectors of many texts in a file of one model's that all
// conversations share, and holds of it in memory what one list of texts needs
// alone. It is safe for concurrent use, also by several processes: what others
// have put into the file stays there, as long as it does not grow too large.
type Kept struct {
	model Embedder
	path  string

	mu      sync.Mutex
	wanted  map[textHash]bool
	vectors map[textHash][]float32 // of those that are wanted
	fresh   int                    // how many of these are not in the file
}

// OpenKept puts a file of vectors in front of model for a list of texts: name in
// dir, which tells the model and what else the vectors depend on. A file that
// cannot be used is set aside and told of in the error; what is returned works
// all the same.
func OpenKept(dir, name string, model Embedder, texts []string) (*Kept, error) {
	k := &Kept{model: model, path: filepath.Join(dir, name+vectorFile), wanted: map[textHash]bool{}, vectors: map[textHash][]float32{}}
	for _, text := range texts {
		k.wanted[hashText(text)] = true
	}
	err := k.read(func(h textHash, row []byte) error {
		if !k.wanted[h] {
			return nil
		}
		v, err := vectorOf(row, model)
		k.vectors[h] = v
		return err
	})
	if err != nil {
		clear(k.vectors)
	}
	return k, err
}

// read calls do with every vector of the file, none where there is no file.
func (k *Kept) read(do func(h textHash, row []byte) error) error {
	raw, err := file.ReadUpTo(k.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = eachVector(raw, do)
	}
	if err != nil {
		err = fmt.Errorf("read vectors %s: %w", k.path, err)
		if _, aside := file.SetAside(k.path); aside != nil {
			err = errors.Join(err, aside)
		}
	}
	return err
}

// Embed answers from the file and asks the model for the rest. What is new is in
// the file after [Kept.Save].
func (k *Kept) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var missing []string
	var at []int
	k.mu.Lock()
	for i, text := range texts {
		if vectors[i] = k.vectors[hashText(text)]; vectors[i] == nil {
			missing, at = append(missing, text), append(at, i)
		}
	}
	k.mu.Unlock()
	if len(missing) == 0 {
		return vectors, nil
	}
	made, err := k.model.Embed(ctx, missing)
	if err == nil && len(made) != len(missing) {
		err = fmt.Errorf("the model has %d vectors for %d texts", len(made), len(missing))
	}
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, v := range made {
		vectors[at[i]] = v
		h := hashText(missing[i])
		k.wanted[h], k.vectors[h] = true, v
	}
	k.fresh += len(made)
	return vectors, nil
}

// Save writes what is new into the file. Once there is too much, what was
// wanted last stays.
func (k *Kept) Save() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fresh == 0 {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(k.path), 0o700)
	if err == nil {
		err = file.Locked(k.path, k.merge)
	}
	if err != nil {
		return fmt.Errorf("save vectors: %w", err)
	}
	k.fresh = 0
	return nil
}

func (k *Kept) merge() error {
	file.Sweep(k.path) // it is large
	removeUnused(k.path)
	out := []byte(cacheMagic)
	left := maxKept
	for h, v := range k.vectors {
		if left > 0 {
			out = appendVector(out, h, v)
			left--
		}
	}
	ours := len(out)
	damaged := k.read(func(h textHash, row []byte) error {
		if left > 0 && !k.wanted[h] {
			out = append(out, row...)
			left--
		}
		return nil
	})
	if damaged != nil {
		out = out[:ours]
	}
	return errors.Join(damaged, file.Write(k.path, seal(out), 0o600))
}

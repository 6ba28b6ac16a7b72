package embed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
)

// maxCached bounds the file: 20,000 vectors of 800 numbers, as short texts have
// them, are 64 MB.
const maxCached = 20_000

// maxFile bounds what is read, in bytes; maxCached vectors of the longest kind,
// of 4,500 numbers, are less.
const maxFile = 384 << 20

// atOnce is how many texts are embedded before the cache takes what there is:
// who has little time gets on with each try.
const atOnce = 32

// keepEvery is how long the work is that may be lost where a process ends.
const keepEvery = 250 * time.Millisecond

// saveWait is how long another process may hold the file's lock.
const saveWait = 500 * time.Millisecond

// Embedder turns texts into vectors.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Fits reports whether a vector could be one of its own: a cache's file may
	// have been written by anybody.
	Fits(vector []float32) bool
}

// Cache keeps the vectors of texts that come back, like the triggers of a
// capability, in a file of one model's. It is safe for concurrent use, also by
// several processes: the last one to save wins, and a lost vector is computed
// again.
type Cache struct {
	model Embedder
	path  string

	saving sync.Mutex // one at a time, so that the last content stays

	mu      sync.Mutex
	vectors map[textHash][]float32
	used    map[textHash]bool
	changed bool
}

// OpenCache puts a cache in front of model, kept in dir in a file of that
// model's; dir "" keeps it in memory alone. A file that cannot be used is set aside and told of in the error; the
// cache works all the same and starts empty.
func OpenCache(dir, modelID string, model Embedder) (*Cache, error) {
	c := &Cache{
		model: model, path: filepath.Join(dir, modelID+vectorFile),
		vectors: map[textHash][]float32{}, used: map[textHash]bool{},
	}
	if dir == "" {
		c.path = ""
		return c, nil
	}
	raw, err := file.ReadUpTo(c.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = c.decode(raw)
	}
	if err != nil {
		clear(c.vectors)
		err = fmt.Errorf("read vector cache %s: %w", c.path, err)
		if _, aside := file.SetAside(c.path); aside != nil {
			err = errors.Join(err, aside)
		}
		return c, err
	}
	return c, nil
}

// Embed answers from the cache and asks the model for the rest. What is new is
// in the file after [Cache.Save].
func (c *Cache) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var missing []string
	var at []int
	c.mu.Lock()
	for i, text := range texts {
		h := hashText(text)
		c.used[h] = true
		if vectors[i] = c.vectors[h]; vectors[i] == nil {
			missing, at = append(missing, text), append(at, i)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return vectors, nil
	}
	kept := time.Now()
	for part := range slices.Chunk(missing, atOnce) {
		if time.Since(kept) > keepEvery { // the process may end before the last is made
			kept = time.Now()
			if c.Save() != nil { // the last one will tell
				kept = kept.Add(time.Hour)
			}
		}
		fresh, err := c.model.Embed(ctx, part)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		for i, v := range fresh {
			vectors[at[i]] = v
			c.vectors[hashText(part[i])] = v
		}
		c.changed = true
		c.mu.Unlock()
		at = at[len(part):]
	}
	return vectors, nil
}

// Save writes what is new. Once there is too much, only what this cache was
// asked for stays. It waits half a second at most for another process to let go
// of the file, and who embeds has not to wait for it.
func (c *Cache) Save() error {
	c.saving.Lock()
	defer c.saving.Unlock()
	raw := c.news()
	if raw == nil {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(c.path), 0o700)
	if err == nil {
		err = file.LockedSoon(c.path, saveWait, func() error {
			file.Sweep(c.path) // it is large
			removeUnused(c.path)
			return file.Write(c.path, raw, 0o600)
		})
	}
	if err != nil {
		c.mu.Lock()
		c.changed = true // the next time, then
		c.mu.Unlock()
		return fmt.Errorf("save vector cache: %w", err)
	}
	return nil
}

// news is the file's new content, nil where nothing has changed.
func (c *Cache) news() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.changed || c.path == "" {
		return nil
	}
	if len(c.vectors) > maxCached {
		for h := range c.vectors {
			if !c.used[h] {
				delete(c.vectors, h)
			}
		}
	}
	c.changed = false
	return c.encode()
}

func (c *Cache) encode() []byte {
	out := []byte(cacheMagic)
	for h, v := range c.vectors {
		out = appendVector(out, h, v)
	}
	return seal(out)
}

func (c *Cache) decode(raw []byte) error {
	return eachVector(raw, func(h textHash, row []byte) error {
		v, err := vectorOf(row, c.model)
		c.vectors[h] = v
		return err
	})
}

package activate

import (
	"cmp"
	"context"
)

// Similar compares a text with phrases by what they mean: cosines, in the order
// of the phrases. Those of phrases are kept, as they come back. Without a model
// it answers nil.
func (r *Router) Similar(ctx context.Context, text string, phrases []string) ([]float64, error) {
	if r.cache == nil || len(phrases) == 0 {
		return nil, nil
	}
	rows, err := r.packer.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	vector := r.packer.unpack(rows[0]).vector
	known, err := r.cache.Embed(ctx, phrases)
	if err != nil {
		return nil, err
	}
	cosines := make([]float64, len(phrases))
	for i, row := range known {
		cosines[i] = float64(dot(vector, r.packer.unpack(row).vector))
	}
	return cosines, nil
}

// PreparePhrases computes what does not depend on a text, so that the first one
// needs not wait for it, and keeps it.
func (r *Router) PreparePhrases(ctx context.Context, phrases []string) error {
	if r.cache == nil || len(phrases) == 0 {
		return nil
	}
	_, err := r.cache.Embed(ctx, phrases)
	return cmp.Or(err, r.cache.Save()) // what was made before an error is kept, too
}

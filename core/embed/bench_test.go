package embed_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// BenchmarkPrompt is one prompt of some twenty tokens, on one thread, with every
// bundle of the repository side by side: its vector, and where there is a
// network for it, the choice among four candidates.
func BenchmarkPrompt(b *testing.B) {
	bundles, err := filepath.Glob("../../models/*/" + embed.BundleFile)
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range bundles {
		dir := filepath.Dir(path)
		b.Run(filepath.Base(dir), func(b *testing.B) {
			library, err := embed.OpenLibrary(embed.LibrarySource{Env: os.Environ()})
			if err != nil {
				b.Skip(err)
			}
			defer library.Close()
			bundle, err := embed.ReadBundle(dir)
			if err != nil {
				b.Fatal(err)
			}
			m, err := embed.Open(bundle, library, 1)
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			prompt := []string{"the checkout page is slow again, please " + strings.Repeat("look at what the database does ", 2) + "there"}
			b.Run("encode", func(b *testing.B) {
				for b.Loop() {
					if _, err := m.Embed(b.Context(), prompt); err != nil {
						b.Fatal(err)
					}
				}
			})
			if !m.Chooses() {
				return
			}
			for name, trigger := range map[string]string{
				"choose":         "why is this query so slow", // the median length on the known tap
				"choose-longest": "why has this query been slow ever since we changed the index",
			} {
				four := slices.Repeat([]embed.Candidate{{
					Card: "Databases of the shop. Read tables, explain slow queries and see who waits for whom.", Trigger: trigger,
				}}, 4)
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if _, _, err := m.Choose(b.Context(), prompt[0], four); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

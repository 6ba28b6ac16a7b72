package embed_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// BenchmarkPrompt is one prompt of some twenty tokens, and a long one, on one thread, with every
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
			prompt := "the checkout page is slow again, please " + strings.Repeat("look at what the database does ", 2) + "there"
			long := strings.Repeat(prompt+". ", 6) // more than is read of it jointly
			for name, text := range map[string]string{"encode": prompt, "encode-long-prompt": long} {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if _, err := m.Embed(b.Context(), []string{text}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			if !m.Chooses() {
				return
			}
			median, longest := "why is this query so slow", "why has this query been slow ever since we changed the index" // in length, of the known tap's triggers
			for name, asked := range map[string][2]string{
				"choose": {prompt, median}, "choose-longest": {prompt, longest}, "choose-long-prompt": {long, median},
			} {
				four := slices.Repeat([]embed.Candidate{{
					Card: "Databases of the shop. Read tables, explain slow queries and see who waits for whom.", Trigger: asked[1],
				}}, 4)
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if _, _, err := m.Choose(b.Context(), asked[0], four); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

package tap

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/calibration"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// tuned returns a function that lists the calibrations of a tap.
func (s *shop) tuned(catalog *tap.Catalog) func(name string) []Tuned {
	store := calibration.Open(s.f.Layout())
	texts := map[string][]activate.Candidate{}
	for _, c := range loader.Candidates(catalog, nil) {
		texts[c.Tap] = append(texts[c.Tap], c)
	}
	return func(name string) []Tuned {
		f, err := store.Read(name)
		if err != nil {
			fmt.Fprintf(s.f.IO.Err, "warning: a calibration is not used: %s\n", iostreams.Clean(err.Error()))
		}
		var out []Tuned
		for _, c := range f.Of {
			t := Tuned{Calibrated: c}
			switch {
			case c.Fingerprint != activate.Fingerprint(texts[name]):
				t.Stale = "the tap or one before it has changed since"
			case !s.inUse(c):
				t.Stale = "it is made for another model or version of ctx"
			}
			out = append(out, t)
		}
		return out
	}
}

// inUse reports whether what a calibration was made for is what is installed.
// The model itself is not loaded for that.
func (s *shop) inUse(c calibration.Calibrated) bool {
	if c.Ranker == "lexical" {
		r, _ := activate.New(activate.Lexical(), nil, "") // without a cache nothing can fail
		return c.Scorer == r.Scorer()
	}
	b, err := embed.FindBundle(s.settings.Embed.Model, embed.Trusted(s.f.Layout().Share(), s.f.Workspace()))
	if err != nil {
		return false
	}
	scorer, err := activate.ReadScorer(filepath.Join(b.Dir, activate.ScorerFile))
	return err == nil && c.Scorer == activate.ScorerID(b.ID(), scorer)
}

// calibrated is one word for the table, with what stands against it.
func (l Listed) calibrated() string {
	var used, stale []string
	for _, t := range l.Calibrations {
		if t.Stale == "" {
			used = append(used, t.Ranker)
		} else {
			stale = append(stale, t.Ranker+": "+t.Stale)
		}
	}
	if len(stale) > 0 {
		used = append(used, "stale ("+strings.Join(stale, "; ")+")")
	}
	if len(used) == 0 {
		return "no"
	}
	return strings.Join(used, ", ")
}

package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/calibration"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/eval"
	"github.com/ctx-sidecar/ctx/core/tap"
)

func newRouting(f *cmdutil.Factory) *cobra.Command {
	var dir, set, rankers string
	cmd := &cobra.Command{
		Use:   "routing --tap DIR --set FILE",
		Short: "Measure which capability a prompt leads to",
		Long: `Measure which capability of a tap a prompt leads to. DIR holds capabilities/; FILE
holds rows {"id", "text", "domain", "expect": [NAMES], "kind"}, where no name in
"expect" means that nothing may be activated. Every row is a fresh session of its
domain, and no capability lacks anything. lexical and default go by [activate] of
ctx.toml, as your sessions do.

  lexical    what ctx does without a model
  semantic   the model alone: the nearest trigger, one threshold
  default    what ctx does
  top3       mean of the three nearest triggers, one threshold, one margin
  unlearned  triggers, card and words in fixed parts, one threshold`,
		Example: "  ctx eval routing --tap ./my-tap --set rows.jsonl\n  ctx eval routing --tap ./my-tap --set rows.jsonl --rankers all --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dir == "" || set == "" {
				return cmdutil.BadUsage("usage: "+cmd.UseLine(), "%s needs --tap and --set", cmd.CommandPath())
			}
			if rankers != "" && rankers != "all" {
				return cmdutil.BadUsage("leave it out, or: --rankers all", "unknown rankers %q", rankers)
			}
			candidates, problems, err := candidates(abs(f.Dir, dir))
			if err != nil {
				return err
			}
			rows, err := eval.ReadRows(abs(f.Dir, set))
			if err != nil {
				return cmdutil.BadRows(err)
			}
			raw, err := os.ReadFile(abs(f.Dir, set))
			if err != nil {
				return err
			}
			names, warnings, done := choose(f, candidates, raw, rankers == "all")
			defer done()
			defer f.IO.Step("")
			result, err := eval.Measure(cmd.Context(), rows, names, func(name string, row int) {
				if row%20 == 0 {
					f.IO.Step("%s: row %d of %d", name, row, len(rows))
				}
			})
			if err != nil {
				return err
			}
			f.IO.Step("")
			for i := range result.Rankers {
				result.Rankers[i].Explain(sweep)
			}
			result.Warnings = slices.Concat(warnings, problems, eval.Faults(rows, candidates))
			return f.Print("eval.routing", result, func(s *streams) { text(s, result) })
		},
	}
	cmd.Flags().StringVar(&dir, "tap", "", "folder with capabilities/")
	cmd.Flags().StringVar(&set, "set", "", "file of labelled rows, JSON lines")
	cmd.Flags().StringVar(&rankers, "rankers", "", "all: with those that ctx is only compared with")
	return cmd
}

// abs is path as the user means it, who stands in dir.
func abs(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// candidates are what prompts can lead to in a folder; problems say what of it is
// not measured as it was meant.
func candidates(dir string) (out []activate.Candidate, problems []string, err error) {
	if _, err := os.Stat(filepath.Join(dir, "capabilities")); err != nil {
		return nil, nil, cmdutil.NotThere("--tap names a folder that holds capabilities/", "read tap: %w", err)
	}
	all, found := tap.LoadDir(dir)
	for _, p := range found {
		if p.Severity == tap.Error && p.Routing() {
			problems = append(problems, p.String())
		}
	}
	for _, c := range all {
		if len(c.Triggers) > 0 {
			out = append(out, activate.Candidate{
				Name: c.Name, Title: c.Title, Description: c.Description, Triggers: c.Triggers, Domains: c.Domains, Tap: dir,
			})
		}
	}
	if len(out) == 0 {
		return nil, nil, cmdutil.Fail("see what is wrong: ctx tap lint "+dir, "no capability in %s has triggers", dir)
	}
	return out, problems, nil
}

// choose returns the rankers that can be had here, and what the numbers are to
// be read with.
func choose(f *cmdutil.Factory, c []activate.Candidate, set []byte, all bool) (_ []eval.Ranker, warnings []string, done func()) {
	l := f.Layout()
	cfg, warnings := settings(f)
	lexical, _ := activate.New(activate.Lexical(), nil, "")
	router, degraded := activate.Load(activate.Source{
		Env: f.Env, Model: cfg.Embed.Model, Library: cfg.Embed.OrtLibrary, Share: l.Share(), Workspace: f.Workspace(),
	})
	for _, r := range []*activate.Router{lexical, router} {
		warnings = append(warnings, tune(calibration.Open(l), r, c, set)...)
	}
	a := cfg.Activate
	q := activate.Request{Candidates: c, ActivateAt: a.ActivateAt, SuggestAt: a.SuggestAt, MinChars: a.MinChars, NoSuggest: !a.Suggest}
	rankers := []eval.Ranker{eval.Product("lexical", lexical, q)}
	if degraded != nil {
		warnings = append(warnings, fmt.Sprintf("no model in use: %s; default is lexical", why(degraded)))
		return append(rankers, eval.Product("default", router, q)), slices.Compact(warnings), func() {}
	}
	rankers = append(rankers, eval.Baseline(eval.Semantic, router, q), eval.Product("default", router, q))
	if all {
		rankers = append(rankers, eval.Baseline(eval.Top3, router, q), eval.Baseline(eval.Unlearned, router, q))
	}
	return rankers, warnings, func() { router.Close() }
}

// settings are the user's, with what is wrong with them: another model might be
// measured than was meant.
func settings(f *cmdutil.Factory) (_ config.Config, warnings []string) {
	c, problems := config.Load(f.Layout(), f.Workspace(), f.Env)
	for _, p := range problems {
		warnings = append(warnings, p.String())
	}
	return c, warnings
}

// why is that no model is in use, with what mends it.
func why(degraded error) string {
	if hint := embed.Hint(degraded); hint != "" {
		return degraded.Error() + " (" + hint + ")"
	}
	return degraded.Error()
}

// tune has a router decide as it does in the user's sessions, and says so where
// that is another way than it comes with.
func tune(store *calibration.Store, r *activate.Router, c []activate.Candidate, set []byte) (warnings []string) {
	if err := store.Use(r); err != nil {
		warnings = append(warnings, fmt.Sprintf("a calibration is not used: %v", err))
	}
	name, made, ok := store.For(r, activate.Fingerprint(c))
	if !ok {
		return warnings
	}
	why := fmt.Sprintf("%s is used with your calibration of %s", r.Ranker(), name)
	if sum := sha256.Sum256(set); made.Set.SHA256 == hex.EncodeToString(sum[:]) {
		why += ", which was made on these very rows: expect less on others"
	}
	return append(warnings, why)
}

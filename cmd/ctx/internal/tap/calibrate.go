package tap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/calibration"
	"github.com/ctx-sidecar/ctx/core/eval"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Calibrations is what ctx tap calibrate --json prints.
type Calibrations struct {
	Tap      string       `json:"tap"`
	File     string       `json:"file"` // where they are kept
	Kept     bool         `json:"kept"` // false with --dry-run
	Targets  eval.Targets `json:"targets"`
	Of       []Calibrated `json:"calibrations"` // one of each ranker there is
	Warnings []string     `json:"warnings,omitempty"`
}

// Calibrated is one ranker's calibration and what it is worth.
type Calibrated struct {
	calibration.Calibrated
	Before    eval.Rates     `json:"before"`   // on the same rows, as ctx comes
	Expected  eval.Rates     `json:"expected"` // each row judged by a calibration made without it
	Intervals eval.Intervals `json:"intervals"`
}

type calibrator struct {
	*shop
	set     string
	targets eval.Targets
	dry     bool
}

func newCalibrate(f *cmdutil.Factory) *cobra.Command {
	c := calibrator{}
	cmd := &cobra.Command{
		Use:   "calibrate NAME --set FILE",
		Short: "Tune how readily prompts activate the capabilities of a tap",
		Long: `Tune how readily prompts activate the capabilities of a tap, on labelled rows as
ctx eval routing takes them. It is kept in your own data, never in the tap, for each
way of ranking that is installed, and used from the next session on for as long as the
texts of the tap's capabilities stay as they are. What is printed as expected is
measured on rows that the calibration did not see. Settings in ctx.toml go before it.`,
		Example:           "  ctx tap calibrate acme/tools --set rows.jsonl\n  ctx tap calibrate acme/tools --set rows.jsonl --max-false-fires 0.01",
		Args:              cmdutil.Args(1, 1),
		ValidArgsFunction: complete(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.set == "" {
				return cmdutil.BadUsage("usage: "+cmd.UseLine(), "%s needs --set", cmd.CommandPath())
			}
			for flag, x := range map[string]float64{"--max-false-fires": c.targets.FalseFires, "--max-noise": c.targets.Noise} {
				if !(x >= 0 && x < 1) {
					return cmdutil.BadUsage("give a share of the rows, like 0.03", "%s is %v", flag, x)
				}
			}
			c.shop = open(f)
			return c.run(cmd.Context(), args[0])
		},
	}
	cmd.Flags().StringVar(&c.set, "set", "", "file of labelled rows, JSON lines")
	cmd.Flags().Float64Var(&c.targets.FalseFires, "max-false-fires", 0.03, "share of the rows that expect nothing on which something may be activated")
	cmd.Flags().Float64Var(&c.targets.Noise, "max-noise", 0.15, "share of these on which something may be activated or suggested")
	cmd.Flags().BoolVar(&c.dry, "dry-run", false, "measure, and keep nothing")
	return cmd
}

func (c *calibrator) run(ctx context.Context, name string) error {
	taps, err := c.store.List()
	if err != nil {
		return err
	}
	t, err := find(taps, name)
	if err != nil {
		return err
	}
	candidates := c.candidates(t)
	if activate.Routable(candidates) == 0 {
		return cmdutil.Fail("see ctx tap list and ctx tap lint "+t.Path, "no prompt leads to %s: its capabilities have no triggers, or their names are an earlier tap's", t.Name)
	}
	file := c.set
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.f.Dir, file)
	}
	rows, err := eval.ReadRows(file)
	if err != nil {
		return cmdutil.BadRows(err)
	}
	set, err := describe(file, rows)
	if err != nil {
		return err
	}
	store := calibration.Open(c.f.Layout())
	r := Calibrations{Tap: t.Name, File: store.Path(t.Name), Targets: c.targets, Of: []Calibrated{}, Warnings: eval.Faults(rows, candidates)}
	routers, why := c.routers()
	if why != "" {
		r.Warnings = append(r.Warnings, why)
	}
	if set.Abstain < eval.EnoughRows {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d rows expect nothing: with fewer than %d the thresholds are rough", set.Abstain, eval.EnoughRows))
	}
	for _, router := range routers {
		defer func() { _ = router.Close() }() // it ends with the process anyway
		one, err := c.one(ctx, router, candidates, rows)
		if errors.Is(err, eval.ErrTooFew) {
			return cmdutil.Fail("write more rows, as your users would put it", "%s: %w", c.set, err)
		}
		if err != nil {
			return err
		}
		one.Set, one.Made = set, time.Now().UTC().Truncate(time.Second)
		r.Of = append(r.Of, one)
	}
	if err := ctx.Err(); err != nil { // who stops it wants nothing of it
		return err
	}
	if !c.dry {
		var made []calibration.Calibrated
		for _, one := range r.Of {
			made = append(made, one.Calibrated)
		}
		if err := store.Put(t.Name, made); err != nil {
			return err
		}
		r.Kept = true
	}
	return c.f.Print("tap-calibrate", r, r.print)
}

// candidates are the capabilities of one tap that prompts lead to. All have their
// bare names, as rows do.
func (c *calibrator) candidates(t tap.Tap) []activate.Candidate {
	var own []activate.Candidate
	for _, one := range loader.Candidates(c.catalog(), nil) {
		if one.Tap == t.Name {
			own = append(own, one)
		}
	}
	return own
}

// routers are those of every ranker there is, without any calibration of taps.
func (c *calibrator) routers() (list []*activate.Router, missing string) {
	lexical, _ := activate.New(activate.Lexical(), nil, "") // without a cache nothing can fail
	c.f.IO.Step("loading the model ...")
	defer c.f.IO.Step("")
	r, degraded := loader.OpenRouter(c.f.Layout(), c.f.Workspace(), c.settings, c.f.Env, hclog.NewNullLogger(), nil)
	if degraded != nil {
		return []*activate.Router{lexical}, "calibrated for words alone: " + degraded.Error()
	}
	r.Calibrate(nil)
	return []*activate.Router{r, lexical}, ""
}

func (c *calibrator) one(ctx context.Context, r *activate.Router, candidates []activate.Candidate, rows []eval.Row) (Calibrated, error) {
	c.f.IO.Step("%s: %d rows", r.Ranker(), len(rows))
	defer c.f.IO.Step("")
	q := activate.Request{Candidates: candidates, MinChars: c.settings.Activate.MinChars}
	fitted, err := eval.Fit(ctx, rows, eval.Product(r.Ranker(), r, q), c.targets)
	if err != nil {
		return Calibrated{}, err
	}
	return Calibrated{
		Calibrated: calibration.Calibrated{
			Scorer: r.Scorer(), Ranker: r.Ranker(), Fingerprint: activate.Fingerprint(candidates), Calibration: fitted.Calibration,
		},
		Before: fitted.Before.Rates, Expected: fitted.Expected.Rates, Intervals: fitted.Expected.Bootstrap(),
	}, nil
}

func describe(file string, rows []eval.Row) (calibration.Set, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return calibration.Set{}, err
	}
	sum := sha256.Sum256(raw)
	s := calibration.Set{SHA256: hex.EncodeToString(sum[:])}
	for _, r := range rows {
		if len(r.Expect) > 0 {
			s.Positives++
		} else {
			s.Abstain++
		}
	}
	return s, nil
}

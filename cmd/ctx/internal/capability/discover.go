package capability

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Found is what ctx capability discover --json prints.
type Found struct {
	Capabilities []capability.Entry `json:"capabilities"`
	Decision     *activate.Decision `json:"decision,omitempty"` // with --explain
	Warnings     []string           `json:"warnings,omitempty"`
}

func newDiscover(f *cmdutil.Factory) *cobra.Command {
	s := &session{f: f}
	explained := false
	cmd := &cobra.Command{
		Use:   "discover TEXT",
		Short: "Find the capabilities that a request asks for",
		Long: `Find the capabilities that a request asks for, at most five. Nothing is enabled.
With --explain: what a prompt of this text would do in the session, with the score
and the gate of every capability and what the scores are made of.`,
		Example: "  ctx capability discover \"write a note\"\n  ctx capability discover \"write a note\" --explain",
		Args:    cmdutil.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return cmdutil.BadUsage(`for example: ctx capability discover "write a note"`, "the text is empty")
			}
			found, err := s.discover(cmd.Context(), text, explained)
			if err != nil {
				return err
			}
			return f.Print("capability-discover", found, found.print)
		},
	}
	s.flag(cmd)
	cmd.Flags().BoolVar(&explained, "explain", false, "show every score, gate and reason")
	return cmd
}

func (s *session) discover(ctx context.Context, text string, explained bool) (Found, error) {
	s.open()
	router, degraded := s.router()
	defer func() { _ = router.Close() }() // it ends with the process anyway
	a := s.config.Activate
	d, degraded, err := decide(ctx, router, degraded, activate.Request{
		Prompt: text, Domain: loader.Domain(s.config), Candidates: loader.Candidates(&s.found, s.Registry),
		ActivateAt: a.ActivateAt, SuggestAt: a.SuggestAt, MinChars: a.MinChars, NoSuggest: !a.Suggest,
	})
	if err != nil {
		return Found{}, err
	}
	found := Found{Capabilities: []capability.Entry{}}
	if degraded != nil {
		found.Warnings = append(found.Warnings, byWords+degraded.Error())
	}
	list, err := s.Discover(ctx, func(context.Context, []tap.Capability) ([]capability.Score, error) { return loader.Scores(d), nil }, 0)
	found.Capabilities = append(found.Capabilities, list...)
	if explained {
		found.Decision = &d
	}
	return found, err
}

// decide goes by words where the model fails; degraded then says so.
func decide(ctx context.Context, r *activate.Router, why error, q activate.Request) (d activate.Decision, degraded, err error) {
	d, err = r.Decide(ctx, q)
	if err == nil || ctx.Err() != nil {
		return d, why, err
	}
	words, _ := activate.New(activate.Lexical(), nil, "") // without a cache nothing can fail
	why = fmt.Errorf("%w: %w", loader.ErrFailed, err)
	d, err = words.Decide(ctx, q)
	return d, why, err
}

func (f Found) print(s *iostreams.Streams) {
	warn(s, f.Warnings)
	if f.Decision != nil {
		f.explain(s)
		return
	}
	if len(f.Capabilities) == 0 {
		fmt.Fprintln(s.Out, "No capability fits.")
		return
	}
	table(s, f.Capabilities, true)
}

// mostScores is how many scores are worth reading at once.
const mostScores = 10

func (f Found) explain(s *iostreams.Streams) {
	d := f.Decision
	fmt.Fprintf(s.Out, "%s: %s\n", d.Outcome, d.Reason)
	fmt.Fprintf(s.Out, "ranker %s; activate at %.2f, suggest at %.2f; that nothing fits: %.2f\n", d.Ranker, d.Thresholds.ActivateAt, d.Thresholds.SuggestAt, d.None)
	if len(d.Scores) == 0 {
		return
	}
	t := iostreams.NewTable(">PROBABILITY", "CAPABILITY", "GATE", "FEATURES")
	shown := d.Scores[:min(len(d.Scores), mostScores)]
	for _, score := range shown {
		var features []string
		for name, v := range score.Features {
			features = append(features, fmt.Sprintf("%s %.2f", name, v))
		}
		slices.Sort(features)
		t.Row(fmt.Sprintf("%.3f", score.Probability), score.Name, string(score.Gate), strings.Join(features, ", "))
	}
	t.Write(s)
	if more := len(d.Scores) - len(shown); more > 0 {
		fmt.Fprintf(s.Out, "and %d more, none above %.3f; --json has them all\n", more, d.Scores[len(shown)].Probability)
	}
}

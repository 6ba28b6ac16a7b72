// Package tap is the command ctx tap: the folders that capabilities come from.
package tap

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:   "tap",
		Short: "Add, list, update, remove, check and tune the folders that capabilities come from",
		Long: `Add, list, update, remove and check taps: folders of capabilities, each a bundle
of trigger phrases, MCP servers and allowed tools that a prompt can bring in. The
first tap that has a capability wins; ORG/CAPABILITY means that of an
organisation. What a capability would run has to be approved once, down to the
exact command, and again whenever it changes.`,
		Example: "  ctx tap add acme/tools ~/src/acme-tools\n  ctx tap list\n  ctx tap lint ~/src/acme-tools",
	}, newAdd(f), newList(f), newUpdate(f), newRemove(f), newLint(f), newCalibrate(f))
}

// shop is what the commands work with.
type shop struct {
	f         *cmdutil.Factory
	store     *tap.Store
	trust     *trust.Store
	providers map[string]string
	settings  config.Config
}

func open(f *cmdutil.Factory) *shop {
	l := f.Layout()
	c, problems := config.Load(l, f.Workspace(), f.Env)
	for _, p := range problems {
		fmt.Fprintf(f.IO.Err, "warning: %s\n", iostreams.Clean(p.String()))
	}
	return &shop{f: f, store: tap.Open(l), trust: trust.Open(l.Trust()), providers: c.Providers, settings: c}
}

// warn says what is wrong with the file of approvals.
func (s *shop) warn() {
	for _, p := range s.trust.Problems() {
		fmt.Fprintf(s.f.IO.Err, "warning: %s\n", iostreams.Clean(p))
	}
}

func find(list []tap.Tap, name string) (tap.Tap, error) {
	var names []string
	for _, t := range list {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	hint := "see: ctx tap list"
	if near := cmdutil.Nearest(name, names); near != "" {
		hint = "did you mean: " + near
	}
	return tap.Tap{}, cmdutil.Fail(hint, "there is no tap %q", name)
}

func complete(f *cmdutil.Factory) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		list, err := tap.Open(f.Layout()).List()
		if err == nil && len(args) == 0 {
			for _, t := range list {
				names = append(names, t.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem := noun[:len(noun)-1]; noun[len(noun)-1] == 'y' {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mostAlike is how many problems of one kind are worth reading in full before
// the lint.
const mostAlike = 3

func printProblems(s *iostreams.Streams, problems []tap.Problem) {
	seen := map[string]int{}
	more := map[string][]string{}
	for _, p := range problems {
		if seen[p.Rule]++; seen[p.Rule] > mostAlike {
			more[p.Rule] = append(more[p.Rule], iostreams.Clean(shortPlace(p)))
			continue
		}
		mark := s.Yellow("warning:")
		if p.Severity == tap.Error {
			mark = s.Red("error:")
		}
		// The severity begins the line on a screen as well as in a log.
		fmt.Fprintf(s.Err, "%s %s\n", mark, iostreams.Clean(p.String()))
	}
	for _, rule := range slices.Sorted(maps.Keys(more)) {
		fmt.Fprintf(s.Err, "%s %d more of the kind %s: %s; more of each: ctx tap lint PATH\n",
			s.Yellow("warning:"), len(more[rule]), rule, strings.Join(more[rule], ", "))
	}
}

// shortPlace is the file with its folder, which tells of what it is, and the
// line.
func shortPlace(p tap.Problem) string {
	place := filepath.Join(filepath.Base(filepath.Dir(p.File)), filepath.Base(p.File))
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, p.Line)
	}
	return place
}

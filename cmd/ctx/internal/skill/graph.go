package skill

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/state"
)

// Graph is what ctx skill graph --json prints.
type Graph struct {
	skill.Graph
	Share float64 `json:"share"` // of the skills that have an edge
}

func newGraph(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "graph",
		Short: "Show which skills lead to which, and where that is said",
		Long: `Show which skills lead to which: where the text of one says to use, read, load or pair
another, calls it by name, or has it in a list of companions or a table of skills.
These are the next steps that a model is told of with a skill. Ways that go around in
a circle are shown below.`,
		Example: "  ctx skill graph\n  ctx skill graph --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s := &session{f: f}
			s.open()
			dir, why := state.SafeDir(f.Layout(), f.Workspace())
			if why != "" {
				s.warn(why)
			}
			g := Graph{Graph: s.library.Graph(dir)}
			if err := s.library.Load().Unkept(); err != nil {
				s.warn("the graph is not kept: " + err.Error())
			}
			if g.Skills > 0 {
				g.Share = float64(g.Linked) / float64(g.Skills)
			}
			return f.Print("skill-graph", g, g.print)
		},
	}
}

func (g Graph) print(s *iostreams.Streams) {
	if len(g.Edges) > 0 {
		t := iostreams.NewTable("SKILL", "LEADS TO", "BY", "WHERE", "TEXT")
		for _, e := range g.Edges {
			where := filepath.Join(filepath.Base(filepath.Dir(e.File)), filepath.Base(e.File))
			t.Row(e.From, e.To, string(e.Kind), fmt.Sprintf("%s:%d", iostreams.Clean(where), e.Line), iostreams.Clean(clip(e.Text)))
		}
		t.Write(s)
	}
	fmt.Fprintf(s.Out, "%d edges; %d of %d skills have one (%.0f %%)\n", len(g.Edges), g.Linked, g.Skills, 100*g.Share)
	for _, c := range g.Cycles {
		fmt.Fprintf(s.Out, "circle: %s\n", strings.Join(append(c, c[0]), " > "))
	}
}

// clip leaves what fits beside the rest on a wide terminal.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

package prune

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// most is how many items a group may have to be asked about one by one.
const most = 40

// ask asks for each group of a host, in the order of [prune.Kinds]. What was
// answered on servers counts for what is asked of their tools.
func (p *pruner) ask(ctx context.Context, j *job) error {
	if p.lines == nil {
		p.lines = newLines(p.f.IO)
	}
	for _, kind := range prune.Kinds {
		g := j.group(kind)
		var err error
		switch {
		case len(g.items) == 0:
		case len(g.items) > most:
			err = p.askWhole(ctx, j, g)
		default:
			err = p.askEach(ctx, j, g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// group is the candidates of one kind, with what is decided as things stand.
type group struct {
	kind  surface.Kind
	items []prune.Candidate
	now   []prune.Decision
	rule  []int // numbers, from 1, of those that go
}

// group leaves out what cannot be chosen: what nothing switches off, and the
// tools of servers that go.
func (j *job) group(kind surface.Kind) group {
	g := group{kind: kind}
	decisions := j.decide()
	gone := map[string]bool{}
	for _, d := range decisions {
		if d.Kind == surface.KindServer && !d.Keep {
			gone[d.Name] = true
		}
	}
	for i, c := range j.all {
		if c.Kind != kind || c.Stuck != "" || kind == surface.KindTool && gone[c.Provider] {
			continue
		}
		g.items, g.now = append(g.items, c), append(g.now, decisions[i])
		if !decisions[i].Keep {
			g.rule = append(g.rule, len(g.items))
		}
	}
	return g
}

const answers = `  Enter      those that are marked *
  all, none  all of them, nothing
  1,3-5      these alone
  +2  -3     those that are marked, and 2; without 3
  ?2         nothing yet: why 2 goes or stays
`

func (p *pruner) askEach(ctx context.Context, j *job, g group) error {
	s := p.f.IO
	fmt.Fprintf(s.Err, "%s: %s, %d to go by rule (%s)\n", s.Bold(j.host.Title()), plural(len(g.items), title(g.kind)), len(g.rule), s.Dim("* goes"))
	g.list(s)
	for {
		line, err := p.lines.read(ctx, "Which go? [Enter: those with *; or all, none, 1,3-5, +2, -3; ? helps] ")
		if err != nil {
			return err
		}
		if strings.TrimSpace(line) == "?" {
			fmt.Fprint(s.Err, answers)
			continue
		}
		a, err := prune.Choose(line, len(g.items), g.rule)
		switch {
		case err != nil:
			fmt.Fprintf(s.Err, "  %s\n", iostreams.Clean(err.Error()))
		case len(a.Explain) > 0:
			for _, n := range a.Explain {
				g.explain(s, n)
			}
		default:
			g.choose(j, a.Prune)
			return nil
		}
	}
}

func (p *pruner) askWhole(ctx context.Context, j *job, g group) error {
	s := p.f.IO
	for {
		line, err := p.lines.read(ctx, fmt.Sprintf("%s: %s, %d to go by rule. Prune these %d? [Y/n, l lists all] ",
			j.host.Title(), plural(len(g.items), title(g.kind)), len(g.rule), len(g.rule)))
		if err != nil {
			return err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "", "y", "yes":
			return nil
		case "n", "no", "none":
			g.choose(j, nil)
			return nil
		case "l", "list":
			g.list(s)
		default:
			fmt.Fprintln(s.Err, "  y, n or l")
		}
	}
}

// choose notes where the user and the rule differ.
func (g group) choose(j *job, numbers []int) {
	goes := make(map[int]bool, len(numbers))
	for _, n := range numbers {
		goes[n] = true
	}
	for i, c := range g.items {
		if goes[i+1] == g.now[i].Keep {
			j.choices[c.ID] = !goes[i+1]
		}
	}
}

func (g group) list(s *iostreams.Streams) {
	on := *s
	on.Out = s.Err
	t := iostreams.NewTable("", ">", ">RESIDENT", ">DEFERRED", "LEVEL", "AUTHORITY", ">USED", "ID")
	for i, c := range g.items {
		mark := ""
		if !g.now[i].Keep {
			mark = "*"
		}
		t.Row(mark, i+1, c.Cost.Resident, c.Cost.Deferred, c.Level, g.now[i].Authority, used(g.now[i]), c.ID)
	}
	t.Write(&on)
}

func (g group) explain(s *iostreams.Streams, n int) {
	c, d := g.items[n-1], g.now[n-1]
	fmt.Fprintf(s.Err, "  %d %s\n    %s:%d\n    %s\n", n, s.Bold(iostreams.Clean(c.ID)), iostreams.Clean(c.Place.File), c.Place.Line, iostreams.Clean(prune.Reason(c.Record)))
	if d.Why != prune.Reason(c.Record) {
		fmt.Fprintf(s.Err, "    %s\n", iostreams.Clean(d.Why))
	}
	if c.Authority != nil {
		for _, e := range c.Authority.Evidence {
			fmt.Fprintf(s.Err, "    %s: %q says %s (%.2f)\n", e.Source, e.Words, e.Tier, e.Confidence)
		}
	}
	fmt.Fprintf(s.Err, "    %s\n", iostreams.Clean(effect(c)))
}

// effect is what pruning a thing comes to.
func effect(c prune.Candidate) string {
	switch {
	case c.Where() == prune.AtGateway:
		return "behind ctx-gateway: no search finds it and it cannot be called; it costs next to nothing as it is"
	case c.Cost.Resident == 0 && c.Cost.Deferred > 0:
		return fmt.Sprintf("saves nothing in every request; the host's own search would load %d tokens", c.Cost.Deferred)
	}
	return fmt.Sprintf("saves %d tokens in every request", c.Cost.Resident)
}

// lines reads the user's answers.
type lines struct {
	in *bufio.Reader
	io *iostreams.Streams
}

func newLines(io *iostreams.Streams) *lines { return &lines{in: bufio.NewReader(io.In), io: io} }

// read asks for one line. The end of the input is no answer: whoever asks has to
// stop.
func (l *lines) read(ctx context.Context, question string) (string, error) {
	fmt.Fprint(l.io.Err, question)
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	// A read from a terminal cannot be called off; it ends with the process.
	go func() {
		line, err := l.in.ReadString('\n')
		got <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(l.io.Err)
		return "", ctx.Err()
	case a := <-got:
		if a.err != nil {
			fmt.Fprintln(l.io.Err)
			return "", cmdutil.Fail("answer each question, or use --yes", "%w", errors.New("no answer; nothing was changed"))
		}
		return a.line, nil
	}
}

package skill

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
)

// Edge says that the prose of one skill leads to another one.
type Edge struct {
	From string   `json:"from"`
	To   string   `json:"to"`
	Kind EdgeKind `json:"kind"`
	File string   `json:"file"`
	Line int      `json:"line"`
	Text string   `json:"text"` // of the line, at most 160 bytes
}

// Graph is how skills lead to one another.
type Graph struct {
	Skills int        `json:"skills"` // how many there are
	Linked int        `json:"linked"` // how many have an edge, either way
	Edges  []Edge     `json:"edges"`  // by From, then as they stand in its file
	Cycles [][]string `json:"cycles"` // each from its first name on
}

// Step is a skill that may come next.
type Step struct {
	Skill  string `json:"skill"`
	Reason string `json:"reason"`
}

// newGraph reads the prose of every skill that can be used.
func newGraph(c *Catalog) Graph {
	names := map[string]string{}
	for _, s := range c.Skills {
		if s.Broken == "" {
			names[strings.ToLower(s.Name)] = s.Name
		}
	}
	g := Graph{Skills: len(c.Skills), Edges: []Edge{}}
	for _, s := range c.Skills {
		if s.Broken != "" {
			continue
		}
		b, err := file.ReadUpTo(s.File, mostBytes)
		if err != nil {
			continue // the next reading of the skills reports it
		}
		for _, m := range mentionsIn(string(b), names) {
			if m.name != s.Name {
				g.Edges = append(g.Edges, Edge{s.Name, m.name, m.kind, s.File, m.line, m.text})
			}
		}
	}
	g.finish()
	return g
}

// finish computes what follows from the edges.
func (g *Graph) finish() {
	linked := map[string]bool{}
	for _, e := range g.Edges {
		linked[e.From], linked[e.To] = true, true
	}
	g.Linked = len(linked)
	g.Cycles = cycles(g.Edges)
}

// mostSteps is how far [Graph.Next] goes.
const mostSteps = 5

// Next are the skills that one leads to. From those in transitive it goes on, at
// most five steps; every skill is named once, by the shortest way.
func (g Graph) Next(name string, transitive ...string) []Step {
	type visit struct {
		name string
		way  []string
	}
	var steps []Step
	seen := map[string]bool{name: true}
	for queue := []visit{{name, nil}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if len(at.way) == mostSteps || len(at.way) > 0 && !slices.Contains(transitive, name) {
			continue
		}
		for _, e := range g.Edges {
			if e.From != at.name || seen[e.To] {
				continue
			}
			seen[e.To] = true
			reason := fmt.Sprintf("%s:%d: %s", filepath.Base(e.File), e.Line, e.Text)
			if len(at.way) > 0 {
				reason = "by way of " + strings.Join(at.way, ", ") + "; " + reason
			}
			steps = append(steps, Step{e.To, reason})
			queue = append(queue, visit{e.To, append(slices.Clone(at.way), e.To)})
		}
	}
	return steps
}

// cycles finds a way around for every edge that closes one, by a search in depth
// with names in their order.
func cycles(edges []Edge) [][]string {
	next := map[string][]string{}
	var names []string
	for _, e := range edges {
		if next[e.From] == nil {
			names = append(names, e.From)
		}
		next[e.From] = append(next[e.From], e.To)
	}
	slices.Sort(names)
	found := [][]string{}
	state := map[string]int{} // 1: on the way, 2: done
	var way []string
	var visit func(string)
	visit = func(name string) {
		state[name] = 1
		way = append(way, name)
		to := slices.Clone(next[name])
		slices.Sort(to)
		for _, n := range to {
			switch state[n] {
			case 0:
				visit(n)
			case 1:
				found = append(found, rotate(way[slices.Index(way, n):]))
			}
		}
		way = way[:len(way)-1]
		state[name] = 2
	}
	for _, n := range names {
		if state[n] == 0 {
			visit(n)
		}
	}
	slices.SortFunc(found, slices.Compare[[]string])
	return slices.CompactFunc(found, slices.Equal[[]string])
}

// rotate begins a cycle with its first name.
func rotate(cycle []string) []string {
	least := 0
	for i, n := range cycle {
		if cmp.Less(n, cycle[least]) {
			least = i
		}
	}
	return append(slices.Clone(cycle[least:]), cycle[:least]...)
}

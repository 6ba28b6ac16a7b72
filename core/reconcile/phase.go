package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Phase is how far a session's work has come.
type Phase string

const (
	Explore Phase = "explore" // it reads
	Edit    Phase = "edit"    // it changes what it works on
	Verify  Phase = "verify"  // it tests
	Deliver Phase = "deliver" // it commits, publishes, deploys
)

// Phases are all phases, in the order in which work goes through them.
var Phases = []Phase{Explore, Edit, Verify, Deliver}

// ParsePhase reads a phase's name. The error lists the names there are.
func ParsePhase(name string) (Phase, error) {
	if slices.Contains(Phases, Phase(name)) {
		return Phase(name), nil
	}
	return "", fmt.Errorf("phase %q: it is one of %s", name, strings.Join(names(Phases), ", "))
}

func names(phases []Phase) []string {
	all := make([]string, len(phases))
	for i, p := range phases {
		all[i] = string(p)
	}
	return all
}

// needs are the phases in which a family is of use. What is not listed, Other
// above all, is of use in each: nobody knows what such tools are for.
var needs = map[surface.Family][]Phase{
	"source-control":    {Explore, Deliver},
	"deployment":        {Deliver},
	"cloud":             {Deliver},
	"database":          {Explore, Edit},
	"collaboration":     {Explore, Deliver},
	"billing":           {Deliver},
	"browser":           {Explore, Verify},
	"scheduling":        {Deliver},
	"semantic-analysis": {Explore, Edit},
	"testing":           {Verify},
	"memory":            {Explore, Edit},
	"web":               {Explore},
	"files":             {Explore, Edit, Verify},
	"docs":              {Explore, Edit},
	"shell":             {Edit, Verify, Deliver},
}

// Needs reports whether a family is of use in a phase.
func (p Phase) Needs(f surface.Family) bool {
	in, judged := needs[f]
	return !judged || slices.Contains(in, p)
}

// recent is how many calls a phase lasts that nothing confirms: whoever only
// reads after that has begun something new.
const recent = 12

// PhaseOf tells the phase of a session by its calls, the oldest first: the phase
// of the last one that did more than read, as long as that is recent.
func (s Surface) PhaseOf(calls []usage.Call) Phase {
	for i := len(calls) - 1; i >= max(0, len(calls)-recent); i-- {
		if p := s.phaseOf(calls[i]); p != Explore {
			return p
		}
	}
	return Explore
}

var (
	proving = []string{"test", "verify", "lint", "linter", "coverage", "benchmark", "typecheck"}
	handing = []string{"commit", "push", "merge", "pull_request", "merge_request", "pr", "release", "tag", "publish", "deploy", "deployment", "rollout", "rollback", "ship"}
)

// editing are the families in which a write is work on the thing itself, and not
// a message, a note or a click.
var editing = []surface.Family{"files", "semantic-analysis", "source-control", "database", "docs"}

func (s Surface) phaseOf(c usage.Call) Phase {
	t := s.tool(c.Server, c.Tool)
	words := surface.Words(c.Tool)
	has := func(any []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(any, w) })
	}
	writes := t.tier > authority.Read
	switch {
	case writes && (t.family == "deployment" || has(handing)):
		return Deliver
	case t.family == "testing" || has(proving):
		return Verify
	case writes && slices.Contains(editing, t.family):
		return Edit
	}
	return Explore
}

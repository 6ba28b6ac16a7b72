package prune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// pruner carries one run of ctx prune.
type pruner struct {
	*options
	f     *cmdutil.Factory
	set   *survey.Set
	store *wiring.Store
	jobs  []*job
	lines *lines // of the user's answers, once a question was asked
}

// job is one host on its way to being pruned.
type job struct {
	host    *survey.Host
	before  *prune.HostReceipt // what was decided earlier, nil for nothing
	choices prune.Choices

	all       []prune.Candidate
	decisions []prune.Decision // about all, and those carried over
	edits     []wiring.Edit
	notes     []string
	change    *wiring.Change
	refused   error // why change cannot be made
	total     surface.Cost
	after     surface.Cost
}

func newJob(h *survey.Host, s *survey.Set) *job {
	before := s.Pruned.Of(h.Name())
	return &job{host: h, before: before, choices: before.Standing(), all: prune.Candidates(h.Inventory), total: h.Priced.Total()}
}

// ids are all that the user may name.
func (j *job) ids() []string {
	var ids []string
	for _, r := range j.host.Inventory.Records {
		ids = append(ids, r.ID)
	}
	return append(ids, j.before.IDs()...)
}

func (j *job) knows(id string) bool {
	return j.host.Inventory.Find(id) != nil || j.before.Find(id) != nil
}

func (j *job) owner(workspace string) wiring.Owner {
	return wiring.Owner{Workspace: workspace, Host: j.host.Name(), For: wiring.Prune}
}

// plan decides, asking the user where that is wanted, and works out what the
// host's files become and what a request then costs.
func (p *pruner) plan(ctx context.Context, j *job, ask bool) error {
	if err := p.findStuck(ctx, j); err != nil {
		return err
	}
	if ask {
		if err := p.ask(ctx, j); err != nil {
			return err
		}
	}
	j.decisions = j.before.Carry(j.decide(), j.choices)
	for i := range j.decisions {
		// What the gateway held back is the host's to switch off since it was unwrapped.
		if d := &j.decisions[i]; d.Where == prune.AtGateway && !slices.Contains(j.host.Fronted, d.Server()) {
			d.Where = prune.AtHost
		}
	}
	plan, err := p.switchOff(ctx, j, direct(j.decisions))
	if err != nil {
		return err
	}
	j.edits, j.notes = plan.Edits, plan.Notes
	if j.change, j.refused = p.store.Plan(j.owner(p.set.Workspace), plan.Edits); j.refused != nil && !refusal(j.refused) {
		return fmt.Errorf("nothing was changed: %w", j.refused)
	}
	priced, err := p.set.Priced(p.f, *j.host, without(j.host, j.decisions))
	if err != nil {
		return err
	}
	j.after = priced.Total()
	return nil
}

func (j *job) decide() []prune.Decision {
	return prune.Decide(j.host.Inventory, j.all, j.choices, j.host.Sources.ToolName, time.Now().UTC().Truncate(time.Second))
}

// refusal reports whether an error is about a file that must not be edited as it
// is: a preview says so and goes on.
func refusal(err error) bool {
	var file *wiring.FileError
	return errors.As(err, &file)
}

// direct are the decisions that the host's own files carry out. The tools of a
// server that is switched off need no switch of their own.
func direct(all []prune.Decision) []prune.Decision {
	gone := map[string]bool{}
	off := pruned(all, prune.AtHost)
	for _, d := range off {
		if d.Kind == surface.KindServer {
			gone[d.Name] = true
		}
	}
	return slices.DeleteFunc(off, func(d prune.Decision) bool { return d.Kind == surface.KindTool && gone[d.Provider] })
}

// pruned are the decisions that take something away at one place.
func pruned(all []prune.Decision, where string) []prune.Decision {
	return slices.DeleteFunc(slices.Clone(all), func(d prune.Decision) bool { return d.Keep || d.Where != where })
}

// findStuck asks the host's adapter which of the candidates nothing switches off.
func (p *pruner) findStuck(ctx context.Context, j *job) error {
	var loaded []int // of all, those that the host itself loads
	var items []plugins.PruneItem
	for i, c := range j.all {
		if c.Where() == prune.AtHost {
			loaded = append(loaded, i)
			items = append(items, plugins.PruneItem{Kind: c.Kind, Provider: c.Provider, Name: c.Name, File: c.Place.File})
		}
	}
	plan, err := j.host.PlanPrune(ctx, plugins.PruneRequest{Machine: j.host.Machine(), Workspace: p.set.Workspace, Items: items})
	if errors.Is(err, plugins.ErrNoPrune) {
		for _, i := range loaded {
			j.all[i].Stuck = "the adapter of " + j.host.Title() + " knows no switch for it"
		}
		return nil
	}
	for _, s := range plan.Stays {
		if s.Item >= 0 && s.Item < len(loaded) {
			j.all[loaded[s.Item]].Stuck = s.Why
		}
	}
	return err
}

// switchOff asks for the edits that switch decisions off.
func (p *pruner) switchOff(ctx context.Context, j *job, off []prune.Decision) (plugins.PrunePlan, error) {
	items := make([]plugins.PruneItem, len(off))
	for i, d := range off {
		items[i] = plugins.PruneItem{Kind: d.Kind, Provider: d.Provider, Name: d.Name, File: d.File}
	}
	plan, err := j.host.PlanPrune(ctx, plugins.PruneRequest{Machine: j.host.Machine(), Workspace: p.set.Workspace, Items: items})
	if errors.Is(err, plugins.ErrNoPrune) {
		return plugins.PrunePlan{}, nil
	}
	return plan, err
}

// without is what the host's configuration will say once the decisions are in
// force.
func without(h *survey.Host, decisions []prune.Decision) surface.Sources {
	r := prune.Receipt{Hosts: []prune.HostReceipt{{Host: h.Sources.Host, Decisions: decisions}}}
	s := r.Apply(h.Sources, h.Fronted, "")
	s.Servers, s.Items = slices.Clone(s.Servers), slices.Clone(s.Items)
	for _, d := range pruned(decisions, prune.AtHost) {
		switch d.Kind {
		case surface.KindTool:
			s.Rules = append(s.Rules, surface.Rule{Effect: surface.EffectDeny, Server: d.Provider, Tool: d.Name})
		case surface.KindServer:
			for i := range s.Servers {
				s.Servers[i].Disabled = s.Servers[i].Disabled || s.Servers[i].Name == d.Name
			}
		default:
			s.Items = slices.DeleteFunc(s.Items, func(it surface.Item) bool {
				return it.Kind == d.Kind && it.Name == d.Name && it.Place.File == d.File
			})
		}
	}
	s.Frames = slices.DeleteFunc(slices.Clone(s.Frames), func(f surface.Frame) bool {
		return !slices.ContainsFunc(s.Items, func(it surface.Item) bool { return it.Kind == f.Kind && it.Resident > 0 })
	})
	return s
}

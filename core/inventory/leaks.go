package inventory

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/leakage"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Leak is one thing that a record's text gives away, hides or asks of the model.
type Leak struct {
	leakage.Finding
	Line int `json:"line,omitempty"` // of a prose's file, where it stands
}

// Firm reports whether a leak is a finding; one that is not is worth a look.
func (l Leak) Firm() bool { return l.Confidence >= 0.5 }

// LeakKind is what was found of one kind.
type LeakKind struct {
	Kind  leakage.Kind `json:"kind"`
	Found int          `json:"found"`        // with a confidence of 0.5 or more
	Look  int          `json:"worth_a_look"` // with less
	IDs   []string     `json:"ids"`          // of the records with findings: the surest first, then the heaviest
}

// Leakage sums up the leaks of what a host loads or could load: the kind with
// most findings first.
func (inv Inventory) Leakage() []LeakKind {
	type sure struct {
		id         string
		confidence float64
		weight     int
	}
	by := make(map[leakage.Kind]*LeakKind)
	ids := make(map[leakage.Kind][]sure)
	for _, r := range inv.Records {
		if r.Standing == Off {
			continue
		}
		best := make(map[leakage.Kind]float64)
		for _, l := range r.Leaks {
			k := by[l.Kind]
			if k == nil {
				k = &LeakKind{Kind: l.Kind, IDs: []string{}}
				by[l.Kind] = k
			}
			if !l.Firm() {
				k.Look++
				continue
			}
			k.Found++
			best[l.Kind] = max(best[l.Kind], l.Confidence)
		}
		for kind, confidence := range best {
			ids[kind] = append(ids[kind], sure{r.ID, confidence, r.Direct.Resident})
		}
	}
	all := []LeakKind{}
	for kind, k := range by {
		slices.SortFunc(ids[kind], func(a, b sure) int {
			return cmp.Or(cmp.Compare(b.confidence, a.confidence), cmp.Compare(b.weight, a.weight), cmp.Compare(a.id, b.id))
		})
		for _, s := range ids[kind] {
			k.IDs = append(k.IDs, s.id)
		}
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b LeakKind) int {
		return cmp.Or(cmp.Compare(b.Found, a.Found), cmp.Compare(b.Look, a.Look), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

// judge says of every tool what it may do, and of every text what leaks if work
// is given. It
// needs to know what was used, and takes all processors: of ten thousand tools
// each is read whole.
func judge(records []Record, work *leakage.Workspace) {
	var around *leakage.Surroundings
	if work != nil {
		around = &leakage.Surroundings{Workspace: *work, Servers: serversOf(records)}
	}
	const share = 32 // records that a worker takes at once
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 1+len(records)/share) {
		wg.Go(func() {
			for {
				from := int(next.Add(share)) - share
				if from >= len(records) {
					return
				}
				for i := from; i < min(from+share, len(records)); i++ {
					records[i].judge(around)
				}
			}
		})
	}
	wg.Wait()
}

func serversOf(records []Record) []leakage.Server {
	at := make(map[string]int)
	var servers []leakage.Server
	for _, r := range records {
		if r.Kind != surface.KindTool || r.Own {
			continue
		}
		i, ok := at[r.Provider]
		if !ok {
			i = len(servers)
			at[r.Provider] = i
			servers = append(servers, leakage.Server{Name: r.Provider})
		}
		servers[i].Tools = append(servers[i].Tools, r.Name)
	}
	return servers
}

func (r *Record) judge(around *leakage.Surroundings) {
	if r.Kind == surface.KindTool {
		j := authority.Of(r.Provider, r.definition)
		r.Authority = &j
	}
	if around == nil || r.Own || r.Standing == NotLoaded {
		return
	}
	switch {
	case r.Kind == surface.KindTool:
		used := leakage.Unmeasured
		if r.Use.Measured {
			used = leakage.Used(r.Use.Calls)
		}
		r.leaks(around.Tool(r.Provider, r.definition, used))
	case r.Kind == surface.KindServer:
		r.leaks(around.Text(r.Name, "instructions", r.text))
	case r.Prose() && r.text != "":
		r.leaks(around.Prose("text", r.text))
		for i := range r.Leaks {
			r.Leaks[i].Line = 1 + strings.Count(r.text[:r.Leaks[i].Place.From], "\n")
		}
	}
}

func (r *Record) leaks(found []leakage.Finding) {
	for _, f := range found {
		r.Leaks = append(r.Leaks, Leak{Finding: f})
	}
}

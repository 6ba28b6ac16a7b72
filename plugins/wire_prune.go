package plugins

import (
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

func toPruneRequest(r PruneRequest) *pluginpb.PruneRequest {
	return &pluginpb.PruneRequest{
		Machine: toMachine(r.Machine), Workspace: r.Workspace,
		Items: each(r.Items, func(i PruneItem) *pluginpb.PruneItem {
			return &pluginpb.PruneItem{Kind: string(i.Kind), Provider: i.Provider, Name: i.Name, File: i.File}
		}),
	}
}

func fromPruneRequest(r *pluginpb.PruneRequest) PruneRequest {
	return PruneRequest{
		Machine: fromMachine(r.GetMachine()), Workspace: r.GetWorkspace(),
		Items: each(r.GetItems(), func(i *pluginpb.PruneItem) PruneItem {
			return PruneItem{Kind: surface.Kind(i.GetKind()), Provider: i.GetProvider(), Name: i.GetName(), File: i.GetFile()}
		}),
	}
}

func toPrunePlan(p PrunePlan) *pluginpb.PrunePlan {
	return &pluginpb.PrunePlan{
		Edits: each(p.Edits, toEdit), Notes: p.Notes,
		Stays: each(p.Stays, func(s Stay) *pluginpb.Stay { return &pluginpb.Stay{Item: int64(s.Item), Why: s.Why} }),
	}
}

func fromPrunePlan(p *pluginpb.PrunePlan) PrunePlan {
	return PrunePlan{
		Edits: each(p.GetEdits(), fromEdit), Notes: p.GetNotes(),
		Stays: each(p.GetStays(), func(s *pluginpb.Stay) Stay { return Stay{Item: int(s.GetItem()), Why: s.GetWhy()} }),
	}
}

package plugins

import (
	"io/fs"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

func toWrapRequest(r WrapRequest) *pluginpb.WrapRequest {
	return &pluginpb.WrapRequest{
		Machine:    toMachine(r.Machine),
		Workspace:  r.Workspace,
		Scope:      string(r.Scope),
		Gateway:    r.Gateway,
		Front:      r.Front,
		Hook:       r.Hook,
		GatewayBin: r.GatewayBin,
		Profile:    r.Profile,
	}
}

func fromWrapRequest(r *pluginpb.WrapRequest) WrapRequest {
	return WrapRequest{
		Machine:    fromMachine(r.GetMachine()),
		Workspace:  r.GetWorkspace(),
		Scope:      surface.Scope(r.GetScope()),
		Gateway:    r.GetGateway(),
		Front:      r.GetFront(),
		Hook:       r.GetHook(),
		GatewayBin: r.GetGatewayBin(),
		Profile:    r.GetProfile(),
	}
}

func toWrapPlan(p WrapPlan) *pluginpb.WrapPlan {
	return &pluginpb.WrapPlan{Edits: each(p.Edits, toEdit), Notes: p.Notes, Next: p.Next}
}

func fromWrapPlan(p *pluginpb.WrapPlan) WrapPlan {
	return WrapPlan{Edits: each(p.GetEdits(), fromEdit), Notes: p.GetNotes(), Next: p.GetNext()}
}

func toEdit(e wiring.Edit) *pluginpb.Edit {
	return &pluginpb.Edit{
		Path:    e.Path,
		Format:  string(e.Format),
		Ops:     each(e.Ops, toOp),
		Content: e.Content,
		Mode:    uint32(e.Mode.Perm()),
		Why:     e.Why,
		Exclude: e.Exclude,
		Tracked: e.Tracked,
	}
}

func fromEdit(e *pluginpb.Edit) wiring.Edit {
	return wiring.Edit{
		Path:    e.GetPath(),
		Format:  wiring.Format(e.GetFormat()),
		Ops:     each(e.GetOps(), fromOp),
		Content: e.GetContent(),
		Mode:    fs.FileMode(e.GetMode()).Perm(),
		Why:     e.GetWhy(),
		Exclude: e.GetExclude(),
		Tracked: e.GetTracked(),
	}
}

func toOp(o wiring.Op) *pluginpb.Op {
	return &pluginpb.Op{Kind: string(o.Kind), Path: o.Path, Value: o.Value, Existing: o.Existing}
}

func fromOp(o *pluginpb.Op) wiring.Op {
	return wiring.Op{
		Kind: wiring.OpKind(o.GetKind()), Path: o.GetPath(), Value: raw(o.GetValue()), Existing: o.GetExisting(),
	}
}

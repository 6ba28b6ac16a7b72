package plugins

import (
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

func toUsageRequest(r UsageRequest) *pluginpb.UsageRequest {
	return &pluginpb.UsageRequest{Machine: toMachine(r.Machine), Workspace: r.Workspace}
}

func fromUsageRequest(r *pluginpb.UsageRequest) UsageRequest {
	return UsageRequest{Machine: fromMachine(r.GetMachine()), Workspace: r.GetWorkspace()}
}

func toUsage(u Usage) *pluginpb.UsageResponse {
	return &pluginpb.UsageResponse{
		Uses: each(u.Uses, toUse), Sessions: int64(u.Sessions), Since: toTime(u.Since), Unseen: u.Unseen,
		Sees: each(u.Sees, func(k surface.Kind) string { return string(k) }),
	}
}

func fromUsage(u *pluginpb.UsageResponse) Usage {
	return Usage{
		Uses: each(u.GetUses(), fromUse), Sessions: int(u.GetSessions()), Since: fromTime(u.GetSince()), Unseen: u.GetUnseen(),
		Sees: each(u.GetSees(), func(k string) surface.Kind { return surface.Kind(k) }),
	}
}

func toUse(u Use) *pluginpb.Use {
	return &pluginpb.Use{
		Kind: string(u.Kind), Server: u.Server, Name: u.Name, Through: u.Through,
		Session: u.Session, At: toTime(u.At), Failed: u.Failed,
	}
}

func fromUse(u *pluginpb.Use) Use {
	return Use{
		Kind: surface.Kind(u.GetKind()), Server: u.GetServer(), Name: u.GetName(), Through: u.GetThrough(),
		Session: u.GetSession(), At: fromTime(u.GetAt()), Failed: u.GetFailed(),
	}
}

func toTime(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromTime(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

package plugins

import (
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

func toSourcesRequest(r SourcesRequest) *pluginpb.SourcesRequest {
	return &pluginpb.SourcesRequest{
		Machine: toMachine(r.Machine), Workspace: r.Workspace, Dir: r.Dir, Fronted: r.Fronted, Detail: r.Detail,
	}
}

func fromSourcesRequest(r *pluginpb.SourcesRequest) SourcesRequest {
	return SourcesRequest{
		Machine: fromMachine(r.GetMachine()), Workspace: r.GetWorkspace(), Dir: r.GetDir(), Fronted: r.GetFronted(), Detail: r.GetDetail(),
	}
}

func toSources(s surface.Sources) *pluginpb.SourcesResponse {
	return &pluginpb.SourcesResponse{
		Host:     s.Host,
		Servers:  each(s.Servers, toServer),
		Items:    each(s.Items, toItem),
		Rules:    each(s.Rules, toRule),
		Loading:  string(s.Loading),
		ToolName: s.ToolName,
		TextCap:  int64(s.TextCap),
		Form:     toForm(s.Form),
		Frames:   each(s.Frames, toFrame),
		Files:    s.Files,
		Warnings: s.Warnings,
		Unseen:   s.Unseen,
	}
}

func fromSources(s *pluginpb.SourcesResponse) surface.Sources {
	return surface.Sources{
		Host:     s.GetHost(),
		Servers:  each(s.GetServers(), fromServer),
		Items:    each(s.GetItems(), fromItem),
		Rules:    each(s.GetRules(), fromRule),
		Loading:  surface.Loading(s.GetLoading()),
		ToolName: s.GetToolName(),
		TextCap:  int(s.GetTextCap()),
		Form:     fromForm(s.GetForm()),
		Frames:   each(s.GetFrames(), fromFrame),
		Files:    s.GetFiles(),
		Warnings: s.GetWarnings(),
		Unseen:   s.GetUnseen(),
	}
}

func toPlace(p surface.Place) *pluginpb.Place {
	return &pluginpb.Place{File: p.File, Line: int64(p.Line)}
}

func fromPlace(p *pluginpb.Place) surface.Place {
	return surface.Place{File: p.GetFile(), Line: int(p.GetLine())}
}

func toPlacePtr(p *surface.Place) *pluginpb.Place {
	if p == nil {
		return nil
	}
	return toPlace(*p)
}

func fromPlacePtr(p *pluginpb.Place) *surface.Place {
	if p == nil {
		return nil
	}
	place := fromPlace(p)
	return &place
}

func toItem(i surface.Item) *pluginpb.Item {
	return &pluginpb.Item{
		Kind: string(i.Kind), Provider: i.Provider, Name: i.Name, Place: toPlace(i.Place),
		Resident: int64(i.Resident), Deferred: int64(i.Deferred), OnDemand: int64(i.OnDemand),
		Unmeasured: i.Unmeasured, NotLoaded: i.NotLoaded, Text: i.Text, Body: i.Body,
	}
}

func fromItem(i *pluginpb.Item) surface.Item {
	return surface.Item{
		Kind: surface.Kind(i.GetKind()), Provider: i.GetProvider(), Name: i.GetName(), Place: fromPlace(i.GetPlace()),
		Resident: int(i.GetResident()), Deferred: int(i.GetDeferred()), OnDemand: int(i.GetOnDemand()),
		Unmeasured: i.GetUnmeasured(), NotLoaded: i.GetNotLoaded(), Text: i.GetText(), Body: i.GetBody(),
	}
}

func toRule(r surface.Rule) *pluginpb.Rule {
	return &pluginpb.Rule{
		Effect: string(r.Effect), Server: r.Server, Tool: r.Tool, Text: r.Text, Place: toPlace(r.Place), Plain: r.Plain,
	}
}

func fromRule(r *pluginpb.Rule) surface.Rule {
	return surface.Rule{
		Effect: surface.Effect(r.GetEffect()), Server: r.GetServer(), Tool: r.GetTool(),
		Text: r.GetText(), Place: fromPlace(r.GetPlace()), Plain: r.GetPlain(),
	}
}

func toForm(f surface.Form) *pluginpb.Form {
	return &pluginpb.Form{
		Tool: f.Tool, Group: f.Group, Mute: f.Mute, Plain: f.Plain, Keywords: f.Keywords,
		Cut: f.Cut, Head: f.Head, Words: f.Words, Trim: f.Trim,
	}
}

func fromForm(f *pluginpb.Form) surface.Form {
	return surface.Form{
		Tool: f.GetTool(), Group: f.GetGroup(), Mute: f.GetMute(), Plain: f.GetPlain(), Keywords: f.GetKeywords(),
		Cut: f.GetCut(), Head: f.GetHead(), Words: f.GetWords(), Trim: f.GetTrim(),
	}
}

func toFrame(f surface.Frame) *pluginpb.Frame {
	return &pluginpb.Frame{Kind: string(f.Kind), Text: f.Text}
}

func fromFrame(f *pluginpb.Frame) surface.Frame {
	return surface.Frame{Kind: surface.Kind(f.GetKind()), Text: f.GetText()}
}

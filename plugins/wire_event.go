package plugins

import (
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

func toDescription(d Description) *pluginpb.Description {
	return &pluginpb.Description{
		Name:    d.Name,
		Title:   d.Title,
		Version: d.Version,
		Events: each(d.Events, func(e EventSpec) *pluginpb.EventSpec {
			return &pluginpb.EventSpec{Name: e.Name, Sample: e.Sample}
		}),
		AsksPermission:     d.AsksPermission,
		SessionEnv:         d.SessionEnv,
		GatewayName:        d.GatewayName,
		ClientCapabilities: d.ClientCapabilities,
		ProtocolMinor:      ProtocolMinor,
	}
}

func fromDescription(d *pluginpb.Description) Description {
	return Description{
		Name:    d.GetName(),
		Title:   d.GetTitle(),
		Version: d.GetVersion(),
		Events: each(d.GetEvents(), func(e *pluginpb.EventSpec) EventSpec {
			return EventSpec{Name: e.GetName(), Sample: e.GetSample()}
		}),
		AsksPermission:     d.GetAsksPermission(),
		SessionEnv:         d.GetSessionEnv(),
		GatewayName:        d.GetGatewayName(),
		ClientCapabilities: d.GetClientCapabilities(),
	}
}

func toDetection(d Detection) *pluginpb.Detection {
	return &pluginpb.Detection{Installed: d.Installed, Program: d.Program, Config: d.Config, Version: d.Version}
}

func fromDetection(d *pluginpb.Detection) Detection {
	return Detection{Installed: d.GetInstalled(), Program: d.GetProgram(), Config: d.GetConfig(), Version: d.GetVersion()}
}

func toRawEvent(e RawEvent) *pluginpb.RawEvent {
	return &pluginpb.RawEvent{Name: e.Name, Payload: e.Payload, Dir: e.Dir, Machine: toMachine(e.Machine)}
}

func fromRawEvent(e *pluginpb.RawEvent) RawEvent {
	return RawEvent{Name: e.GetName(), Payload: e.GetPayload(), Dir: e.GetDir(), Machine: fromMachine(e.GetMachine())}
}

func toEvent(e event.Event) *pluginpb.Event {
	return &pluginpb.Event{
		Host:           e.Host,
		Name:           e.Name,
		Kind:           string(e.Kind),
		Session:        e.Session,
		Title:          e.Title,
		Source:         string(e.Source),
		Dir:            e.Dir,
		Transcript:     e.Transcript,
		Prompt:         e.Prompt,
		PermissionMode: e.PermissionMode,
		Unattended:     e.Unattended,
		Tool:           toToolUse(e.Tool),
	}
}

func fromEvent(e *pluginpb.Event) event.Event {
	return event.Event{
		Host:           e.GetHost(),
		Name:           e.GetName(),
		Kind:           event.Kind(e.GetKind()),
		Session:        e.GetSession(),
		Title:          e.GetTitle(),
		Source:         event.Source(e.GetSource()),
		Dir:            e.GetDir(),
		Transcript:     e.GetTranscript(),
		Prompt:         e.GetPrompt(),
		PermissionMode: e.GetPermissionMode(),
		Unattended:     e.GetUnattended(),
		Tool:           fromToolUse(e.GetTool()),
	}
}

func toToolUse(t *event.ToolUse) *pluginpb.ToolUse {
	if t == nil {
		return nil
	}
	return &pluginpb.ToolUse{
		Id: t.ID, Name: t.Name, Server: t.Server, Tool: t.Tool, Ours: t.Ours, Input: t.Input, Failed: t.Failed,
	}
}

func fromToolUse(t *pluginpb.ToolUse) *event.ToolUse {
	if t == nil {
		return nil
	}
	return &event.ToolUse{
		ID: t.GetId(), Name: t.GetName(), Server: t.GetServer(), Tool: t.GetTool(), Ours: t.GetOurs(),
		Input: raw(t.GetInput()), Failed: t.GetFailed(),
	}
}

func toReply(r event.Reply) *pluginpb.Reply {
	return &pluginpb.Reply{Context: r.Context, Decision: string(r.Decision), Reason: r.Reason}
}

func fromReply(r *pluginpb.Reply) event.Reply {
	return event.Reply{Context: r.GetContext(), Decision: event.Decision(r.GetDecision()), Reason: r.GetReason()}
}

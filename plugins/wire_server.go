package plugins

import (
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

func toServer(s surface.Server) *pluginpb.Server {
	return &pluginpb.Server{
		Name:          s.Name,
		Scope:         string(s.Scope),
		Place:         toPlace(s.Place),
		Transport:     string(s.Transport),
		Command:       s.Command,
		Args:          s.Args,
		Env:           s.Env,
		EnvVars:       s.EnvVars,
		Cwd:           s.Cwd,
		Url:           s.URL,
		Headers:       s.Headers,
		HeaderEnv:     s.HeaderEnv,
		BearerEnv:     s.BearerEnv,
		HeadersCmd:    s.HeadersCmd,
		Expand:        s.Expand,
		StartTimeout:  toDuration(s.StartTimeout),
		CallTimeout:   toDuration(s.CallTimeout),
		Disabled:      s.Disabled,
		DisabledBy:    toPlacePtr(s.DisabledBy),
		ApprovedBy:    toPlacePtr(s.ApprovedBy),
		Direct:        s.Direct,
		Eager:         s.Eager,
		DataDir:       s.DataDir,
		Own:           s.Own,
		EnabledTools:  toNames(s.EnabledTools),
		DisabledTools: s.DisabledTools,
		Approval:      string(s.Approval),
		ToolApproval:  words[surface.Approval, string](s.ToolApproval),
	}
}

func fromServer(s *pluginpb.Server) surface.Server {
	return surface.Server{
		Name:          s.GetName(),
		Scope:         surface.Scope(s.GetScope()),
		Place:         fromPlace(s.GetPlace()),
		Transport:     surface.Transport(s.GetTransport()),
		Command:       s.GetCommand(),
		Args:          s.GetArgs(),
		Env:           orNil(s.GetEnv()),
		EnvVars:       s.GetEnvVars(),
		Cwd:           s.GetCwd(),
		URL:           s.GetUrl(),
		Headers:       orNil(s.GetHeaders()),
		HeaderEnv:     orNil(s.GetHeaderEnv()),
		BearerEnv:     s.GetBearerEnv(),
		HeadersCmd:    s.GetHeadersCmd(),
		Expand:        s.GetExpand(),
		StartTimeout:  s.GetStartTimeout().AsDuration(),
		CallTimeout:   s.GetCallTimeout().AsDuration(),
		Disabled:      s.GetDisabled(),
		DisabledBy:    fromPlacePtr(s.GetDisabledBy()),
		ApprovedBy:    fromPlacePtr(s.GetApprovedBy()),
		Direct:        s.GetDirect(),
		Eager:         s.GetEager(),
		DataDir:       s.GetDataDir(),
		Own:           s.GetOwn(),
		EnabledTools:  fromNames(s.GetEnabledTools()),
		DisabledTools: s.GetDisabledTools(),
		Approval:      surface.Approval(s.GetApproval()),
		ToolApproval:  words[string, surface.Approval](s.GetToolApproval()),
	}
}

// toNames and fromNames keep nil (all) apart from empty (none).
func toNames(names []string) *pluginpb.Names {
	if names == nil {
		return nil
	}
	return &pluginpb.Names{Names: names}
}

func fromNames(n *pluginpb.Names) []string {
	if n == nil {
		return nil
	}
	return append([]string{}, n.GetNames()...)
}

package plugins

import "github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"

func toCompileRequest(r CompileRequest) *pluginpb.CompileRequest {
	deny := make(map[string]*pluginpb.Names, len(r.DenyTools))
	for server, tools := range r.DenyTools {
		deny[server] = &pluginpb.Names{Names: tools}
	}
	return &pluginpb.CompileRequest{
		Machine:    toMachine(r.Machine),
		Workspace:  r.Workspace,
		Profile:    r.Profile,
		Servers:    each(r.Servers, toServer),
		DenyTools:  deny,
		Gateway:    r.Gateway,
		GatewayBin: r.GatewayBin,
		Dir:        r.Dir,
		Off:        each(r.Off, toItem),
	}
}

func fromCompileRequest(r *pluginpb.CompileRequest) CompileRequest {
	var deny map[string][]string
	for server, tools := range r.GetDenyTools() {
		if deny == nil {
			deny = make(map[string][]string, len(r.GetDenyTools()))
		}
		deny[server] = tools.GetNames()
	}
	return CompileRequest{
		Machine:    fromMachine(r.GetMachine()),
		Workspace:  r.GetWorkspace(),
		Profile:    r.GetProfile(),
		Servers:    each(r.GetServers(), fromServer),
		DenyTools:  deny,
		Gateway:    r.GetGateway(),
		GatewayBin: r.GetGatewayBin(),
		Dir:        r.GetDir(),
		Off:        each(r.GetOff(), fromItem),
	}
}

func toCompiled(c Compiled) *pluginpb.Compiled {
	return &pluginpb.Compiled{
		Files: each(c.Files, func(f CompiledFile) *pluginpb.CompiledFile {
			return &pluginpb.CompiledFile{Name: f.Name, Content: f.Content}
		}),
		Launch: c.Launch,
		Off:    each(c.Off, toItem),
		Beside: c.Beside,
	}
}

func fromCompiled(c *pluginpb.Compiled) Compiled {
	return Compiled{
		Files: each(c.GetFiles(), func(f *pluginpb.CompiledFile) CompiledFile {
			return CompiledFile{Name: f.GetName(), Content: f.GetContent()}
		}),
		Launch: c.GetLaunch(),
		Off:    each(c.GetOff(), fromItem),
		Beside: c.GetBeside(),
	}
}

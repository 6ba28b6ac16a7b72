package plugins

import (
	"context"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

// The version of host.proto. The handshake agrees on the major number; the
// minor one only tells what the other side could know.
const (
	ProtocolMajor = 1
	ProtocolMinor = 3
)

// Prefix begins the file name of every adapter.
const Prefix = "ctx-host-"

// maxMessage bounds one message in either direction. The largest there is, the
// sources of a workspace with thousands of skills, stays below 2 MiB, and a hook
// payload carries at most a host's largest tool result; the bound is there so
// that a broken adapter fails instead of filling the memory of its user.
const maxMessage = 64 << 20

// handshake tells a person who runs an adapter by hand from ctx. It protects
// nothing: trust is decided before an adapter is started.
var handshake = goplugin.HandshakeConfig{
	MagicCookieKey:   "CTX_HOST_ADAPTER",
	MagicCookieValue: "ctx.host.v1",
}

const service = "host"

// versions maps each protocol major that this package speaks to its service.
// a is nil on the side of ctx.
func versions(a Adapter) map[int]goplugin.PluginSet {
	return map[int]goplugin.PluginSet{ProtocolMajor: {service: &hostPlugin{adapter: a}}}
}

// hostPlugin joins the two halves to go-plugin.
type hostPlugin struct {
	goplugin.NetRPCUnsupportedPlugin
	adapter Adapter
}

var _ goplugin.GRPCPlugin = (*hostPlugin)(nil)

func (p *hostPlugin) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	pluginpb.RegisterHostServer(s, &server{adapter: p.adapter})
	return nil
}

func (p *hostPlugin) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return pluginpb.NewHostClient(conn), nil
}

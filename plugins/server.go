package plugins

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

// server answers for an adapter on the wire.
type server struct {
	pluginpb.UnimplementedHostServer
	adapter Adapter
}

func newGRPCServer(opts []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(opts,
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
		grpc.UnaryInterceptor(survive),
	)...)
}

// survive turns a panic into the error of the one call that caused it: an event
// that an adapter trips over must not end the calls beside it.
func survive(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", p, debug.Stack())
			err = status.Errorf(codes.Internal, "the adapter panicked: %v", p)
		}
	}()
	return next(ctx, req)
}

func (s *server) Describe(ctx context.Context, _ *pluginpb.DescribeRequest) (*pluginpb.Description, error) {
	d, err := s.adapter.Describe(ctx)
	return answer(toDescription(d), err)
}

func (s *server) Detect(ctx context.Context, m *pluginpb.Machine) (*pluginpb.Detection, error) {
	d, err := s.adapter.Detect(ctx, fromMachine(m))
	return answer(toDetection(d), err)
}

func (s *server) Decode(ctx context.Context, e *pluginpb.RawEvent) (*pluginpb.Event, error) {
	ev, err := s.adapter.Decode(ctx, fromRawEvent(e))
	return answer(toEvent(ev), err)
}

func (s *server) Encode(ctx context.Context, r *pluginpb.EncodeRequest) (*pluginpb.EncodeResponse, error) {
	out, err := s.adapter.Encode(ctx, fromEvent(r.GetEvent()), fromReply(r.GetReply()))
	return answer(&pluginpb.EncodeResponse{Output: out}, err)
}

func (s *server) Sources(ctx context.Context, r *pluginpb.SourcesRequest) (*pluginpb.SourcesResponse, error) {
	src, err := s.adapter.Sources(ctx, fromSourcesRequest(r))
	return answer(toSources(src), err)
}

func (s *server) PlanWrap(ctx context.Context, r *pluginpb.WrapRequest) (*pluginpb.WrapPlan, error) {
	p, err := s.adapter.PlanWrap(ctx, fromWrapRequest(r))
	return answer(toWrapPlan(p), err)
}

func (s *server) Compile(ctx context.Context, r *pluginpb.CompileRequest) (*pluginpb.Compiled, error) {
	c, err := s.adapter.Compile(ctx, fromCompileRequest(r))
	return answer(toCompiled(c), err)
}

func (s *server) Usage(ctx context.Context, r *pluginpb.UsageRequest) (*pluginpb.UsageResponse, error) {
	reader, ok := s.adapter.(UsageReader)
	if !ok {
		return nil, status.Error(codes.Unimplemented, ErrNoUsage.Error())
	}
	u, err := reader.Usage(ctx, fromUsageRequest(r))
	return answer(toUsage(u), err)
}

func (s *server) PlanPrune(ctx context.Context, r *pluginpb.PruneRequest) (*pluginpb.PrunePlan, error) {
	pruner, ok := s.adapter.(Pruner)
	if !ok {
		return nil, status.Error(codes.Unimplemented, ErrNoPrune.Error())
	}
	p, err := pruner.PlanPrune(ctx, fromPruneRequest(r))
	return answer(toPrunePlan(p), err)
}

// answer sends either half of a result. gRPC knows the errors of a context by
// itself; every other error crosses as its text.
func answer[T any](msg *T, err error) (*T, error) {
	if err == nil {
		return msg, nil
	}
	if s := status.FromContextError(err); s.Code() != codes.Unknown {
		return nil, s.Err()
	}
	return nil, status.Error(codes.Unknown, err.Error())
}

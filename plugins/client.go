package plugins

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

// Client is a running adapter. Its methods may be called concurrently, and
// after Close they fail.
type Client struct {
	name        string
	description Description
	minor       int
	rpc         pluginpb.HostClient
	plugin      *goplugin.Client
	proc        *process
	lastWords   tail
	closing     sync.Once
}

var _ Adapter = (*Client)(nil)

// ProtocolMinor is the minor version of the protocol that the adapter was built
// with. What came after it, the adapter does not know.
func (c *Client) ProtocolMinor() int { return c.minor }

// Close ends the adapter. It has nothing to save, so it is not asked.
func (c *Client) Close() {
	c.closing.Do(func() {
		_ = c.proc.Kill(context.Background())
		c.plugin.Kill()
		if c.proc.dir != "" { // go-plugin leaves it where the start failed
			_ = os.RemoveAll(c.proc.dir)
		}
	})
}

// Describe answers with what the adapter said when it was started.
func (c *Client) Describe(context.Context) (Description, error) { return c.description, nil }

// Detect asks the adapter; see [Adapter].
func (c *Client) Detect(ctx context.Context, m Machine) (Detection, error) {
	d, err := c.rpc.Detect(ctx, toMachine(m))
	return fromDetection(d), c.fail(ctx, "detect", err)
}

// Decode asks the adapter; see [Adapter].
func (c *Client) Decode(ctx context.Context, raw RawEvent) (event.Event, error) {
	ev, err := c.rpc.Decode(ctx, toRawEvent(raw))
	return fromEvent(ev), c.fail(ctx, "decode "+raw.Name, err)
}

// Encode asks the adapter; see [Adapter].
func (c *Client) Encode(ctx context.Context, ev event.Event, r event.Reply) ([]byte, error) {
	resp, err := c.rpc.Encode(ctx, &pluginpb.EncodeRequest{Event: toEvent(ev), Reply: toReply(r)})
	return resp.GetOutput(), c.fail(ctx, "encode", err)
}

// Sources asks the adapter; see [Adapter].
func (c *Client) Sources(ctx context.Context, req SourcesRequest) (surface.Sources, error) {
	s, err := c.rpc.Sources(ctx, toSourcesRequest(req))
	return fromSources(s), c.fail(ctx, "sources", err)
}

// PlanWrap asks the adapter; see [Adapter].
func (c *Client) PlanWrap(ctx context.Context, req WrapRequest) (WrapPlan, error) {
	p, err := c.rpc.PlanWrap(ctx, toWrapRequest(req))
	return fromWrapPlan(p), c.fail(ctx, "plan", err)
}

// Compile asks the adapter; see [Adapter].
func (c *Client) Compile(ctx context.Context, req CompileRequest) (Compiled, error) {
	r, err := c.rpc.Compile(ctx, toCompileRequest(req))
	return fromCompiled(r), c.fail(ctx, "compile", err)
}

func (c *Client) fail(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("adapter %s: %s: %w", c.name, what, plain(ctx, err))
}

// plain takes gRPC out of an error.
func plain(ctx context.Context, err error) error {
	s, _ := status.FromError(err)
	switch {
	case s.Code() == codes.DeadlineExceeded:
		return context.DeadlineExceeded
	case s.Code() == codes.Canceled && ctx.Err() != nil:
		return context.Canceled
	case s.Code() == codes.Unavailable, s.Code() == codes.Canceled:
		return &ExitedError{}
	default:
		return errors.New(s.Message())
	}
}

// logWriter logs what an adapter prints once it is up.
type logWriter struct{ log hclog.Logger }

func (w *logWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w.log.Debug(strings.TrimRight(line, "\r\n"))
	}
	return len(p), nil
}

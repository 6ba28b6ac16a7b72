package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

// Options say how an adapter is started. The zero value is right for most.
type Options struct {
	// Log takes what the adapter and go-plugin say; nil discards it.
	Log hclog.Logger
	// StartTimeout bounds the time to the handshake; 0: 3 seconds.
	StartTimeout time.Duration
	// Env is the user's environment, of which an adapter is given the few
	// variables that any program needs; nil: this process's own.
	Env []string
}

const defaultStartTimeout = 3 * time.Second

// Open starts a trusted adapter. What is not trusted, or cannot be, is not
// started: the error is an [*UntrustedError], a [*ChangedError] or an
// [*UnusableError]. An adapter that does not come up is a [*StartError].
func Open(ctx context.Context, f Found, o Options) (*Client, error) {
	switch {
	case f.Problem != "":
		return nil, &UnusableError{f}
	case f.State == New:
		return nil, &UntrustedError{f}
	case f.State != Trusted:
		return nil, &ChangedError{f}
	}
	// The file was hashed through one descriptor and is run by its name. Between
	// this look and the exec it can still be swapped, by someone who may write
	// the folder: the user, or root.
	if now, err := stampAt(f.Path); err != nil || now != f.stamp {
		f.Problem = "it was replaced while it was being checked"
		return nil, &UnusableError{f}
	}
	return OpenPath(ctx, f.Path, o)
}

// OpenPath starts the adapter at an absolute path that the caller answers for:
// one it has just built, or one that the user has named. Its host's name is in
// the file's name.
func OpenPath(ctx context.Context, path string, o Options) (*Client, error) {
	name := nameOf(filepath.Base(path))
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = defaultStartTimeout
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	startCtx, cancel := context.WithTimeoutCause(ctx, o.StartTimeout, &TimeoutError{o.StartTimeout})
	defer cancel()

	c := &Client{name: name, proc: newProcess(path)}
	if err := c.start(startCtx, o); err != nil {
		c.Close()
		return nil, c.startError(startCtx, err)
	}
	return c, nil
}

// start brings the adapter up before ctx is done. Every way in which that can
// hang ends with the process.
func (c *Client) start(ctx context.Context, o Options) error {
	stop := context.AfterFunc(ctx, func() { _ = c.proc.Kill(ctx) })
	if err := c.connect(ctx, o); err != nil {
		stop()
		return err
	}
	if !stop() { // too late to be of use
		return context.Cause(ctx)
	}
	return nil
}

func (c *Client) connect(ctx context.Context, o Options) error {
	voice := &logWriter{log: o.Log.Named(c.name)}
	c.plugin = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: versions(nil),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		SkipHostEnv:      true,
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, dir string) (runner.Runner, error) {
			cmd.Env = append(adapterEnv(o.Env), cmd.Env...)
			c.proc.prepare(cmd, dir)
			return c.proc, nil
		},
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: socketParent()},
		StartTimeout:     2 * o.StartTimeout, // ctx is the one that ends it
		Logger:           o.Log,
		Stderr:           &c.lastWords,
		SyncStdout:       voice,
		SyncStderr:       io.MultiWriter(voice, &c.lastWords),
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
			// The one connection must stay: its socket has no name any more.
			grpc.WithIdleTimeout(0),
		},
	})
	conn, err := c.plugin.Client()
	if err != nil {
		return err
	}
	half, err := conn.Dispense(service)
	if err != nil {
		return err
	}
	c.rpc = half.(pluginpb.HostClient)

	d, err := c.rpc.Describe(ctx, &pluginpb.DescribeRequest{})
	if err != nil {
		return fmt.Errorf("describe: %w", plain(ctx, err))
	}
	if d.GetName() != c.name {
		return fmt.Errorf("it describes itself as %q, which belongs into a file named %s%s", d.GetName(), Prefix, d.GetName())
	}
	c.description, c.minor = fromDescription(d), int(d.GetProtocolMinor())
	// Both ends hold the connection, so that from here on nothing is left in the
	// file system, however either of them ends.
	return os.RemoveAll(c.proc.dir)
}

// startError tells the causes of a failed start apart. The process has ended.
func (c *Client) startError(ctx context.Context, err error) error {
	e := &StartError{Name: c.name, Path: c.proc.path, Stderr: c.lastWords.Line()}
	var noExec *os.PathError
	line, _, _ := strings.Cut(c.proc.first.String(), "\n")
	major, spoke := majorOf(line)
	switch {
	case context.Cause(ctx) != nil:
		e.Err = context.Cause(ctx)
		e.hint = "see ctx's log for what it was doing, or run: ctx plugins check " + c.proc.path
	case errors.As(err, &noExec):
		e.Err, e.hint = noExec, "build it for this machine, and make the file executable"
	case spoke && major != ProtocolMajor:
		e.Err = &VersionError{Adapter: major, Ctx: ProtocolMajor}
		e.hint = "rebuild it with the package plugins of this ctx"
		if major > ProtocolMajor {
			e.hint = "update ctx"
		}
	case spoke:
		e.Err, e.hint = err, "ctx plugins check "+c.proc.path
	default:
		e.Err = &HandshakeError{line[:min(len(line), 80)]}
		e.hint = "an adapter prints nothing before it calls plugins.Serve"
	}
	return e
}

// majorOf reads the protocol's major number in a line of go-plugin's handshake.
func majorOf(line string) (int, bool) {
	parts := strings.Split(line, "|")
	if len(parts) < 5 {
		return 0, false
	}
	n, err := strconv.Atoi(parts[1])
	return n, err == nil
}

// socketParent is where the private folder of a socket is made: the usual
// place, unless its path leaves no room for the socket's own (104 bytes on
// macOS).
func socketParent() string {
	const longestRest = len("/plugin-dir4294967295/plugin4294967295")
	if dir := os.TempDir(); filepath.IsAbs(dir) && len(dir)+longestRest < 104 {
		return dir
	}
	return "/tmp"
}

package plugins

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
)

// Serve answers ctx for one host until ctx is done with the adapter. It is all
// that an adapter's main calls, and it never returns to one that a person has
// started by hand: that prints what the program is and exits 1.
//
// Standard output belongs to the handshake until it is done, so an adapter
// prints nothing before Serve; afterwards stdout and stderr go to ctx's log. An
// adapter leaves standard input alone: it is empty, and its end is the sign
// that ctx is gone, at which the process exits.
func Serve(a Adapter) {
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		fmt.Fprint(os.Stderr, byHand(os.Args[0]))
		os.Exit(1)
	}
	go exitWithHost(os.Stdin)
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: versions(a),
		GRPCServer:       newGRPCServer,
		// ctx writes adapters' logs with its own level; what go-plugin itself
		// says below a warning is of no use to a user.
		Logger: hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr, JSONFormat: true}),
	})
}

// exitWithHost ends the process when the host process does, however that died:
// the kernel closes the write end of the pipe that stdin is.
func exitWithHost(stdin io.Reader) {
	_, _ = io.Copy(io.Discard, stdin)
	removeSockets(os.Getenv(goplugin.EnvUnixSocketDir))
	os.Exit(0)
}

// removeSockets takes along the folder of this process's socket, which nobody
// else would after the host was killed. It removes nothing but sockets, since
// the folder's name comes from the environment.
func removeSockets(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type() == fs.ModeSocket {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	_ = os.Remove(dir) // fails, as it should, while anything else is in it
}

func byHand(program string) string {
	return fmt.Sprintf("%s is an adapter of ctx: ctx starts it by itself. To use it, put it into ctx's plugins folder, then: ctx plugins trust %s\n",
		filepath.Base(program), nameOf(filepath.Base(program)))
}

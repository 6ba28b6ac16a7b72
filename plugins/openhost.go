package plugins

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// OpenHost finds the adapter of a host by its name and starts it if it is
// trusted. It fails with a [*NotFoundError] or as [Open] does.
func OpenHost(ctx context.Context, l paths.Layout, env []string, name string) (*Client, error) {
	return OpenHostWith(ctx, l, name, Options{Env: env})
}

// OpenHostWith is [OpenHost] with options; o.Env is also where CTX_PLUGINS is
// looked up.
func OpenHostWith(ctx context.Context, l paths.Layout, name string, o Options) (*Client, error) {
	t := trust.Open(l.Trust())
	for _, f := range discover(l, o.Env, t, func(n string) bool { return n == name }) {
		if f.Name == name {
			return Open(ctx, f, o)
		}
	}
	missing := &NotFoundError{Name: name}
	for _, f := range Discover(l, o.Env, t) {
		if f.Problem == "" {
			missing.Installed = append(missing.Installed, f.Name)
		}
	}
	return nil, missing
}

package surface

import (
	"context"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/profile"
)

// Measured is what a profile leaves of what a host loads.
type Measured struct {
	Servers      int    // that are kept
	Tools        int    // likewise
	SchemaTokens int    // of the tools that are kept, as their servers list them
	Tokens       Saving // in every request
	Compiled     bool   // false where ctx-gateway stands before the host's servers: there is no Config then
}

// Measure is what ctx surface compile reckons with, and writes nothing.
func Measure(ctx context.Context, f *cmdutil.Factory, s *survey.Set, h *survey.Host, p *profile.Profile) (Measured, error) {
	c := &compiler{f: f, set: s, host: h, profile: p}
	if err := c.pick(); err != nil {
		return Measured{}, err
	}
	m := Measured{Servers: len(c.picked.Servers), Tools: c.out.Tools, SchemaTokens: c.out.SchemaTokens, Compiled: len(h.Fronted) == 0}
	if m.Compiled {
		if err := c.compile(ctx); err != nil {
			return Measured{}, err
		}
	}
	if err := c.price(); err != nil {
		return Measured{}, err
	}
	m.Tokens = c.out.Tokens
	if !m.Compiled {
		m.Tokens.Config, m.Tokens.SavedConfig = 0, 0
	}
	return m, nil
}

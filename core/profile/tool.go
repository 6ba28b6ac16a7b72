package profile

import (
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Of is a tool as its server lists it. One without a definition is judged by its
// names.
func Of(t listing.Tool) Tool {
	of := Tool{Server: t.Server, Name: t.Name, Family: surface.FamilyOf(t.Server, t.Name, t.Description)}
	if t.Raw == nil {
		j := authority.Judge(t.Server, authority.Definition{Name: t.Name})
		of.Tier, of.Unknown = j.Tier, j.Unknown()
		return of
	}
	of.Tier, of.Unknown = t.Authority(), authority.Of(t.Server, t.Raw).Unknown()
	return of
}

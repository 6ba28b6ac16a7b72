package survey

import (
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Priced is what a host would cost if its configuration said src.
func (s *Set) Priced(f *cmdutil.Factory, h Host, src surface.Sources) (surface.Inventory, error) {
	h.Sources = src
	err := s.price(f, &h)
	return h.Priced, err
}

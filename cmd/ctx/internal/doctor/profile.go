package doctor

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// profile says what the gateway of a host works under.
func (d *doctor) profile(host string, wired wiring.HostRecord) {
	const name = "profile"
	p := profile.Active(d.f.Config().Surface, wired.Profile)
	switch {
	case p == nil:
		return
	case p.Broken() != "":
		d.add(host, name, Bad, p.Broken(), "mend it, or choose another one: ctx wrap setup --gateway --profile NAME")
	default:
		d.add(host, name, Good, fmt.Sprintf("the gateway works under %s: up to %s, %d families", p.Name, p.Ceiling(), len(p.Families())), "")
	}
}

package inventory

import (
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Level is how early a capability should be before the model.
type Level int

const (
	L0 Level = iota // always: kernel, policy, instructions
	L1              // read, or a write that is used
	L2              // a local write that is not used, or something destructive that is
	L3              // a remote write that is not used
	L4              // something destructive that is not used
)

// String is "L0" to "L4".
func (l Level) String() string { return "L" + string(rune('0'+int(l))) }

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// levels gives each record its level. What nobody could see used is not taken
// for unused. A server is as early as the earliest of its tools.
func levels(records []Record) {
	servers := make(map[string]*Record)
	for i := range records {
		r := &records[i]
		switch r.Kind {
		case surface.KindTool:
			r.Level = toolLevel(r)
		case surface.KindInstructions, surface.KindPolicy:
			r.Level = L0
		case surface.KindServer:
			servers[r.Name] = r
			r.Level = L1
		default:
			r.Level = L1
		}
		if r.Own {
			r.Level = L0
		}
	}
	earliest := make(map[string]Level)
	for _, r := range records {
		if r.Kind != surface.KindTool {
			continue
		}
		if l, ok := earliest[r.Provider]; !ok || r.Level < l {
			earliest[r.Provider] = r.Level
		}
	}
	for name, l := range earliest {
		if s := servers[name]; s != nil && !s.Own {
			s.Level = l
		}
	}
}

func toolLevel(r *Record) Level {
	if r.Authority == nil {
		return L1
	}
	unused := r.Use.Unused()
	switch tier := r.Authority.Tier; {
	case tier == authority.Read:
		return L1
	case tier == authority.Destructive && unused:
		return L4
	case tier == authority.Destructive:
		return L2
	case !unused:
		return L1
	case tier == authority.RemoteWrite:
		return L3
	default:
		return L2
	}
}

// Trimmable reports whether a trim would propose to leave the record out.
func (r Record) Trimmable() bool {
	return r.Level >= L2 && r.Standing == Loaded && r.Cost.Resident+r.Cost.Deferred > 0
}

package plugins

import (
	"encoding/json"
	"maps"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/ctx-sidecar/ctx/plugins/internal/pluginpb"
)

// The files wire_*.go turn the types of the contract into those of the wire and
// back. Each pair is its own inverse but for empty slices and maps, which come
// back nil; where nil and empty differ in meaning, the wire tells them apart.

// each converts a slice; an empty one becomes nil.
func each[A, B any](in []A, convert func(A) B) []B {
	if len(in) == 0 {
		return nil
	}
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = convert(v)
	}
	return out
}

// words converts between string and its named kinds in a map.
func words[A, B ~string](in map[string]A) map[string]B {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]B, len(in))
	for k, v := range in {
		out[k] = B(v)
	}
	return out
}

func orNil[M ~map[string]V, V any](m M) M {
	if len(m) == 0 {
		return nil
	}
	return maps.Clone(m)
}

// raw keeps "no JSON" apart from JSON: gRPC may hand an absent field over as an
// empty slice.
func raw(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return json.RawMessage(b)
}

func toDuration(d time.Duration) *durationpb.Duration {
	if d == 0 {
		return nil
	}
	return durationpb.New(d)
}

func toMachine(m Machine) *pluginpb.Machine {
	return &pluginpb.Machine{Home: m.Home, Env: m.Env}
}

func fromMachine(m *pluginpb.Machine) Machine {
	return Machine{Home: m.GetHome(), Env: m.GetEnv()}
}

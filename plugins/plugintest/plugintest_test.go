package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

var fixtures = map[string]fs.FS{
	"one server": fstest.MapFS{"home/config.json": {Data: []byte("{\"a\": 1.0e3 }\n")}},
}

func TestASoundAdapterPasses(t *testing.T) {
	t.Parallel()
	Run(t, Config{Adapter: sound{}, Fixtures: fixtures})
}

// faults makes the named checks of an adapter and returns what they report.
func faults(t *testing.T, a plugins.Adapter, names string) string {
	t.Helper()
	var mu sync.Mutex
	var all strings.Builder
	for _, c := range checks {
		if !slices.Contains(strings.Fields(names), c.name) {
			continue
		}
		c.run(&kit{t: t, ctx: t.Context(), adapter: a, config: Config{Fixtures: fixtures}, fail: func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(&all, format+"\n", args...)
		}})
	}
	return all.String()
}

type (
	mute     struct{ sound }
	liar     struct{ sound }
	trusting struct{ sound }
	fragile  struct{ sound }
	chatty   struct{ sound }
	deaf     struct{ sound }
	lenient  struct{ sound }
	strict   struct{ sound }
	fickle   struct {
		sound
		n atomic.Int64
	}
	writer   struct{ sound }
	clumsy   struct{ sound }
	greedy   struct{ sound }
	growing  struct{ sound }
	confused struct{ sound }
	escaping struct{ sound }
	local    struct{ sound }
)

func (mute) Describe(context.Context) (plugins.Description, error) {
	return plugins.Description{Name: "sound"}, nil
}

func (liar) Decode(ctx context.Context, raw plugins.RawEvent) (event.Event, error) {
	ev, err := sound{}.Decode(ctx, raw)
	ev.Host, ev.Session = "other", ""
	return ev, err
}

func (trusting) Decode(_ context.Context, raw plugins.RawEvent) (event.Event, error) {
	var e struct{ Name string }
	_ = json.Unmarshal(raw.Payload, &e) // the fault
	return event.Event{Host: "sound", Kind: event.SessionStart, Name: e.Name, Session: "1"}, nil
}

func (fragile) Decode(ctx context.Context, raw plugins.RawEvent) (event.Event, error) {
	if raw.Payload[0] == '{' && raw.Payload[len(raw.Payload)-1] != '}' {
		panic("unbalanced")
	}
	return sound{}.Decode(ctx, raw)
}

func (chatty) Encode(ctx context.Context, ev event.Event, r event.Reply) ([]byte, error) {
	b, err := sound{}.Encode(ctx, ev, r)
	return append(b, "{}\nok\n"...), err
}

func (deaf) Encode(context.Context, event.Event, event.Reply) ([]byte, error) {
	return []byte("{}"), nil
}

func (lenient) Encode(_ context.Context, _ event.Event, r event.Reply) ([]byte, error) {
	return fmt.Appendf(nil, `{"tell": "%s", "no": "%s"}`, r.Context, r.Reason), nil // the fault: not quoted
}

func (strict) Sources(ctx context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	s, err := sound{}.Sources(ctx, req)
	if len(s.Warnings) > 0 {
		return s, errors.New(s.Warnings[0])
	}
	return s, err
}

func (f *fickle) Sources(ctx context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	s, err := sound{}.Sources(ctx, req)
	s.Unseen = []string{fmt.Sprint(f.n.Add(1))}
	return s, err
}

func (writer) Detect(_ context.Context, m plugins.Machine) (plugins.Detection, error) {
	return plugins.Detection{}, os.WriteFile(filepath.Join(m.Home, "cache"), nil, 0o600)
}

func (clumsy) PlanWrap(ctx context.Context, req plugins.WrapRequest) (plugins.WrapPlan, error) {
	p, err := sound{}.PlanWrap(ctx, req)
	p.Edits[0].Ops[0].Value = json.RawMessage(`{"run": `)
	return p, err
}

func (greedy) PlanWrap(ctx context.Context, req plugins.WrapRequest) (plugins.WrapPlan, error) {
	p, err := sound{}.PlanWrap(ctx, req)
	p.Edits = append(p.Edits, wiring.Edit{Path: "/etc/hosts", Format: wiring.Lines})
	return p, err
}

func (growing) PlanWrap(ctx context.Context, req plugins.WrapRequest) (plugins.WrapPlan, error) {
	p, err := sound{}.PlanWrap(ctx, req)
	if b, _ := os.ReadFile(p.Edits[0].Path); strings.Contains(string(b), "hook") {
		p.Edits[0].Ops = append(p.Edits[0].Ops, wiring.Op{Kind: wiring.Set, Path: []string{"again"}, Value: json.RawMessage("true")})
	}
	return p, err
}

func (confused) Sources(ctx context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	s, err := sound{}.Sources(ctx, req)
	for i := range s.Servers {
		s.Servers[i].Own = false
	}
	if len(s.Servers) == 2 {
		s.Servers[0].Args = []string{"rewritten"}
	}
	return s, err
}

func (escaping) Compile(ctx context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	c, err := sound{}.Compile(ctx, req)
	c.Files[0].Name = "../config.json"
	return c, err
}

func (local) Sources(ctx context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	s, err := sound{}.Sources(ctx, req)
	s.Servers = []surface.Server{{Name: "mine"}}
	return s, err
}

func TestEveryFaultIsFound(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		adapter plugins.Adapter
		checks  string
		want    []string
	}{
		"no events":                  {mute{}, "describe decode", []string{"no events", "no sample is an event"}},
		"a wrong host":               {liar{}, "decode", []string{`the host is "other"`, "no session"}},
		"garbage for an event":       {trusting{}, "decode-hostile", []string{"takes text for an event", "takes two events for an event"}},
		"a panic":                    {fragile{}, "decode-hostile", []string{"panics: unbalanced", "given nothing, panics"}},
		"two documents":              {chatty{}, "encode", []string{"not one JSON document"}},
		"a lost context":             {deaf{}, "encode", []string{"is not in the output", "a refusal for"}},
		"an unquoted context":        {lenient{}, "encode", []string{"not one JSON document"}},
		"an error for one bad file":  {strict{}, "sources-damaged", []string{"one server: Sources: /"}},
		"answers that change":        {&fickle{}, "sources concurrent", []string{"a second call answers otherwise", "among other calls"}},
		"a write":                    {writer{}, "detect", []string{"Detect leaves home/cache"}},
		"values that are no JSON":    {clumsy{}, "wrap", []string{"is not JSON"}},
		"an edit elsewhere":          {greedy{}, "wrap", []string{`"/etc/hosts" is neither`, "does not say why"}},
		"a second wrap that changes": {growing{}, "wrap", []string{"wrap for a second time changes"}},
		"its own server unknown":     {confused{}, "wrap", []string{"a server is Own: false", "its approval would not hold"}},
		"a file outside":             {escaping{}, "compile", []string{`"../config.json" is not within`}},
		"the machine's own servers":  {local{}, "sources", []string{"is the adapter's own environment read", "has no scope"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := faults(t, tt.adapter, tt.checks)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no word of %q in:\n%.2000s", want, got)
				}
			}
		})
	}
}

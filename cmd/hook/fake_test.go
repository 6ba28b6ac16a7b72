package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// fake is the adapter of a host that does not exist. Its events are event.Event
// in JSON, its replies event.Reply, and what it loads is in the workspace's
// fake.json as surface.Sources.
type fake struct{}

func fakeAdapter() { plugins.Serve(fake{}) }

func (fake) Describe(context.Context) (plugins.Description, error) {
	return plugins.Description{Name: "fake", Title: "Fake", Version: "1"}, nil
}

func (fake) Detect(context.Context, plugins.Machine) (plugins.Detection, error) {
	return plugins.Detection{}, nil
}

func (fake) Decode(_ context.Context, raw plugins.RawEvent) (event.Event, error) {
	var ev event.Event
	if err := json.Unmarshal(raw.Payload, &ev); err != nil {
		return ev, err
	}
	switch raw.Name {
	case "Panic":
		panic("fault in the adapter")
	case "Exit":
		os.Exit(1)
	case "Hang":
		time.Sleep(time.Hour)
	case "HostPID":
		for _, v := range raw.Machine.Env {
			if pid, ok := strings.CutPrefix(v, "CTX_HOST_PID="); ok {
				ev.Name = "host " + pid
			}
		}
	}
	ev.Host = "fake"
	if ev.Dir == "" {
		ev.Dir = raw.Dir
	}
	return ev, nil
}

func (fake) Encode(_ context.Context, ev event.Event, r event.Reply) ([]byte, error) {
	if ev.Name != "" {
		return []byte(ev.Name), nil
	}
	if r.Empty() {
		return nil, nil
	}
	return json.Marshal(r)
}

func (fake) Sources(_ context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	s := surface.Sources{Host: "fake", Loading: surface.Eager, ToolName: "mcp__{server}__{tool}"}
	b, err := os.ReadFile(filepath.Join(req.Workspace, "fake.json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

func (fake) PlanWrap(context.Context, plugins.WrapRequest) (plugins.WrapPlan, error) {
	return plugins.WrapPlan{}, nil
}

func (fake) Compile(context.Context, plugins.CompileRequest) (plugins.Compiled, error) {
	return plugins.Compiled{}, nil
}

// readListing makes the listing of a server in a fake.json from a file of tools.
func readListing(sources, tools string) (listing.Listing, error) {
	var s surface.Sources
	b, err := os.ReadFile(sources)
	if err != nil {
		return listing.Listing{}, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return listing.Listing{}, err
	}
	b, err = os.ReadFile(tools)
	if err != nil {
		return listing.Listing{}, err
	}
	name := strings.TrimSuffix(filepath.Base(tools), ".json")
	for _, srv := range s.Servers {
		if srv.Name == name {
			l := listing.Listing{Server: name, Fingerprint: srv.Fingerprint(), At: time.Now()}
			return l, json.Unmarshal(b, &l.Tools)
		}
	}
	return listing.Listing{}, fmt.Errorf("%s has no server %s", sources, name)
}

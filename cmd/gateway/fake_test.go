package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// fake is the adapter of a host that does not exist: its configuration is the
// workspace's fake.json in the form of surface.Sources, its events and replies
// are ours as JSON.
type fake struct{}

func fakeAdapter() { plugins.Serve(fake{}) }

func (fake) Describe(context.Context) (plugins.Description, error) {
	return plugins.Description{Name: "fake", Title: "Fake", Version: "1", SessionEnv: "FAKE_SESSION"}, nil
}

func (fake) Detect(context.Context, plugins.Machine) (plugins.Detection, error) {
	return plugins.Detection{}, nil
}

func (fake) Decode(_ context.Context, raw plugins.RawEvent) (event.Event, error) {
	ev := event.Event{Host: "fake", Name: raw.Name, Dir: raw.Dir}
	err := json.Unmarshal(raw.Payload, &ev)
	return ev, err
}

func (fake) Encode(_ context.Context, ev event.Event, r event.Reply) ([]byte, error) {
	return json.Marshal(map[string]any{"session": ev.Session, "reply": r})
}

func (fake) Sources(_ context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	var s surface.Sources
	path := filepath.Join(req.Workspace, "fake.json")
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	s.Files = []string{path}
	return s, err
}

func (fake) PlanWrap(context.Context, plugins.WrapRequest) (plugins.WrapPlan, error) {
	return plugins.WrapPlan{}, nil
}

func (fake) Compile(context.Context, plugins.CompileRequest) (plugins.Compiled, error) {
	return plugins.Compiled{}, nil
}

// hookMain is a hook of the host's: it sends the event on its stdin to the
// gateway of its session and prints the answer.
func hookMain() {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, _ := os.Getwd()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, ok := rendezvous.Send(ctx, paths.FromEnv(os.Environ()), rendezvous.Request{
		Host: "fake", Event: os.Args[1], Dir: dir, Env: os.Environ(), Payload: payload,
	})
	if !ok {
		fmt.Println("nobody took it")
		return
	}
	os.Stdout.Write(out)
}

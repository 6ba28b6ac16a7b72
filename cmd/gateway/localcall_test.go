package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/localtool"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// bench is a workspace's tools without the gateway around them.
func bench(t *testing.T, limit time.Duration, tools map[string]string) withLocal {
	t.Helper()
	ws, state := paths.Real(t.TempDir()), t.TempDir()
	approvals := trust.Open(filepath.Join(state, "trust.json"))
	if err := os.MkdirAll(localtool.Folder(ws), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, body := range tools {
		if err := os.WriteFile(filepath.Join(localtool.Folder(ws), name), []byte("#!/bin/sh\n# @description It.\n"+body), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found, problems := localtool.Read(ws)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, tool := range found {
		d := tool.Declaration()
		if err := approvals.Approve(tool.TrustID(), trust.Approval{Fingerprint: d.Fingerprint(), By: "user", Server: d}); err != nil {
			t.Fatal(err)
		}
	}
	m := backend.New(backend.Options{})
	t.Cleanup(m.Close)
	l := &local{
		Files: &gateway.Files{Workspace: ws}, shelf: localtool.OpenShelf(ws, approvals),
		copies: localtool.OpenCopies(paths.Layout{State: state}), log: hclog.NewNullLogger(), named: localtool.Server,
	}
	l.state = l.shelf.State()
	return withLocal{m, l, []string{"PATH=" + os.Getenv("PATH")}, limit}
}

func TestAToolHasItsTimeAndNoMore(t *testing.T) {
	t.Parallel()
	b := bench(t, time.Second, map[string]string{"slow": "echo so far; sleep 1000", "quick": "echo done"})
	// On a busy machine even its first word may take longer than that.
	eventually(t, "what it has said until then is in the answer", func() bool {
		raw, err := b.Request(t.Context(), "local", "tools/call", json.RawMessage(`{"name":"slow","arguments":{}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, string(raw), `"isError":true`, fmt.Sprintf("took longer than %s", b.limit))
		b.limit *= 2
		return strings.Contains(string(raw), "so far")
	})
	b.limit = time.Minute
	raw, err := b.Request(t.Context(), "local", "tools/call", json.RawMessage(`{"name":"quick","arguments":{}}`), nil)
	if err != nil || string(raw) != `{"content":[{"type":"text","text":"done\n"}]}` {
		t.Errorf("%s, %v", raw, err)
	}
	if localTime != 5*time.Minute {
		t.Errorf("the limit is %s", localTime)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Request(ctx, "local", "tools/call", json.RawMessage(`{"name":"quick","arguments":{}}`), nil); err == nil {
		t.Error("a call that was withdrawn is answered")
	}
}

// Whoever may write in the workspace can put other bytes in a tool's place at
// any time, also right after somebody has looked at them.
func TestWhatRunsIsWhatWasApprovedHoweverOftenTheFileIsSwapped(t *testing.T) {
	t.Parallel()
	b := bench(t, time.Minute, map[string]string{"deploy": "echo approved"})
	path := filepath.Join(localtool.Folder(b.local.Workspace), "deploy")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	evil := []byte(strings.Replace(string(good), "echo approved", "echo EVIL....", 1))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			text := good
			if i%2 == 0 {
				text = evil
			}
			// In place and by a rename, as it comes.
			if i%4 < 2 {
				_ = os.WriteFile(path, text, 0o700)
			} else if os.WriteFile(path+"~", text, 0o700) == nil {
				_ = os.Rename(path+"~", path)
			}
		}
	}()
	ran := 0
	for range 500 {
		raw, err := b.Request(t.Context(), "local", "tools/call", json.RawMessage(`{"name":"deploy","arguments":{}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "EVIL") {
			t.Errorf("it ran what nobody approved: %s", raw)
		}
		if strings.Contains(string(raw), `"approved\n"`) {
			ran++
		}
	}
	close(stop)
	<-stopped
	if err := os.WriteFile(path, good, 0o700); err != nil {
		t.Fatal(err)
	}
	raw, err := b.Request(t.Context(), "local", "tools/call", json.RawMessage(`{"name":"deploy","arguments":{}}`), nil)
	if err != nil || !strings.Contains(string(raw), "approved") {
		t.Errorf("afterwards: %s, %v", raw, err)
	}
	t.Logf("ran %d times", ran)
}

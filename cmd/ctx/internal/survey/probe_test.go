package survey

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/plugins"
)

// whenThere returns once there is such a file, or the test is over.
func whenThere(t *testing.T, path string) {
	for t.Context().Err() == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// asked asks servers that start a shell script for their tools, until the user
// interrupts it where there is a file "interrupt" in the workspace, and returns
// which failures are kept.
func asked(t *testing.T, scripts map[string]string) map[string]listing.Failure {
	t.Helper()
	ws := t.TempDir()
	io, _, _, _ := iostreams.Test()
	f := &cmdutil.Factory{IO: io, Env: []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, Dir: ws}
	h := &Host{Host: &hosts.Host{Description: plugins.Description{Name: "fake", Title: "Fake"}}, Probed: &Probed{}}
	var jobs []job
	for name, script := range scripts {
		srv := surface.Server{Name: name, Transport: surface.Stdio, Command: "sh", Args: []string{"-c", script}}
		jobs = append(jobs, job{host: h, at: len(h.Probed.Servers), server: srv})
		h.Probed.Servers = append(h.Probed.Servers, ProbedServer{Name: name})
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		whenThere(t, filepath.Join(ws, "interrupt"))
		interrupt()
	}()
	cache := listing.OpenCache(t.TempDir(), listing.KeyFile(f.Layout()))
	err := (&Set{Workspace: ws}).ask(ctx, f, cache, jobs)
	if (err != nil) != (ctx.Err() != nil) {
		t.Errorf("interrupted %v, and the error is %v", ctx.Err(), err)
	}
	kept := map[string]listing.Failure{}
	for _, j := range jobs {
		if failure, ok := cache.Failure(j.server.Name, j.server.Fingerprint(), listing.Canonical(client(h, ws).Capabilities())); ok {
			kept[j.server.Name] = failure
		}
	}
	return kept
}

func TestWhatAServerSaysOfItsFailureIsNotKept(t *testing.T) {
	t.Parallel()
	kept := asked(t, map[string]string{
		"stderr": "echo invalid API key s3cret >&2; exit 1",
		"answer": `read a; echo '{"jsonrpc":"2.0","id":"ctx-1","error":{"code":-32000,"message":"invalid API key s3cret"}}'; read b`,
	})
	for name, want := range map[string]string{"stderr": "exit status 1", "answer": "error -32000"} {
		if kept[name].Reason != want {
			t.Errorf("%s: kept %q, want %q", name, kept[name].Reason, want)
		}
	}
}

func TestAServerThatTheUserDidNotWaitForHasNotFailed(t *testing.T) {
	t.Parallel()
	if kept := asked(t, map[string]string{"broken": "exit 1"}); len(kept) != 1 {
		t.Errorf("one that ends at once is asked again each time: %v", kept)
	}
	// It reads all and answers nothing, tools/list among it.
	if kept := asked(t, map[string]string{"slow": "touch interrupt; exec cat >silence"}); len(kept) != 0 {
		t.Errorf("interrupted, it is taken for one that hangs: %v", kept)
	}
}

// The user's trust in a folder is no word on what its files say next.
func TestAChangeByARepositoryIsNotTrusted(t *testing.T) {
	t.Parallel()
	declared, folder := surface.Place{File: "/home/me/.host.toml", Line: 1}, surface.Place{File: "/home/me/.host.toml", Line: 7}
	for _, tt := range []struct {
		by   surface.Place
		want bool
	}{{declared, true}, {folder, false}} {
		store := trust.Open(filepath.Join(t.TempDir(), "trust.json"))
		srv := surface.Server{Name: "s", Scope: surface.ScopeUser, Transport: surface.Stdio, Command: "run", Place: declared, ApprovedBy: &tt.by}
		if !trusted(store, srv, "/ws") {
			t.Errorf("by %v: a server that the user's own word lets start is not trusted", tt.by)
		}
		approval := trust.Approval{Fingerprint: srv.Fingerprint(), By: "user", At: time.Now(), Server: srv}
		if err := store.Approve(trust.ServerID(srv, "/ws"), approval); err != nil {
			t.Fatal(err)
		}
		srv.Args = []string{"otherwise"}
		if got := trusted(store, srv, "/ws"); got != tt.want {
			t.Errorf("by %v: changed, and trusted %v", tt.by, got)
		}
	}
}

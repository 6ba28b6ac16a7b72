package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestOverHTTPTheTokenIsInAFileForTheUserAlone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare(h.stub("desk"))
	h.wrap()
	cmd := exec.Command(filepath.Join(h.dir, "ctx-gateway"), "--host", "fake", "--http", "127.0.0.1:0")
	cmd.Dir, cmd.Env = h.ws, h.env
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(stderr)
	read := func(prefix string) string {
		t.Helper()
		if !lines.Scan() {
			t.Fatal("it says nothing")
		}
		rest, ok := strings.CutPrefix(lines.Text(), prefix)
		if !ok {
			t.Fatalf("it says %q", lines.Text())
		}
		return rest
	}
	url, path := read("listening on "), read("bearer token in ")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	token, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	session := ""
	post := func(body string) string {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + strings.TrimSpace(string(token))}}
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		b, err := io.ReadAll(resp.Body)
		if err != nil || !json.Valid(b) {
			t.Fatalf("%d, %v: %s", resp.StatusCode, err, b)
		}
		return string(b)
	}
	contains(t, post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`), `"2025-11-25"`)
	contains(t, post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_tool","arguments":{"tool":"desk:echo","arguments":{"text":"over the wire"}}}}`), "over the wire")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if isFile(path) {
		t.Error("the token stays behind")
	}
}

func TestNoAddressThatOthersReachIsServed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.declare()
	h.wrap()
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80", "example.com:80", "8080"} {
		cmd := exec.Command(filepath.Join(h.dir, "ctx-gateway"), "--host", "fake", "--http", addr)
		cmd.Dir, cmd.Env = h.ws, h.env
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(string(out), "hint: ") {
			t.Errorf("%s: exit %d: %s", addr, code, out)
		}
	}
}

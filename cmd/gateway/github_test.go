package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Every tool of a real server, served in pages as real servers do, is described
// exactly as its author wrote it, and can be called.
func TestEveryGitHubToolIsDescribedAsItWasSent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(cmp.Or(os.Getenv("CTX_DATA"), filepath.Join("..", "..", "..", "shared", "data")), "tools", "github.jsonl")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("no tool definitions: %v (set CTX_DATA)", err)
	}
	sent := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var tool struct{ Name string }
		if err := json.Unmarshal(lines.Bytes(), &tool); err != nil {
			t.Fatal(err)
		}
		sent[tool.Name] = listing.Canonical(lines.Bytes())
	}
	if len(sent) != 117 {
		t.Fatalf("%d tools in %s", len(sent), path)
	}
	file := filepath.Join(t.TempDir(), "tools.jsonl")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHome(t)
	h.declare(h.stub("github", "-tools", file, "-page", "40"))
	h.config.Servers[0].Approval = surface.ApproveAlways
	h.save()
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	for name, want := range sent {
		var r struct {
			StructuredContent struct {
				Schemas []map[string]json.RawMessage
				Unknown []string
			}
		}
		answer := s.call("describe_tool", `{"tools":["github:`+name+`"]}`)
		if err := json.Unmarshal([]byte(answer), &r); err != nil || len(r.StructuredContent.Schemas) != 1 {
			t.Fatalf("%s: %v: %s", name, err, answer)
		}
		got := r.StructuredContent.Schemas[0]
		if string(got["tool"]) != `"github:`+name+`"` || got["authority"] == nil {
			t.Errorf("%s: tool %s, authority %s", name, got["tool"], got["authority"])
		}
		delete(got, "tool")
		delete(got, "authority")
		back, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if listing.Canonical(back) != want {
			t.Errorf("%s came back as\n%s\nsent\n%s", name, back, want)
		}
	}
	contains(t, s.call("tool_search", `{"query":"merge a pull request"}`), "github:merge_pull_request")
	contains(t, s.initialize(`{}`), "github (117)")
}

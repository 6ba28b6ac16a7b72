package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/internal/modelstub"
	"github.com/ctx-sidecar/ctx/plugins"
)

// These tests run the real Codex, without an account, against a stand-in for the
// model's API. CTX_REALHOSTS names a folder with node_modules/.bin/codex.

// codex is a home of the real Codex with a gateway and hooks that write down
// what they get.
type codex struct {
	*wrap
	program string
	dir     string
	stub    string // an MCP server
}

func realCodex(t *testing.T, config string) *codex {
	t.Helper()
	install := os.Getenv("CTX_REALHOSTS")
	if install == "" {
		t.Skip("CTX_REALHOSTS is not set: no folder with the real clients")
	}
	program := filepath.Join(install, "node_modules", ".bin", "codex")
	if _, err := os.Stat(program); err != nil {
		t.Skipf("no codex: %v", err)
	}
	c := &codex{wrap: newWrap(t, ""), program: program}
	c.dir = filepath.Dir(c.workspace)
	c.stub = filepath.Join(c.dir, "stubserver")
	build := exec.Command("go", "build", "-o", c.stub, "github.com/ctx-sidecar/ctx/internal/stubserver")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build stubserver: %v\n%s", err, out)
	}
	c.script(t, "ctx-gateway", fmt.Sprintf("exec %s --mark %s", c.stub, c.path("gateway.mark")))
	c.script(t, "ctx-hook", fmt.Sprintf(`printf '%%s %%s ' "$1" "$2" >> %[1]s; tr -d '\n' >> %[1]s; echo >> %[1]s
case $2 in SessionStart|UserPromptSubmit)
	printf '{"hookSpecificOutput":{"hookEventName":"%%s","additionalContext":"said at %%s"}}' "$2" "$2";;
esac`, c.path("hooks.log")))
	c.configure(t, config)
	return c
}

// configure writes the user's config.toml; $STUB stands for an MCP server, $DIR
// for the test's folder.
func (c *codex) configure(t *testing.T, config string) {
	t.Helper()
	hometest.Write(t, c.config, strings.NewReplacer("$STUB", c.stub, "$DIR", c.dir).Replace(config))
}

func (c *codex) path(name string) string { return filepath.Join(c.dir, name) }

func (c *codex) script(t *testing.T, name, body string) {
	t.Helper()
	hometest.Write(t, c.path(name), "#!/bin/sh\n"+body+"\n")
	if err := os.Chmod(c.path(name), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (c *codex) plan(t *testing.T, front ...string) plugins.WrapPlan {
	t.Helper()
	plan, err := c.adapter.PlanWrap(context.Background(), plugins.WrapRequest{
		Machine: c.machine, Workspace: c.workspace, Gateway: true, Front: front,
		Hook: c.path("ctx-hook"), GatewayBin: c.path("ctx-gateway"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// run starts codex in a folder with nothing of this process's environment but
// the path.
func (c *codex) run(t *testing.T, dir string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"HOME=" + c.machine.Home, "CODEX_HOME=" + filepath.Dir(c.config), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "STUB_KEY=none",
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// exec runs one conversation and returns the model's first request.
func (c *codex) exec(t *testing.T, dir, model string, script []modelstub.Step, args ...string) modelstub.Request {
	t.Helper()
	stub, err := modelstub.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	defer stub.Close()
	all := append([]string{
		"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust",
		"-c", "model=" + model, "-c", "model_provider=stub", "-c", "model_providers.stub.name=stub",
		"-c", "model_providers.stub.env_key=STUB_KEY", "-c", "model_providers.stub.wire_api=responses",
		"-c", "model_providers.stub.base_url=" + stub.URL + "/v1",
	}, args...)
	_, stderr, err := c.run(t, dir, append(all, "hello")...)
	if err != nil || len(stub.Turns()) == 0 {
		t.Fatalf("codex exec: %v, %d turns\n%s", err, len(stub.Turns()), stderr)
	}
	return stub.Turns()[0]
}

// listed is what Codex itself says of its servers.
func (c *codex) listed(t *testing.T, dir string, args ...string) map[string]listedServer {
	t.Helper()
	stdout, stderr, err := c.run(t, dir, append(slices.Clone(args), "mcp", "list", "--json")...)
	var list []listedServer
	if err == nil {
		err = json.Unmarshal([]byte(stdout), &list)
	}
	if err != nil {
		t.Fatalf("codex mcp list: %v\n%s", err, stderr)
	}
	by := map[string]listedServer{}
	for _, s := range list {
		by[s.Name] = s
	}
	return by
}

type listedServer struct {
	Name      string `json:"name"`
	Enabled   bool   `json:"enabled"`
	Transport struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
		URL     string            `json:"url"`
	} `json:"transport"`
}

// mcpTools are the namespaces in the tools array of a request.
func mcpTools(t *testing.T, r modelstub.Request) []string {
	t.Helper()
	var names []string
	for _, raw := range r.Tools() {
		var tool struct{ Type, Name string }
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		if tool.Type == "namespace" && strings.HasPrefix(tool.Name, "mcp__") {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

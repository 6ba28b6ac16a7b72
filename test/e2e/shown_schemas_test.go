package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func canonical(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	b, err := json.Marshal(v) // sorts the keys
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryGitHubToolIsBehindTheInstalledGateway(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs(filepath.Join(cmp.Or(os.Getenv("CTX_DATA"), "../../../shared/data"), "tools/github.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("no tool definitions: %v (set CTX_DATA)", err)
	}
	u := newUser(t)
	dir := u.workspace("w", func(string) map[string]any {
		return args{"github": args{"command": stub, "args": []string{"--tools", file, "--page", "40"}}}
	})
	u.wrap(dir, "claude")
	p := u.gateway(dir, "claude")
	if !strings.Contains(p.Instructions, "github (117)") {
		t.Errorf("the index says %q", p.Instructions)
	}
	n := 0
	for line := range bytes.Lines(data) {
		var tool struct{ Name string }
		if err := json.Unmarshal(line, &tool); err != nil {
			t.Fatal(err)
		}
		n++
		if got := p.describe("github:" + tool.Name); !sameJSON(t, got, line) {
			t.Errorf("%s is shown as\n%s\nand is\n%s", tool.Name, got, line)
		}
		if out := p.call("tool_search", args{"query": tool.Name, "limit": 5}).String(); !strings.Contains(out, "github:"+tool.Name+" (") {
			t.Errorf("a search for %s finds %.300s", tool.Name, out)
		}
	}
	if n != 117 {
		t.Errorf("%d tools in the data", n)
	}
}

// What a server shows depends on what its client can do: behind the gateway it
// must show Claude Code no less than without.
func TestReferenceServersShowWhatTheyShowDirectly(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	var servers map[string]any
	dir := u.workspace("w", func(dir string) map[string]any {
		servers = u.reference(dir)
		return servers
	})
	u.wrap(dir, "claude")
	p := u.gateway(dir, "claude")
	p.call("tool_search", args{"query": "any"})
	total := 0
	for name, declared := range servers {
		s := declared.(args)
		cmd := exec.Command(s["command"].(string), s["args"].([]string)...)
		cmd.Dir, cmd.Env = dir, u.environ("MEMORY_FILE_PATH="+dir+"/memory.json")
		direct := speak(t, cmd).list()
		total += len(direct)
		for _, tool := range slices.Sorted(maps.Keys(direct)) {
			if got := p.describe(name + ":" + tool); got != nil && !sameJSON(t, got, direct[tool]) {
				t.Errorf("%s:%s is shown as\n%s\nand is\n%s", name, tool, got, direct[tool])
			}
		}
	}
	if total != 39 || !strings.HasPrefix(p.Instructions, "39 tools") {
		t.Errorf("%d tools directly; the index begins %.40q", total, p.Instructions)
	}
	p.call("call_tool_write", args{"tool": "memory:create_entities", "arguments": args{"entities": []args{{"name": "heron", "entityType": "bird", "observations": []string{}}}}})
	if b, err := os.ReadFile(filepath.Join(dir, "memory.json")); err != nil || !strings.Contains(string(b), "heron") {
		t.Errorf("the server's env is not its own: %v %s", err, b)
	}
}

func TestNothingWaitsForACallOfTwentySeconds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes twenty seconds")
	}
	u := newUser(t)
	dir := u.workspace("w", notes("a", "b", "c"))
	u.wrap(dir, "claude")
	p := u.gateway(dir, "claude")
	slowID, slow := p.begin("tools/call", args{"name": "call_tool", "arguments": args{"tool": "a:slow", "arguments": args{"ms": 20000}}})
	p.ask("ping", args{}, nil)
	for _, server := range []string{"a", "b"} { // the busy one, too
		if out := p.call("call_tool", args{"tool": server + ":echo", "arguments": args{"text": "meanwhile"}}).String(); !strings.Contains(out, "meanwhile") {
			t.Errorf("%s answers %s", server, out)
		}
	}
	p.mu.Lock()
	if slices.Contains(p.order, slowID) {
		t.Error("the slow call was answered first")
	}
	p.mu.Unlock()
	var c called
	p.await(slow, "the slow call", &c)
	if c.IsError || !strings.Contains(c.String(), "took 20s") {
		t.Errorf("the slow call answers %+v", c)
	}
}

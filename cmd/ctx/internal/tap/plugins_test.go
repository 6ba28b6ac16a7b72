package tap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const plugin = `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "flowers"}`

func servers(command string) string {
	return `{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {"beds": {"type": "stdio", "command": "` + command + `"}}}`
}

func TestAddShowsWhatThePluginsOfATapWouldRun(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write("plugins/flowers/plugin.json", plugin)
	u.write("plugins/flowers/mcp.json", servers("beds-mcp"))
	u.write("plugins/bad/plugin.json", "{")
	_, out, errOut := u.run("", "tap", "add", "acme/tools", u.tap, "--yes")
	for _, words := range []string{"acme/flowers", "beds-mcp", "bad/plugin.json:1"} {
		if !strings.Contains(out+errOut, words) {
			t.Errorf("it does not say %q:\n%s%s", words, out, errOut)
		}
	}
	if got := u.approvals()["tap:acme/tools/flowers/beds"]; got != "approved" {
		t.Errorf("flowers: %q", got)
	}
	u.must(0, "flowers", "capability", "list")
	u.write("plugins/flowers/mcp.json", servers("other-mcp"))
	if got := u.approvals()["tap:acme/tools/flowers/beds"]; got != "changed" {
		t.Errorf("flowers: %q", got)
	}
	u.must(0, "other-mcp", "trust", "diff", "tap:acme/tools/flowers/beds")
	u.must(0, "", "tap", "remove", "acme/tools")
	if got := u.approvals()["tap:acme/tools/flowers/beds"]; got != "" {
		t.Errorf("flowers is %s after its tap has gone", got)
	}
}

func TestPluginsOfTheUserAreOnTheListOfWhatWaits(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := filepath.Join(u.home, ".config", "ctx", "plugins", "flowers")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"plugin.json": plugin, "mcp.json": servers("beds-mcp")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	u.must(0, "beds-mcp", "trust", "list")
	u.must(0, "approved", "trust", "approve", "beds")
	if got := u.approvals()["tap:user/plugins/flowers/beds"]; got != "approved" {
		t.Errorf("flowers: %q", got)
	}
	u.must(0, "flowers", "capability", "list")
}

func TestATapMayHaveNothingButPlugins(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.tap = filepath.Join(u.home, "src", "plugins-only")
	u.write("plugins/flowers/plugin.json", plugin)
	u.write("plugins/flowers/mcp.json", servers("beds-mcp"))
	u.must(0, "0 findings", "tap", "lint", u.tap)
	u.must(0, "beds-mcp", "tap", "add", "acme/tools", u.tap)
	u.must(0, "flowers", "capability", "list")
	u.write("plugins/flowers/mcp.json", servers("bin/beds"))
	u.must(1, "plugins/flowers/mcp.json:1", "tap", "lint", u.tap)
	u.must(1, "no tap", "tap", "add", "acme/other", u.home)
}

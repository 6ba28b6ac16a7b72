package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// The real clients leave it to judge by without anybody's doing: a plan for each
// session, and its end.
func TestARealSessionIsPlannedAlongAndEnds(t *testing.T) {
	needClients(t)
	t.Parallel()
	for _, host := range []string{"claude", "codex"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			dir := u.families("")
			arguments := args{"tool": "notes:read_file", "arguments": args{}}
			switch host {
			case "claude":
				u.claude(dir, []modelstub.Step{call("call_tool_write", arguments)}, approved...)
			case "codex":
				u.write(".codex/config.toml", "[mcp_servers.notes]\ncommand = \""+stub+"\"\nargs = [\"--tools\", \""+filepath.Join(u.home, "tools")+"\"]\n", u.home)
				u.wrap(dir, "codex")
				u.codex(dir, "gpt-5", []modelstub.Step{onCodex("call_tool_write", arguments)})
			}
			ledger := u.read(filepath.Join(dir, ".ctx-surface/reconcile.jsonl"))
			for _, want := range []string{`"op":"hide","family":"deployment"`, `"op":"hide","family":"testing"`, `"phase":"explore"`, `"op":"end"`, `"host":"` + host + `"`} {
				if !strings.Contains(ledger, want) {
					t.Errorf("the ledger has no %s:\n%s", want, ledger)
				}
			}
			doc, code := u.referee(dir)
			if code != 1 || doc.rule("deployment", "explore") != "hold 0/1" {
				t.Errorf("exit %d: %+v", code, doc)
			}
		})
	}
}

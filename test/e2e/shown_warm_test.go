package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// What wrap listed is what the servers list to the host itself, so that already
// the first session starts no server but the one that it uses.
func TestTheFirstSessionStartsWhatItUsesAlone(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"claude", "codex"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			u, dir, _ := codexUser(t)
			u.write(".mcp.json", toJSON(t, args{"mcpServers": u.reference(dir)}), dir)
			read := args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}}
			u.wrap(dir, host)
			os.Remove(filepath.Join(dir, "parents"))
			var s *session
			if host == "claude" {
				s = u.claude(dir, []modelstub.Step{call("call_tool", read)}, approved...)
			} else {
				s = u.codex(dir, "gpt-5", []modelstub.Step{onCodex("call_tool", read)})
			}
			s.mustSay("larkspur")
			if p := u.parents(dir); strings.Count(p, "\n") != 1 {
				t.Errorf("these started a server:\n%s", p)
			}
		})
	}
}

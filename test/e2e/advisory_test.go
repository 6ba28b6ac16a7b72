package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// over is a user whose hosts all load a small server, a skill that refers to what
// is not there, and instructions, over a budget of one token.
func over(t *testing.T) (u *user, dir string) {
	t.Helper()
	u = newUser(t)
	dir = u.notes()
	u.write("ctx.toml", "[surface]\nmax_static_tokens = 1\n", dir)
	for _, name := range []string{"CLAUDE.md", "AGENTS.md", "GEMINI.md"} {
		u.write(name, "Ask before you use mcp__gone__tool.\n", dir)
	}
	u.write(".codex/config.toml", fmt.Sprintf("[mcp_servers.notes]\ncommand = %q\n[projects.%q]\ntrust_level = \"trusted\"\n", stub, dir), u.home)
	u.write(".gemini/config/mcp_config.json", toJSON(t, args{"mcpServers": args{"notes": args{"command": stub}}}), u.home)
	return u, dir
}

// What the model is told has the numbers of the audit, on every host.
func TestTheFullAdvisoryHasTheNumbersOfTheAuditOnEveryHost(t *testing.T) {
	t.Parallel()
	for host, event := range map[string][2]string{
		"claude":      {"SessionStart", `{"session_id":"s","cwd":%q,"hook_event_name":"SessionStart","source":"startup"}`},
		"codex":       {"SessionStart", `{"session_id":"s","cwd":%q,"hook_event_name":"SessionStart","source":"startup","model":"gpt-5"}`},
		"antigravity": {"PreInvocation", `{"conversationId":"s","workspacePaths":[%q],"invocationNum":0,"initialNumSteps":0}`},
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			u, dir := over(t)
			r := u.tryCtx(dir, "surface", "inventory", "--host", host, "--probe-mcp", "--yes", "--json")
			if r.code != 0 {
				t.Fatal(r.err)
			}
			// A call, so that something is known to be unused.
			switch host {
			case "antigravity":
				u.hook(dir, host, "PostToolUse", fmt.Sprintf(`{"conversationId":"old","workspacePaths":[%q],"stepIdx":1,"error":"","toolCall":{"name":"call_mcp_tool","args":{"ServerName":"notes","ToolName":"read_note"}}}`, dir))
			default:
				u.hook(dir, host, "PostToolUse", fmt.Sprintf(`{"session_id":"old","cwd":%q,"hook_event_name":"PostToolUse","tool_name":"mcp__notes__read_note","tool_input":{}}`, dir))
			}
			said := u.hook(dir, host, event[0], fmt.Sprintf(event[1], dir))
			var doc struct {
				Hosts []struct {
					Total struct{ Resident int }
					Kinds []struct {
						Kind  string
						Count int
						Cost  struct{ Resident int }
					}
					Findings []struct{ Finding, ID string }
				}
			}
			r = u.tryCtx(dir, "surface", "audit", "--host", host, "--json")
			if err := json.Unmarshal([]byte(r.out), &doc); err != nil || len(doc.Hosts) != 1 {
				t.Fatalf("%v: %s%s", err, r.out, r.err)
			}
			h := doc.Hosts[0]
			total := regexp.MustCompile(`take (?:at least )?([0-9,]+) tokens`).FindStringSubmatch(said)
			if total == nil || strings.ReplaceAll(total[1], ",", "") != fmt.Sprint(h.Total.Resident) {
				t.Errorf("the audit has %d tokens, the advisory says %s", h.Total.Resident, said)
			}
			for i, k := range h.Kinds {
				if i < 3 && k.Cost.Resident > 0 && k.Cost.Resident < 1000 && !strings.Contains(said, fmt.Sprintf("%s %d (%d)", k.Kind, k.Cost.Resident, k.Count)) {
					t.Errorf("the audit has %+v, the advisory says %s", k, said)
				}
			}
			unused := regexp.MustCompile(`in no call on record: ([^ \\]+(?:, [^ \\]+)*)`).FindStringSubmatch(said)
			var want []string
			broken := false
			for _, f := range h.Findings {
				switch f.Finding {
				case "high_authority_unused":
					want = append(want, strings.TrimPrefix(f.ID, "mcp_tool:"))
				case "broken_dependency":
					broken = true
				}
			}
			if len(want) > 0 != (unused != nil) {
				t.Errorf("the audit has %q, the advisory says %s", want, said)
			}
			for _, w := range want[:min(len(want), 3)] {
				if !strings.Contains(said, w) {
					t.Errorf("the audit has %s, the advisory says %s", w, said)
				}
			}
			if broken != strings.Contains(said, "mcp__gone__tool in "+filepath.Base(instructionsOf(host))) {
				t.Errorf("broken: %v, the advisory says %s", broken, said)
			}
			t.Log(said)
		})
	}
}

func instructionsOf(host string) string {
	switch host {
	case "claude":
		return "CLAUDE.md"
	case "codex":
		return "AGENTS.md"
	}
	return "GEMINI.md"
}
